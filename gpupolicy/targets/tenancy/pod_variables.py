"""What the rules of pods read from the pod, its namespace and who makes it."""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.key import Data
from gpupolicy.plan.model import Plan
from gpupolicy.targets.tenancy import namespaces
from gpupolicy.targets.tenancy.cel import record
from gpupolicy.targets.tenancy.cel import text
from gpupolicy.targets.tenancy.cel import texts
from gpupolicy.targets.tenancy.cel import variable
from gpupolicy.targets.tenancy.queueing import OPERATORS
from gpupolicy.targets.tenancy.queueing import POD_CONTROLLERS
from gpupolicy.targets.tenancy.queueing import Queueing
from gpupolicy.targets.tenancy.queueing import queueing
from gpupolicy.targets.tenancy.shared import is_accelerator
from gpupolicy.targets.tenancy.shared import listed
from gpupolicy.targets.tenancy.shared import needs_queue
from gpupolicy.targets.tenancy.shared import tenant_variables

_JOB_OR_STATEFUL_SET = """
((o.apiVersion == 'batch/v1' && o.kind == 'Job')
|| (o.apiVersion == 'apps/v1' && o.kind == 'StatefulSet'))
"""
_VOLCANO_JOB = "o.apiVersion.startsWith('batch.volcano.sh/') && o.kind == 'Job'"


def pod_variables(plan: Plan) -> Iterator[Data]:
    """Give the variables in an order in which each uses only earlier ones."""
    yield from tenant_variables()
    yield listed("pools", namespaces.POOLS)
    yield listed("devices", namespaces.DEVICES)
    yield variable("creating", "request.operation == 'CREATE'")
    yield from _resources(plan)
    word = queueing(plan)
    if word:
        yield needs_queue()
        yield from _origin(word)
        yield _queue(word)
    yield from _placement(plan)
    yield _environment()


def _resources(plan: Plan) -> Iterator[Data]:
    yield variable(
        "containers",
        """
        object.spec.containers
        + (has(object.spec.initContainers) ? object.spec.initContainers : [])
        """,
    )
    yield variable(
        "limits",
        """
        variables.containers.filter(c, has(c.resources) && has(c.resources.limits))
        .map(c, c.resources.limits)
        """,
    )
    yield variable(
        "accelerators",
        f"""
        variables.limits.map(l, l.map(k, k).filter(k,
        {is_accelerator(plan, "k")}))
        """,
    )
    yield variable("usesAccelerator", "variables.accelerators.exists(l, size(l) > 0)")


def _origin(word: Queueing) -> Iterator[Data]:
    """Tell pods whose workload was checked. An owner alone can be forged, a user name cannot.

    Kueue puts the label on pods of a StatefulSet after they were made. Volcano reads the queue
    of a plain workload from the pod template, so that its pods carry it, a Volcano Job's do not.
    """
    if word.holder == "volcano":
        yield _made_by("jobPod", (word.account,), _VOLCANO_JOB)
    else:
        yield _made_by("jobPod", POD_CONTROLLERS, _JOB_OR_STATEFUL_SET.strip())
    yield variable("operatorPod", f"request.userInfo.username in {texts(OPERATORS)}")


def _made_by(name: str, identities: tuple[str, ...], owner: str) -> Data:
    return variable(
        name,
        f"request.userInfo.username in {texts(identities)}\n"
        "&& has(object.metadata.ownerReferences)\n"
        "&& object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller\n"
        f"&& {owner})",
    )


def _queue(word: Queueing) -> Data:
    field = f"object.metadata.{word.place}s"
    key = text(word.key)
    return variable("queue", f"has({field}) && {key} in {field} ? {field}[{key}] : ''")


def _placement(plan: Plan) -> Iterator[Data]:
    taints = _pool_taints(plan)
    if taints:
        yield variable("poolTaints", "[\n" + ",\n".join(taints) + "\n]")
        yield variable(
            "foreignTaints",
            """
            variables.poolTaints.filter(t,
            !t.pools.split(',').exists(p, p in variables.pools))
            """,
        )
    yield variable("tolerations", "has(object.spec.tolerations) ? object.spec.tolerations : []")
    affinity = "object.spec.affinity.nodeAffinity"
    required = f"{affinity}.requiredDuringSchedulingIgnoredDuringExecution"
    yield variable(
        "requiredTerms",
        f"has(object.spec.affinity) && has({affinity})\n&& has({required})\n"
        f"? {required}.nodeSelectorTerms\n: []",
    )


def _pool_taints(plan: Plan) -> list[str]:
    """Write every distinct taint once with its pools: one that a tenant's pool shares is its own.

    Comparing taints with each other would pass the cost that the API server allows at about a
    hundred pools, and a rule that fails refuses everything.
    """
    pools: dict[tuple[str, str, str], list[str]] = {}
    for pool in plan.pools:
        for taint in pool.node.taints:
            pools.setdefault((taint.key, taint.value, taint.effect), []).append(pool.name)
    return [
        record({"key": key, "value": value, "effect": effect, "pools": ",".join(sorted(names))})
        for (key, value, effect), names in sorted(pools.items())
    ]


def _environment() -> Data:
    return variable(
        "envs",
        """
        variables.containers.filter(c, has(c.env)).map(c, c.env)
        + (has(object.spec.ephemeralContainers)
        ? object.spec.ephemeralContainers.filter(c, has(c.env)).map(c, c.env) : [])
        """,
    )
