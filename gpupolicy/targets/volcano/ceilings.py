"""Every ceiling spelled out, for releases whose webhook reads one that is not named as 0.

In 1.13 and 1.14 a capability that names one resource must name all that is deserved, and in 1.14 a
parent's must also name all that its children's do (volcano v1.13.0 and v1.14.1
pkg/webhooks/admission/queues/validate, LessPartly). What has no ceiling gets that of the queues
above it, at the top all that the nodes have. 1.15 takes what is not named as unbounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.plan.model import Version
from gpupolicy.targets.volcano.amounts import Amounts

_NOT_NAMED_IS_NONE = Version(1, 15)


def spelled_out(plan: Plan, amounts: Mapping[str, Amounts]) -> Mapping[str, Amounts]:
    """Add the ceilings that an older webhook misses; the newest gets the amounts as they are."""
    volcano = plan.platform.component("volcano")
    if volcano is None or volcano.version >= _NOT_NAMED_IS_NONE:
        return amounts
    below: dict[str | None, list[TenantPlan]] = {}
    for tenant in plan.tenants:
        below.setdefault(tenant.parent, []).append(tenant)
    found: dict[str, Amounts] = {}
    for tenant in below.get(None, ()):
        named: dict[str, set[str]] = {}
        _name(tenant, below, amounts, named)
        _fill(tenant, below, amounts, named, _totals(plan), found)
    return found


def _totals(plan: Plan) -> dict[str, int]:
    """Sum up all nodes: as a ceiling it is none."""
    totals: dict[str, int] = {}
    for pool in plan.pools:
        each = {**{d.resource: d.per_node for d in pool.devices}, **pool.allocatable}
        for resource, amount in each.items():
            totals[resource] = totals.get(resource, 0) + amount * pool.nodes
    return totals


def _name(
    tenant: TenantPlan,
    below: Mapping[str | None, list[TenantPlan]],
    amounts: Mapping[str, Amounts],
    named: dict[str, set[str]],
) -> set[str]:
    """Collect what each capability must name, the children's first; nothing is no capability."""
    own = amounts[tenant.name]
    keys = set(own.capability)
    for child in below.get(tenant.name, ()):
        keys |= _name(child, below, amounts, named)
    named[tenant.name] = keys | set(own.deserved) if keys else keys
    return named[tenant.name]


def _fill(
    tenant: TenantPlan,
    below: Mapping[str | None, list[TenantPlan]],
    amounts: Mapping[str, Amounts],
    named: Mapping[str, set[str]],
    ceiling: Mapping[str, int],
    found: dict[str, Amounts],
) -> None:
    own = amounts[tenant.name]
    capability = {
        # A limit above all that there is, which was warned of, would be above the parent's.
        key: min(own.capability.get(key, ceiling[key]), ceiling[key])
        for key in sorted(named[tenant.name])
    }
    found[tenant.name] = replace(own, capability=capability)
    for child in below.get(tenant.name, ()):
        _fill(child, below, amounts, named, {**ceiling, **capability}, found)
