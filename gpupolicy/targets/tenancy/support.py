"""What tenancy cannot promise as meant.

GP516 resource-quota-sum
    Without a queueing component a quota is kept by a ResourceQuota, which counts the resource
    names of a namespace, not pools. A tenant with quotas on two pools that offer one name gets
    their sum, and may use all of it in one of them; the guard rails keep it out of other pools
    only. Give the pools different names (sharing renames), or install Kueue. *Approximated.*

GP517 resource-quota-wants-requests
    A quota that writes `cpu` or `memory` becomes a ResourceQuota for it, and then the API server
    refuses every pod of the namespace that does not say what it requests of it. *Exact*, for pods
    that say it.

GP518 max-run-time-not-asked
    Kueue stops a job after `maxRunTime` by a label that the job carries, and the guard rails are
    what asks jobs for it. They know tenants, not workloads: all work of a tenant is asked for the
    longest bound that any of it may have, and for none if some of it has none. So a shorter bound
    beside it, or any with `guardRails: off`, is asked of nobody. Give the tenant the SLA, split it
    in two, or write the label `kueue.x-k8s.io/max-exec-time-seconds` in the jobs. *Approximated.*

GP519 budget-by-label
    A declared Deployment or StatefulSet of two pods and more gets a PodDisruptionBudget, so that a
    drain takes its pods one by one. It finds them by the label `gpupolicy.dev/workload` with the
    workload's name, which must stand in the pod template; pods without it are drained all at once.
    It holds back drains alone: neither a scheduler that preempts nor the loss of a node asks it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.quantity import format_duration
from gpupolicy.targets.tenancy.disruptions import WORKLOAD_LABEL
from gpupolicy.targets.tenancy.disruptions import services


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find quotas that a namespace cannot keep as meant."""
    if plan.quota_holder == "resourceQuota":
        for tenant in plan.tenants:
            yield from _sums(tenant)
            yield from _requests(tenant)
    yield from _run_times(plan)
    yield from _budgets(plan)


def _budgets(plan: Plan) -> Iterator[Diagnostic]:
    found = list(services(plan))
    if found:
        named = ", ".join(f"'{workload.name}'" for workload in found)
        yield Diagnostic(
            "GP519",
            f"drains take the pods of {named} one by one where their template has the label "
            f"{WORKLOAD_LABEL} with the workload's name",
            (*found[0].path, "kind"),
            severity=Severity.NOTE,
        )


def _run_times(plan: Plan) -> Iterator[Diagnostic]:
    """Compare what SLAs say with what the guard rails ask of each tenant's jobs."""
    bounds = {sla.name: sla.max_run_time for sla in plan.slas}
    named = {tenant.name: [(tenant.sla, tenant.path)] for tenant in plan.tenants}
    for workload in plan.workloads:
        named[workload.tenant].append((workload.sla, workload.path))
    for tenant in plan.tenants:
        asked = tenant.max_run_time if plan.guard_rails != "off" else None
        said: set[str | None] = set()
        for sla, path in named[tenant.name] if not tenant.is_parent else ():
            bound = bounds.get(sla or "")
            if bound is not None and bound != asked and sla not in said:
                said.add(sla)
                yield _not_asked(plan, tenant, f"{format_duration(bound)} of SLA '{sla}'", path)


def _not_asked(plan: Plan, tenant: TenantPlan, what: str, path: Path) -> Diagnostic:
    if plan.guard_rails == "off":
        why, hint = "guard rails are off", "write 'guardRails: warn'"
    elif tenant.max_run_time is None:
        why, hint = "some of its work has no bound", "give the tenant an SLA with a 'maxRunTime'"
    else:
        why = f"some of its work may run {format_duration(tenant.max_run_time)}"
        hint = "make two tenants of it"
    return Diagnostic(
        "GP518",
        f"maxRunTime {what} is asked of no job of tenant '{tenant.name}': approximated, {why}",
        (*path, "sla"),
        severity=Severity.WARNING,
        hint=f"{hint}, or label the jobs with kueue.x-k8s.io/max-exec-time-seconds",
    )


def _sums(tenant: TenantPlan) -> Iterator[Diagnostic]:
    by_resource: dict[str, list[tuple[str, int]]] = {}
    for line in tenant.lines:
        if line.resource:
            by_resource.setdefault(line.resource, []).append((line.pool, line.guaranteed))
    for resource, parts in by_resource.items():
        if len(parts) > 1 and not tenant.is_parent:
            listed = " + ".join(f"{amount} in '{pool}'" for pool, amount in parts)
            total = sum(amount for _, amount in parts)
            yield Diagnostic(
                "GP516",
                f"the quotas of tenant '{tenant.name}' on '{resource}' are counted as one: "
                f"approximated, {listed} = {total} wherever they run",
                (*tenant.path, "quotas"),
                severity=Severity.WARNING,
                hint="install Kueue, which keeps quotas by pool",
            )


def _requests(tenant: TenantPlan) -> Iterator[Diagnostic]:
    written = sorted({name for line in tenant.lines for name in line.own})
    if written and tenant.namespaces:
        yield Diagnostic(
            "GP517",
            f"every pod of tenant '{tenant.name}' must say what it requests of "
            f"{' and '.join(written)}, or the API server refuses it",
            (*tenant.path, "quotas"),
            severity=Severity.NOTE,
        )
