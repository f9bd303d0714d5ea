"""The guard rails of pods, P1 to P13.

They see pods as they are created, and ephemeral containers as they are added. What they cannot
see: `NVIDIA_VISIBLE_DEVICES` inside an image or from `envFrom`; taints are the defence there.

Expressions keep to what Kubernetes 1.30 has: optionals and `quantity()` (1.28), `join` (1.29), no
`format` (1.31), no macros of two variables (1.32).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.plan.model import Plan
from gpupolicy.plan.names import POOL_LABEL
from gpupolicy.targets.tenancy.cel import Rule
from gpupolicy.targets.tenancy.cel import text
from gpupolicy.targets.tenancy.queueing import Queueing
from gpupolicy.targets.tenancy.queueing import queueing
from gpupolicy.targets.tenancy.queueing import scheduler

_DEFAULT_SCHEDULER = "default-scheduler"


def pod_rules(plan: Plan) -> Iterator[Rule]:
    """Give the rules that the policy's holders and pools make sense of."""
    word = queueing(plan)
    if word:
        yield from _queue(word)
    yield from _devices()
    yield from _tolerations(plan)
    yield from _pools()
    if plan.priorities:
        yield _priority_class(plan)
    yield _scheduler(plan)
    yield from _requests()


def _queue(word: Queueing) -> Iterator[Rule]:
    yield Rule(
        "P1",
        "Forbidden",
        """
        !variables.creating || !variables.needsQueue || variables.jobPod || variables.operatorPod
        || variables.queue in variables.queues
        """,
        f"this pod must come from a queued workload or carry the {word.place} {word.key} with a "
        "queue of the tenant",
        f"""
        'tenant ' + variables.tenant + ': this pod must come from a queued workload or carry the '
        + '{word.place} {word.key} with one of: ' + variables.queues.join(', ')
        + (variables.usesAccelerator ? '' : ' (pods without GPU are queued as well, since the '
        + 'tenant has a quota on a CPU pool: select it with {POOL_LABEL}, or they may take the '
        + 'cpu of a GPU pool)')
        """,
    )
    yield Rule(
        "P2",
        "Forbidden",
        "!variables.creating || variables.queue == '' || variables.queue in variables.queues",
        f"the {word.place} {word.key} names a queue of another tenant",
        """
        'queue ' + variables.queue + ' does not belong to tenant ' + variables.tenant
        + ', whose queues are: ' + variables.queues.join(', ')
        """,
    )


def _devices() -> Iterator[Rule]:
    yield Rule(
        "P3",
        "Forbidden",
        """
        !variables.creating
        || variables.accelerators.all(l, l.all(k, k in variables.devices))
        """,
        "the tenant has no quota on a device that this pod asks for",
        """
        'tenant ' + variables.tenant + ' has no quota on ' + variables.accelerators.map(l,
        l.filter(k, !(k in variables.devices)).join(', ')).filter(s, s != '').join(', ')
        """,
    )
    yield Rule(
        "P4",
        "Invalid",
        """
        !variables.creating || variables.limits.all(l, l.all(k, !k.endsWith('.shared')
        || quantity(string(l[k])).compareTo(quantity('1')) <= 0))
        """,
        "a container may ask for one replica of a shared GPU: more give it no more of the GPU",
    )


def _tolerations(plan: Plan) -> Iterator[Rule]:
    yield Rule(
        "P5",
        "Forbidden",
        "!variables.creating || variables.tolerations.all(t, has(t.key) && t.key != '')",
        "a toleration without a key tolerates the taints of every pool: name the key",
    )
    if not any(pool.node.taints for pool in plan.pools):
        return
    covers = """variables.foreignTaints.exists(x, has(t.key) && t.key == x.key
        && (!has(t.effect) || t.effect == '' || t.effect == x.effect)
        && ((has(t.operator) && t.operator == 'Exists')
        || (has(t.value) ? t.value : '') == x.value))"""
    yield Rule(
        "P6",
        "Forbidden",
        f"""
        !variables.creating || variables.tolerations.all(t, !{covers})
        """,
        "a toleration covers the taint of a pool on which the tenant has no quota",
        f"""
        'tenant ' + variables.tenant + ' has no quota on the pool whose taint is tolerated by key '
        + variables.tolerations.filter(t, {covers}).map(t, t.key).join(', ')
        """,
    )


