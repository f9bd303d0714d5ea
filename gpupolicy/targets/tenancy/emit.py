"""Walk the tenants; a parent has no namespaces, and guard rails are the same for all."""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.model import Manifest
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.targets.tenancy import disruptions
from gpupolicy.targets.tenancy import objects
from gpupolicy.targets.tenancy import quotas
from gpupolicy.targets.tenancy.guard_rails import guard_rails

_ROOM = "tenancy"


def emit(plan: Plan) -> Iterator[Manifest]:
    """Make the tenants' namespaces with what belongs in them, then the guard rails."""
    for tenant in plan.tenants:
        for namespace in tenant.namespaces:
            source = f"{tenant.source}.namespaces[{namespace}]"
            yield Manifest(_ROOM, objects.namespace(plan, tenant, namespace), source)
            yield from _members(plan, tenant, namespace)
            yield from _quotas(plan, tenant, namespace)
    yield from disruptions.budgets(plan)
    for data in guard_rails(plan):
        yield Manifest(_ROOM, data, "guardRails")


def _members(plan: Plan, tenant: TenantPlan, namespace: str) -> Iterator[Manifest]:
    if not (tenant.groups or tenant.users):
        return
    roles = {"gpupolicy-members": objects.MEMBER_ROLE}
    if plan.quota_holder == "kueue":
        roles["gpupolicy-members-queue"] = objects.QUEUE_ROLE
    for name, role in roles.items():
        data = objects.role_binding(tenant, namespace, name, role)
        yield Manifest(_ROOM, data, f"{tenant.source}.members")


def _quotas(plan: Plan, tenant: TenantPlan, namespace: str) -> Iterator[Manifest]:
    found = {"gpupolicy-no-quota": quotas.zeros(tenant)}
    if plan.quota_holder == "resourceQuota":
        found["gpupolicy"] = quotas.guarantees(tenant)
    for name, requests in found.items():
        if requests:
            data = objects.resource_quota(namespace, name, requests)
            yield Manifest(_ROOM, data, f"{tenant.source}.quotas")
