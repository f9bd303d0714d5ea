"""Cells per pool -> amounts per resource name, which is all that Volcano's queues know.

Rules of the queue webhook (volcano v1.15 pkg/webhooks/admission/queues/validate): a guarantee has
a deserved amount of at least its size, deserved is within the capability, a parent has every key
of its children with at least their sum, and a child's capability is within its nearest ancestor's.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass

from gpupolicy.plan.model import Cell
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan


@dataclass(frozen=True, slots=True)
class Amounts:
    """The numbers of one queue by resource name, in the tenant's order of resources."""

    deserved: Mapping[str, int]
    guarantee: Mapping[str, int]
    capability: Mapping[str, int]


def amounts(plan: Plan) -> dict[str, Amounts]:
    """Compute all queues: sums from the leaves up, ceilings from the root down."""
    below: dict[str, list[TenantPlan]] = {}
    for tenant in plan.tenants:
        if tenant.parent:
            below.setdefault(tenant.parent, []).append(tenant)
    found: dict[str, Amounts] = {}
    for tenant in plan.tenants:
        if tenant.parent is None:
            _descend(tenant, below, {}, found)
    return found


def _descend(
    tenant: TenantPlan,
    below: Mapping[str, list[TenantPlan]],
    ceiling: Mapping[str, int],
    found: dict[str, Amounts],
) -> Amounts:
    capability = {r: min(n, ceiling.get(r, n)) for r, n in _capability(tenant).items()}
    inner = {**ceiling, **{r: n for r, n in capability.items() if n}}
    children = [_descend(child, below, inner, found) for child in below.get(tenant.name, ())]
    deserved, guarantee = _deserved(tenant), _guarantee(tenant)
    for part, own in (("deserved", deserved), ("guarantee", guarantee)):
        sums: dict[str, int] = {}
        for child in children:
            for resource, amount in getattr(child, part).items():
                sums[resource] = sums.get(resource, 0) + amount
        for resource, amount in sums.items():
            own[resource] = max(own.get(resource, 0), amount)
    for resource, amount in guarantee.items():
        deserved[resource] = max(deserved.get(resource, 0), amount)
    found[tenant.name] = Amounts(deserved, guarantee, capability)
    return found[tenant.name]


def _cells(tenant: TenantPlan) -> Iterable[Cell]:
    return (cell for pool in tenant.pools for cell in pool.cells if cell.bound)


def _deserved(tenant: TenantPlan) -> dict[str, int]:
    sums: dict[str, int] = {}
    for cell in _cells(tenant):
        if cell.guaranteed or any(line.resource == cell.resource for line in tenant.lines):
            sums[cell.resource] = sums.get(cell.resource, 0) + cell.guaranteed
    return sums


def _guarantee(tenant: TenantPlan) -> dict[str, int]:
    """Keep idle what is not lent: Volcano takes a guarantee from everybody else even while idle."""
    sums: dict[str, int] = {}
    for cell in _cells(tenant):
        if cell.lend is not None and cell.lend < cell.guaranteed:
            sums[cell.resource] = sums.get(cell.resource, 0) + cell.guaranteed - cell.lend
    return sums


def _capability(tenant: TenantPlan) -> dict[str, int]:
    """Give ceilings: devices by their lines, the rest only where every line has a limit."""
    ceilings: dict[str, int] = {}
    unlimited = {line.resource for line in tenant.lines if line.limit is None}
    for line in tenant.lines:
        if line.resource and line.resource not in unlimited and line.limit is not None:
            ceilings[line.resource] = ceilings.get(line.resource, 0) + line.limit
    if not unlimited and tenant.lines:
        ceilings |= _derived_ceilings(tenant)
    if not tenant.is_parent:
        ceilings |= dict.fromkeys(tenant.denied, 0)
    return ceilings


def _derived_ceilings(tenant: TenantPlan) -> dict[str, int]:
    devices = {line.resource for line in tenant.lines}
    sums: dict[str, int] = {}
    for cell in _cells(tenant):
        if cell.resource not in devices and cell.limit:
            sums[cell.resource] = sums.get(cell.resource, 0) + cell.limit
    return sums
