"""What the GPU Operator's chart has no word for, and what lies outside its reach.

GP501 mig-strategy-per-node
    The operator hands `mig.strategy` to every node, where it beats the node's own configuration.
    Pools with different strategies, or with `mixed` beside MPS (which stops under `mixed`), need
    the field to be absent. The chart then renders `mig:` with nothing below it. Helm 3 and
    client-side apply cope; server-side apply refuses it ("spec.mig: Invalid value: null"), and so
    do Helm 4 and Argo CD with ServerSideApply. Give all MIG pools one strategy (`mixed` can
    express what `single` can) and no MPS pool beside it, or let the policy own the object
    (`platform.gpuOperator.write: clusterPolicy`). *Approximated.*

GP502 cluster-policy-not-ours
    `write: clusterPolicy` makes a complete ClusterPolicy. Before 26.7 the chart always makes one
    itself, of two the younger is ignored, and Helm would undo ours. Write `helmValues`, the
    default, or install 26.7. *Impossible.*

GP503 exporter-unknown
    Metrics of GPUs come from dcgm-exporter, which runs on tainted nodes only if it tolerates
    their taints. With monitoring on, and neither `gpuOperator` nor `dcgmExporter` under
    `spec.platform`, nothing is written for it: the named pools may be dark, and alerts that never
    fire look like health. Name the one that is installed. *Impossible.*

GP504 vendor-tolerations
    A pool whose GPUs are not NVIDIA's has taints. Its vendor's operator must tolerate them like
    any other, and its settings are not ours to write. The tolerations are named, to be added
    there. *Impossible.*
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import PoolPlan

_PLATFORM = ("spec", "platform")


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find what cannot be said to the operator, and pools it does not serve."""
    if plan.platform.component("gpuOperator"):
        yield from _strategy(plan)
        yield from _cluster_policy(plan)
    yield from _exporter(plan)
    for pool in plan.pools:
        yield from _vendor(pool)


def _strategy(plan: Plan) -> Iterator[Diagnostic]:
    if plan.mig_strategy or plan.platform.gpu_operator_write == "clusterPolicy":
        return
    ways = [(pool, _strategy_of(pool)) for pool in plan.pools if _strategy_of(pool)]
    last = ways[-1][0]
    listed = ", ".join(f"'{pool.name}' {way}" for pool, way in ways)
    yield Diagnostic(
        "GP501",
        f"one 'mig.strategy' does not suit all pools ({listed}): approximated, it is left empty, "
        "which server-side apply and Helm 4 refuse",
        (*last.path, "sharing"),
        severity=Severity.WARNING,
        hint="use 'migStrategy: mixed' in all MIG pools and no 'mps' beside them, or write "
        "'platform.gpuOperator.write: clusterPolicy' (26.7)",
    )


def _strategy_of(pool: PoolPlan) -> str | None:
    if pool.mig:
        return pool.mig.strategy
    return "mps" if pool.sharing and pool.sharing.kind == "mps" else None


def _cluster_policy(plan: Plan) -> Iterator[Diagnostic]:
    operator = plan.platform.component("gpuOperator")
    if operator is None or plan.platform.gpu_operator_write != "clusterPolicy":
        return
    if plan.gpu_operator and plan.gpu_operator.cluster_policy is None:
        yield Diagnostic(
            "GP502",
            f"impossible: the chart of GPU Operator {operator.version} makes a ClusterPolicy in "
            "any case, and of two the younger is ignored",
            (*_PLATFORM, "gpuOperator", "write"),
            hint="write 'helmValues'",
        )


def _exporter(plan: Plan) -> Iterator[Diagnostic]:
    platform = plan.platform
    if plan.monitoring is None or platform.component("gpuOperator"):
        return
    pools = [pool for pool in plan.pools if pool.gpu and pool.gpu.nvidia]
    if platform.component("dcgmExporter") or not pools:
        return
    named = ", ".join(f"'{pool.name}'" for pool in pools)
    tainted = [f"'{pool.name}'" for pool in pools if pool.node.taints]
    dark = f"; {', '.join(tainted)} with taints will be dark" if tainted else ""
    yield Diagnostic(
        "GP503",
        f"no exporter of GPU metrics is known for {named}{dark}",
        _PLATFORM,
        part="key",
        severity=Severity.WARNING,
        hint="name 'gpuOperator' or 'dcgmExporter' under 'platform'",
    )


def _vendor(pool: PoolPlan) -> Iterator[Diagnostic]:
    if pool.gpu is None or pool.gpu.nvidia or not pool.node.taints:
        return
    taints = ", ".join(f"{t.key}={t.value}:{t.effect}" for t in pool.node.taints)
    yield Diagnostic(
        "GP504",
        f"the operator that offers '{pool.gpu.resource}' on pool '{pool.name}' must tolerate "
        f"{taints}; its settings are not written here",
        (*pool.path, "taints"),
        severity=Severity.NOTE,
    )