def _pools() -> Iterator[Rule]:
    says = f"""
        'tenant ' + variables.tenant + ' has no quota on the pool that is named by {POOL_LABEL}'
        + '{{}}, its pools are: ' + variables.pools.join(', ')
        """
    yield Rule(
        "P7",
        "Forbidden",
        f"""
        !variables.creating || !has(object.spec.nodeSelector)
        || !('{POOL_LABEL}' in object.spec.nodeSelector)
        || object.spec.nodeSelector['{POOL_LABEL}'] in variables.pools
        """,
        "the node selector names a pool on which the tenant has no quota",
        says.format(" in the node selector"),
    )
    yield Rule(
        "P8",
        "Forbidden",
        f"""
        !variables.creating || variables.requiredTerms.all(t, !has(t.matchExpressions)
        || t.matchExpressions.all(e, e.key != '{POOL_LABEL}'
        || (e.operator == 'In' && e.values.all(v, v in variables.pools))))
        """,
        "the node affinity names a pool on which the tenant has no quota, or does so otherwise "
        "than by the operator In",
        says.format(" in the node affinity (by the operator In alone)"),
    )
    yield Rule(
        "P9",
        "Forbidden",
        "!variables.creating || !has(object.spec.nodeName) || object.spec.nodeName == ''",
        "nodeName goes round the scheduler and every quota: select a pool instead",
    )


def _priority_class(plan: Plan) -> Rule:
    default = [priority.name for priority in plan.priorities if priority.global_default]
    allowed = "".join(f"\n|| object.spec.priorityClassName == {text(name)}" for name in default)
    return Rule(
        "P10",
        "Forbidden",
        "!variables.creating || !has(object.spec.priorityClassName)\n"
        "|| object.spec.priorityClassName == ''\n"
        f"|| object.spec.priorityClassName in variables.classes{allowed}",
        "the tenant may not use this priority class",
        """
        'tenant ' + variables.tenant + ' may not use priority class '
        + object.spec.priorityClassName + ', only: ' + variables.classes.join(', ')
        """,
    )


def _scheduler(plan: Plan) -> Rule:
    """Ask for the scheduler of the gang holder: two on one pool book its devices twice.

    Where Volcano or KAI holds quota, work without GPU is only counted if it goes through it.
    """
    name = scheduler(plan)
    holds = plan.quota_holder in ("volcano", "kai")
    who = "variables.needsQueue" if holds else "variables.usesAccelerator"
    is_it = f"has(object.spec.schedulerName) && object.spec.schedulerName == {text(name)}"
    if name == _DEFAULT_SCHEDULER:
        is_it = f"!has(object.spec.schedulerName) || object.spec.schedulerName == {text(name)}"
    return Rule(
        "P11",
        "Forbidden",
        f"!variables.creating || !{who}\n|| ({is_it})",
        f"pods with a GPU are placed by {name} alone, two schedulers would book one GPU twice: "
        f"write schedulerName: {name}",
    )


def _requests() -> Iterator[Rule]:
    yield Rule(
        "P12",
        "Forbidden",
        """
        variables.envs.all(l, l.all(e, e.name != 'NVIDIA_VISIBLE_DEVICES'
        || (has(e.value) && e.value in ['void', 'none'])))
        """,
        "NVIDIA_VISIBLE_DEVICES takes GPUs past every quota: request the device instead",
    )
    yield Rule(
        "P13",
        "Invalid",
        """
        !variables.creating || (has(object.spec.resources) && has(object.spec.resources.requests)
        && size(object.spec.resources.requests) > 0)
        || variables.containers.exists(c, has(c.resources) && has(c.resources.requests)
        && size(c.resources.requests) > 0)
        """,
        "this pod requests nothing, so that it costs no quota and still takes room on a node: "
        "request cpu and memory",
    )
