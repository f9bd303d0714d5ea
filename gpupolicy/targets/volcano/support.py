"""What Volcano has no word for.

GP540 volcano-pools-summed
    Volcano's queues count resource names, not pools. Where two pools expose one name, a tenant's
    numbers on them become one number, and only the guard rails keep a tenant out of a pool.
    *Approximated by the sum.* Kueue keeps quota per pool.

GP541 volcano-queue-depth
    The webhook of Volcano takes at most 5 levels of queues, `root` included. *Impossible.*

GP542 volcano-weight-ignored
    The plugin that honours guarantees (`capacity`) has no weights; idle devices go to whoever
    asks. *Approximated, all weights are 1.*

GP543 volcano-gang-broken
    Volcano gives a guarantee back pod by pod, as many as it takes: a gang on borrowed devices
    loses some of its pods and keeps the others waiting for them. Its actions for whole gangs
    evict none that reaches below its own tenant's guarantee, so that the owner of the devices
    would wait for ever (seen with 1.15.1). *Approximated: gangs start whole, but may be broken.*
    Kueue evicts whole workloads.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.plan.pool_model import PoolPlan

# volcano v1.15 cmd/webhook-manager/app/options: --max-queue-depth.
_MOST_DEPTH = 5


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find what Volcano cannot express as meant."""
    if plan.quota_holder != "volcano" or plan.platform.component("volcano") is None:
        return
    yield from _shared_names(plan)
    parents = {tenant.name: tenant.parent for tenant in plan.tenants}
    for tenant in plan.tenants:
        yield from _tenant(tenant, parents)
    for workload in plan.workloads:
        yield from _gang(workload)


def _gang(workload: WorkloadPlan) -> Iterator[Diagnostic]:
    if workload.gang is not None and workload.pods > 1:
        yield Diagnostic(
            "GP543",
            f"gang '{workload.name}' starts whole but may lose single pods: approximated, Volcano "
            "gives a guarantee back pod by pod",
            (*workload.path, "gang"),
            severity=Severity.WARNING,
            hint="Kueue evicts whole workloads",
        )


def _shared_names(plan: Plan) -> Iterator[Diagnostic]:
    first: dict[str, PoolPlan] = {}
    for pool in plan.pools:
        for device in pool.devices:
            other = first.setdefault(device.resource, pool)
            if other is not pool:
                yield Diagnostic(
                    "GP540",
                    f"pools '{other.name}' and '{pool.name}' both offer {device.resource}, and "
                    "Volcano counts names: approximated by the sum of a tenant's numbers",
                    (*pool.path, "name"),
                    severity=Severity.WARNING,
                    related=(Related("the other pool", (*other.path, "name")),),
                    hint="Kueue keeps quota per pool",
                )


def _tenant(tenant: TenantPlan, parents: dict[str, str | None]) -> Iterator[Diagnostic]:
    depth, at = 2, tenant.parent
    while at is not None:
        depth, at = depth + 1, parents.get(at)
    if depth > _MOST_DEPTH:
        yield Diagnostic(
            "GP541",
            f"impossible: the queue of tenant '{tenant.name}' is on level {depth} with 'root', "
            f"Volcano takes {_MOST_DEPTH}",
            (*tenant.path, "parent"),
            hint=f"move it {depth - _MOST_DEPTH} up in the tree, or let Kueue hold quota",
        )
    if tenant.weight != 1:
        yield Diagnostic(
            "GP542",
            f"weight {tenant.weight} of tenant '{tenant.name}' has no effect: approximated, all "
            "weights are 1",
            (*tenant.path, "weight"),
            severity=Severity.WARNING,
            hint="Kueue with fair sharing honours weights",
        )
