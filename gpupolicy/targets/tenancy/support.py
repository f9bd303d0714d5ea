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
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find quotas that a namespace cannot keep as meant."""
    if plan.quota_holder == "resourceQuota":
        for tenant in plan.tenants:
            yield from _sums(tenant)
            yield from _requests(tenant)


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
