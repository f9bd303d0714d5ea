"""One pure function a kind.

Fields and rules: sigs.k8s.io/kueue v0.19.2 apis/kueue/v1beta2 and pkg/webhooks. What a controller
or the webhook would fill in is written out, so that a second apply changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any

from gpupolicy.plan.model import Cell
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import PoolCells
from gpupolicy.plan.model import TenantPlan
from gpupolicy.plan.model import Version
from gpupolicy.plan.names import POOL_LABEL
from gpupolicy.plan.pool_model import LevelPlan
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.quantity import format_resource
from gpupolicy.targets.kueue import versions

Data = dict[str, Any]


def topology(name: str, levels: Sequence[LevelPlan], kueue: Version) -> Data:
    """Levels from the widest to the host."""
    return {
        "apiVersion": versions.api_version("Topology", kueue),
        "kind": "Topology",
        "metadata": {"name": name},
        "spec": {"levels": [{"nodeLabel": level.node_label} for level in levels]},
    }


def resource_flavor(pool: PoolPlan, kueue: Version) -> Data:
    """One flavor a pool.

    All flavors have the same single label key, since a pod's own selector is compared only on the
    keys that a flavor declares. `nodeTaints` is not written: it neither taints nor tolerates.
    """
    spec: Data = {"nodeLabels": {POOL_LABEL: pool.name}}
    tolerations = [_toleration(t.key, t.value, t.effect) for t in hard_taints(pool)]
    if tolerations:
        spec["tolerations"] = tolerations
    if pool.topology:
        spec["topologyName"] = pool.topology
    return {
        "apiVersion": versions.api_version("ResourceFlavor", kueue),
        "kind": "ResourceFlavor",
        "metadata": {"name": pool.name},
        "spec": spec,
    }


def hard_taints(pool: PoolPlan) -> list[Any]:
    """Give the taints that keep pods away; PreferNoSchedule needs no toleration."""
    return [taint for taint in pool.node.taints if taint.effect != "PreferNoSchedule"]


def _toleration(key: str, value: str, effect: str) -> Data:
    if value:
        return {"key": key, "operator": "Equal", "value": value, "effect": effect}
    return {"key": key, "operator": "Exists", "effect": effect}


def root_cohort(plan: Plan, kueue: Version) -> Data:
    """Hold what nobody is promised; without this object it would not be quota at all."""
    spec: Data = {}
    if any(cell.guaranteed for pool in plan.spare for cell in pool.cells):
        spec["resourceGroups"] = [_group(plan.spare_resources, plan.spare, bounded=False)]
    return _cohort(plan.name, spec, kueue)


def tenant_cohort(tenant: TenantPlan, parent: str, kueue: Version) -> Data:
    """Hold a parent's buffer, ceiling and lending for its whole subtree.

    Borrowing is what the budget may take from outside: its limit less its guarantee, and not less
    the buffer that is left of it.
    """
    spec: Data = {versions.parent_field(kueue): parent}
    if any(
        cell.guaranteed or cell.limit is not None or cell.lend is not None
        for cell in _cells(tenant.own)
    ):
        budget = {(p.pool, c.resource): c for p in tenant.pools for c in p.cells}
        spec["resourceGroups"] = [_group(tenant.resources, tenant.own, bounded=True, budget=budget)]
    if versions.cohort_has_weight(kueue):
        spec["fairSharing"] = {"weight": format_resource("weight", tenant.weight)}
    return _cohort(tenant.name, spec, kueue)


def _cells(pools: Iterable[PoolCells]) -> Iterable[Cell]:
    return (cell for pool in pools for cell in pool.cells)


def _cohort(name: str, spec: Data, kueue: Version) -> Data:
    document: Data = {
        "apiVersion": versions.api_version("Cohort", kueue),
        "kind": "Cohort",
        "metadata": {"name": name},
    }
    return document | ({"spec": spec} if spec else {})


def cluster_queue(tenant: TenantPlan, cohort: str, kueue: Version) -> Data:
    """One queue a tenant, over all pools it has a quota on.

    `reclaimWithinCohort: Any` is what makes a guarantee one: borrowers of any priority give way.
    `whenCanBorrow: TryNextFlavor` looks for the tenant's own quota in another pool before it
    borrows in the first.
    """
    within = "Never" if tenant.never_preempts else "LowerPriority"
    return {
        "apiVersion": versions.api_version("ClusterQueue", kueue),
        "kind": "ClusterQueue",
        "metadata": {"name": tenant.name},
        "spec": {
            versions.cohort_field(kueue): cohort,
            "namespaceSelector": {
                "matchExpressions": [
                    {
                        "key": "kubernetes.io/metadata.name",
                        "operator": "In",
                        "values": list(tenant.namespaces),
                    }
                ]
            },
            "queueingStrategy": "BestEffortFIFO",
            "stopPolicy": "None",
            "flavorFungibility": {
                "whenCanBorrow": "TryNextFlavor",
                "whenCanPreempt": "TryNextFlavor",
            },
            "preemption": {
                "withinClusterQueue": within,
                "reclaimWithinCohort": "Any",
                "borrowWithinCohort": {"policy": "Never"},
            },
            "fairSharing": {"weight": format_resource("weight", tenant.weight)},
            "resourceGroups": [_group(tenant.resources, tenant.pools, bounded=True)],
        },
    }


def _group(
    resources: Sequence[str],
    pools: Iterable[PoolCells],
    *,
    bounded: bool,
    budget: dict[tuple[str, str], Cell] | None = None,
) -> Data:
    """Write one resource group: every flavor lists every resource in the same order."""
    return {
        "coveredResources": list(resources),
        "flavors": [
            {
                "name": pool.pool,
                "resources": [
                    _resource(cell, budget[pool.pool, cell.resource] if budget else cell, bounded)
                    for cell in pool.cells
                ],
            }
            for pool in pools
        ],
    }


def _resource(cell: Cell, budget: Cell, bounded: bool) -> Data:
    row: Data = {
        "name": cell.resource,
        "nominalQuota": format_resource(cell.resource, cell.guaranteed),
    }
    if bounded and budget.limit is not None:
        row["borrowingLimit"] = format_resource(
            cell.resource, max(budget.limit - budget.guaranteed, 0)
        )
    if bounded and budget.lend is not None:
        row["lendingLimit"] = format_resource(cell.resource, budget.lend)
    return row


def local_queue(tenant: TenantPlan, namespace: str, kueue: Version) -> Data:
    """Name the tenant's queue in one of its namespaces."""
    return {
        "apiVersion": versions.api_version("LocalQueue", kueue),
        "kind": "LocalQueue",
        "metadata": {"name": tenant.name, "namespace": namespace},
        "spec": {"clusterQueue": tenant.name, "stopPolicy": "None"},
    }
