"""Walk the plan and make Kueue's objects; decisions are the plan's."""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.plan.model import Version
from gpupolicy.targets.kueue import objects
from gpupolicy.targets.kueue.manager_config import manager_config

_ROOM = "kueue"


def emit(plan: Plan) -> Iterator[Manifest | PlainFile]:
    """Make everything of a plan whose quota Kueue holds; nothing otherwise."""
    kueue = plan.platform.component("kueue")
    if kueue is None or plan.quota_holder != "kueue":
        return
    yield from _shared(plan, kueue.version)
    for tenant in plan.tenants:
        yield from _tenant(plan, tenant, kueue.version)
    yield PlainFile(_ROOM, "kueue-manager-config.yaml", dump(manager_config(plan, kueue)))


def _shared(plan: Plan, kueue: Version) -> Iterator[Manifest]:
    for name, levels in plan.topologies.items():
        pools = [pool.source for pool in plan.pools if pool.topology == name]
        yield Manifest(_ROOM, objects.topology(name, levels, kueue), f"{pools[0]}.topology")
    for pool in plan.pools:
        yield Manifest(_ROOM, objects.resource_flavor(pool, kueue), pool.source)
    yield Manifest(_ROOM, objects.root_cohort(plan, kueue), "nodePools")


def _tenant(plan: Plan, tenant: TenantPlan, kueue: Version) -> Iterator[Manifest]:
    cohort = tenant.parent or plan.name
    if tenant.is_parent:
        yield Manifest(_ROOM, objects.tenant_cohort(tenant, cohort, kueue), tenant.source)
        return
    if not tenant.pools:
        return
    yield Manifest(_ROOM, objects.cluster_queue(tenant, cohort, kueue), f"{tenant.source}.quotas")
    for namespace in tenant.namespaces:
        source = f"{tenant.source}.namespaces[{namespace}]"
        yield Manifest(_ROOM, objects.local_queue(tenant, namespace, kueue), source)
