"""Volcano's queue and settings, one pure function each (volcano v1.15)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.plan.names import HOST_LABEL
from gpupolicy.plan.names import hash8
from gpupolicy.quantity import format_resource
from gpupolicy.targets.volcano.amounts import Amounts

Data = dict[str, Any]

API_VERSION = "scheduling.volcano.sh/v1beta1"
# Volcano's own parent of all queues; it exists always.
ROOT = "root"


def queue(tenant: TenantPlan, amounts: Amounts) -> Data:
    """One queue a tenant; what the webhook would fill in is written out."""
    spec: Data = {"parent": tenant.parent or ROOT, "weight": 1, "reclaimable": True}
    if amounts.capability:
        spec["capability"] = _quantities(amounts.capability)
    if amounts.deserved:
        spec["deserved"] = _quantities(amounts.deserved)
    if amounts.guarantee:
        spec["guarantee"] = {"resource": _quantities(amounts.guarantee)}
    return {
        "apiVersion": API_VERSION,
        "kind": "Queue",
        "metadata": {"name": tenant.name},
        "spec": spec,
    }


def _quantities(amounts: Mapping[str, int]) -> dict[str, str]:
    return {resource: format_resource(resource, amounts[resource]) for resource in sorted(amounts)}


def scheduler_config(plan: Plan) -> Data:
    """Give `volcano-scheduler.conf`.

    As quota holder: `capacity` with its hierarchy, which alone reads `deserved`, never
    `proportion`, and `reclaim`, without which nobody gets a guarantee back. Behind Kueue only
    placing is left: no enqueue (it would hold what Kueue admitted), no preempt, no reclaim.
    """
    if plan.quota_holder == "volcano":
        return {"actions": "allocate, preempt, reclaim, backfill", "tiers": _holding_tiers(plan)}
    plugins: list[Data] = [{"name": "priority"}, {"name": "gang"}, {"name": "conformance"}]
    return {"actions": "allocate, backfill", "tiers": [{"plugins": plugins}, _placing_tier(plan)]}


def _holding_tiers(plan: Plan) -> list[Data]:
    tiers: list[Data] = []
    named = {tenant.sla for tenant in plan.tenants} | {w.sla for w in plan.workloads}
    if any(sla.name in named and sla.wait_within is not None for sla in plan.slas):
        tiers.append({"plugins": [{"name": "sla", "enableJobOrder": False}]})
    tiers.append(
        {
            "plugins": [
                {"name": "priority"},
                {"name": "conformance"},
                # By default it protects every group at its minimum, a single pod too, and then no
                # guarantee is ever given back (seen with volcano v1.15.1).
                {"name": "gang", "enablePreemptable": False, "enableReclaimable": False},
                # The last filter of the tier that decides.
                {"name": "capacity", "enableHierarchy": True},
            ]
        }
    )
    return [*tiers, _placing_tier(plan)]


def _placing_tier(plan: Plan) -> Data:
    plugins: list[Data] = [{"name": "predicates"}, {"name": "nodeorder"}]
    if plan.accelerators:
        arguments: Data = {
            "binpack.weight": 5,
            "binpack.resources": ", ".join(plan.accelerators),
        }
        arguments |= {f"binpack.resources.{name}": 10 for name in plan.accelerators}
        plugins.append({"name": "binpack", "arguments": arguments})
    if level_lists(plan):
        plugins.append({"name": "network-topology-aware", "arguments": {"weight": 10}})
    return {"plugins": plugins}


def level_lists(plan: Plan) -> list[tuple[str, ...]]:
    """List the distinct level lists of pools that have levels above the host, as node labels."""
    lists = (tuple(level.node_label for level in pool.levels) for pool in plan.pools)
    return list(dict.fromkeys(labels for labels in lists if len(labels) > 1))


def controller_config(plan: Plan) -> Data | None:
    """Give the discovery of HyperNodes by label; None without topology.

    The discoverer drops the last entry of a list, so it must be the host; a type name has at most
    20 characters (volcano v1.15 pkg/controllers/hypernode/discovery/label).
    """
    lists = level_lists(plan)
    if not lists:
        return None
    types = {
        f"gp-{hash8(','.join(labels))}": [{"nodeLabel": label} for label in _to_host(labels)]
        for labels in lists
    }
    config = {"networkTopologyTypes": types}
    return {"networkTopologyDiscovery": [{"source": "label", "enabled": True, "config": config}]}


def _to_host(labels: tuple[str, ...]) -> tuple[str, ...]:
    return labels if labels[-1] == HOST_LABEL else (*labels, HOST_LABEL)
