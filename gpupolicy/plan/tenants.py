"""Tenants in numbers -> tenants decided: cells, classes, what they are kept from."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

from gpupolicy.capacity import cells
from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.tree import children_first
from gpupolicy.plan import names
from gpupolicy.plan.model import PoolCells
from gpupolicy.plan.model import PriorityPlan
from gpupolicy.plan.model import QuotaLinePlan
from gpupolicy.plan.model import SlaPlan
from gpupolicy.plan.model import TenantPlan

# (pool, device name or resource) -> amount.
Amounts = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class _Subtree:
    """A tenant with everything below it.

    `guarantees` counts devices by (pool, device), `held` amounts by (pool, resource).
    """

    lines: tuple[QuotaLine, ...]
    cells: tuple[PoolCells, ...]
    own: tuple[PoolCells, ...]
    guarantees: Amounts
    held: Amounts


@dataclass(frozen=True, slots=True)
class Tree:
    """All tenants' subtrees, and what the top level takes from the pools."""

    subtrees: Mapping[str, _Subtree]
    taken: Amounts
    # Devices on which somebody has a quota, by pool.
    used: Mapping[str, set[str]]


def lower_tree(capacity: Capacity) -> Tree:
    """Compute the cells of every tenant, children before parents."""
    subtrees: dict[str, _Subtree] = {}
    for tenant in children_first(capacity):
        subtrees[tenant.name] = _subtree(tenant, [subtrees[child] for child in tenant.children])
    used: dict[str, set[str]] = {}
    for tenant in capacity.tenants.values():
        for line in () if tenant.children else tenant.lines:
            used.setdefault(line.pool.name, set()).update([line.device.name] if line.device else [])
    taken: dict[tuple[str, str], int] = {}
    for tenant in capacity.top_level():
        cells.add(taken, subtrees[tenant.name].held)
    return Tree(subtrees, taken, used)


def _subtree(tenant: TenantCapacity, below: Sequence[_Subtree]) -> _Subtree:
    guarantees: dict[tuple[str, str], int] = {}
    held: dict[tuple[str, str], int] = {}
    for child in below:
        cells.add(guarantees, child.guarantees)
        cells.add(held, child.held)
    lines = cells.with_sums(tenant.lines, guarantees) if below else tenant.lines
    guarantees |= {(li.pool.name, li.device.name): li.guaranteed for li in lines if li.device}
    whole = cells.cells_of(lines, cells.covered(lines), queue=not below)
    own = cells.minus(whole, held) if below else whole
    cells.add(held, cells.totals(own))
    return _Subtree(lines, whole, own, guarantees, held)


def lower_tenants(
    capacity: Capacity,
    tree: Tree,
    priorities: Sequence[PriorityPlan],
    slas: Mapping[str | None, SlaPlan],
    accelerators: Sequence[str],
    reach: Mapping[tuple[str, str, str], int],
) -> tuple[TenantPlan, ...]:
    """Decide all tenants, in the order written."""
    every = tuple(p.name for p in priorities)
    never = {p.name for p in priorities if not p.preempts}
    classes: dict[str, tuple[str, ...]] = {}
    plans = []
    for tenant in capacity.tenants.values():
        allowed = _classes(tenant, capacity, every, classes)
        plans.append(
            _tenant(tenant, tree.subtrees[tenant.name], allowed, never, slas, accelerators, reach)
        )
    return tuple(plans)


def _classes(
    tenant: TenantCapacity,
    capacity: Capacity,
    every: tuple[str, ...],
    known: dict[str, tuple[str, ...]],
) -> tuple[str, ...]:
    if tenant.name not in known:
        parent = capacity.tenants.get(tenant.parent) if tenant.parent else None
        if tenant.spec.priority_classes is not None:
            known[tenant.name] = tuple(dict.fromkeys(tenant.spec.priority_classes))
        else:
            known[tenant.name] = _classes(parent, capacity, every, known) if parent else every
    return known[tenant.name]


def _tenant(
    tenant: TenantCapacity,
    below: _Subtree,
    classes: tuple[str, ...],
    never: set[str],
    slas: Mapping[str | None, SlaPlan],
    accelerators: Sequence[str],
    reach: Mapping[tuple[str, str, str], int],
) -> TenantPlan:
    spec = tenant.spec
    held = {line.device.resource for line in tenant.lines if line.device}
    return TenantPlan(
        name=tenant.name,
        path=tenant.path,
        source=names.tenant_source(tenant.name),
        parent=tenant.parent,
        children=tenant.children,
        weight=spec.weight,
        namespaces=tuple(sorted(spec.namespaces)),
        groups=tuple(dict.fromkeys(spec.members.groups)),
        users=tuple(dict.fromkeys(spec.members.users)),
        labels=dict(sorted(spec.labels.items())),
        priority_classes=classes,
        sla=spec.sla,
        resources=cells.covered(below.lines) if below.lines else (),
        pools=below.cells,
        own=below.own,
        lines=tuple(_line(tenant, line, reach) for line in below.lines),
        denied=tuple(name for name in accelerators if name not in held),
        queues_cpu=any(line.pool.is_cpu for line in tenant.lines),
        max_run_time=_max_run_time(tenant, slas),
        never_preempts=bool(classes) and never.issuperset(classes),
    )


def _line(
    tenant: TenantCapacity, line: QuotaLine, reach: Mapping[tuple[str, str, str], int]
) -> QuotaLinePlan:
    device = line.device.name if line.device else None
    index = line.path[-1]
    return QuotaLinePlan(
        pool=line.pool.name,
        device=device,
        resource=line.device.resource if line.device else None,
        guaranteed=line.guaranteed,
        limit=line.limit,
        lend=line.lend,
        reach=reach.get((tenant.name, line.pool.name, device or ""), line.guaranteed),
        source=f"{names.tenant_source(tenant.name)}.quotas[{index}]",
        own=tuple(name for name in ("cpu", "memory") if cells.own(line, name) is not None),
    )


def _max_run_time(tenant: TenantCapacity, slas: Mapping[str | None, SlaPlan]) -> int | None:
    """Give the longest bound among the tenant's and its workloads' SLAs; None if one has none."""
    named = [tenant.spec.sla, *(w.sla for w in tenant.spec.workloads if w.sla)]
    bounds = [slas[name].max_run_time if name in slas else None for name in named]
    found = [bound for bound in bounds if bound is not None]
    return max(found) if len(found) == len(bounds) else None
