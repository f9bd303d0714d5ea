"""What Kueue has no word for.

GP520 kueue-autoscaled-gang
    Where Kueue places gangs it uses the nodes that exist and keeps pods back until they fit, so
    that an autoscaler sees nothing to scale up for. An autoscaled pool gives what was promised up
    to `min`, and beyond it only while nodes are there. Let another component place
    (`scheduling: {gang: none}`), or give the pool a fixed number of nodes. *Approximated.*

GP521 kueue-too-large
    Kueue refuses queues above its limits: 64 pools or 64 resources (16 up to Kueue 0.13), and 512
    pairs of pool and resource in one queue. Split the tenant, or take pools out of its quotas.
    *Impossible.*

GP524 kueue-weight-ignored
    Weights divide idle devices only where fair sharing is on, and up to Kueue 0.16 it may break a
    guarantee, so that it is left off. All weights count as 1. *Approximated.*
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.plan.model import Version
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.targets.kueue import versions


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find what Kueue cannot express as meant."""
    kueue = plan.platform.component("kueue")
    if kueue is None or plan.quota_holder != "kueue":
        return
    for pool in plan.pools:
        if plan.gang_holder == "kueue" and pool.autoscaled:
            yield _autoscaled(pool)
    for tenant in plan.tenants:
        yield from _tenant(tenant, kueue.version)
    yield from _root(plan, kueue.version)


def _autoscaled(pool: PoolPlan) -> Diagnostic:
    return Diagnostic(
        "GP520",
        f"pool '{pool.name}' is autoscaled ({pool.min_nodes} to {pool.nodes} nodes) and Kueue "
        f"places on the nodes there are: approximated, beyond {pool.min_nodes} only while they "
        "exist",
        (*pool.path, "nodes"),
        severity=Severity.WARNING,
        hint="write 'scheduling: {gang: none}' to let the autoscaler act",
    )


def _tenant(tenant: TenantPlan, kueue: Version) -> Iterator[Diagnostic]:
    found = _too_large(len(tenant.pools), len(tenant.resources), kueue, queue=not tenant.is_parent)
    if found:
        yield Diagnostic(
            "GP521",
            f"impossible: the queue of tenant '{tenant.name}' has {found}",
            (*tenant.path, "quotas"),
            hint="divide the tenant, or take pools out of its quotas",
        )
    if tenant.weight != 1 and not versions.has_fair_sharing(kueue):
        yield Diagnostic(
            "GP524",
            f"weight {tenant.weight} of tenant '{tenant.name}' has no effect: approximated, "
            f"all weights are 1 with Kueue {kueue}",
            (*tenant.path, "weight"),
            severity=Severity.WARNING,
            hint="weights count from Kueue 0.17 on",
        )


def _root(plan: Plan, kueue: Version) -> Iterator[Diagnostic]:
    found = _too_large(len(plan.spare), len(plan.spare_resources), kueue, queue=False)
    if found:
        yield Diagnostic(
            "GP521",
            f"impossible: the cohort that holds what nobody is promised has {found}",
            ("spec", "nodePools"),
            part="key",
            hint="give fewer pools to Kueue's tenants, or join pools that are alike",
        )


def _too_large(pools: int, resources: int, kueue: Version, *, queue: bool) -> str | None:
    most = versions.most_items(kueue)
    for count, what in ((pools, "pools"), (resources, "resources")):
        if count > most:
            return f"{count} {what}, Kueue {kueue} takes {most}"
    if queue and pools * resources > versions.MOST_CELLS:
        cells = f"{pools} pools x {resources} resources = {pools * resources} cells"
        return f"{cells}, Kueue takes {versions.MOST_CELLS}"
    return None
