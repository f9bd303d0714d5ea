"""What tenancy cannot promise as meant.

GP515 guard-rails-unavailable
    Guard rails are ValidatingAdmissionPolicies, which are served from Kubernetes 1.30 on. Before
    that none are written, and pods that go round the queues meet quotas of zero and taints only.
    Update the cluster, or say `guardRails: off`. *Impossible.*

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
from gpupolicy.targets.tenancy.guard_rails import FIRST_KUBERNETES
from gpupolicy.targets.tenancy.guard_rails import are_wanted


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find guard rails that are not there, and quotas that a namespace cannot keep."""
    version = plan.platform.kubernetes
    if are_wanted(plan) and version < FIRST_KUBERNETES:
        yield Diagnostic(
            "GP515",
            f"impossible: Kubernetes {version} has no guard rails, they need {FIRST_KUBERNETES}",
            ("spec", "platform", "kubernetes"),
            severity=Severity.WARNING,
            hint="write 'guardRails: off' to say that none are wanted",
        )
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
