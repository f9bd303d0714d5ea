"""The cpu and memory that go with the devices exist too.

GP433 resources-over-capacity
    What the quotas of a pool promise of cpu or memory is more than its nodes have (`allocatable`
    times the nodes, less the `reserve`). On a GPU pool that happens only where a quota writes
    `cpu` or `memory` itself: what follows from the devices always fits.

GP434 budget-resources
    The children of a tenant have more cpu or memory on a pool than the tenant itself. Write
    `cpu` or `memory` in the parent's quota too, or less in theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from gpupolicy.capacity.cells import cells_of
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.tree import children_first
from gpupolicy.capacity.wording import addends
from gpupolicy.capacity.wording import amount_text
from gpupolicy.capacity.wording import number
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import few
from gpupolicy.check_base import has_numbers
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related

# What a quota can write; everything else follows from the devices or from the cpu, and so fits.
_WRITTEN = ("cpu", "memory")


class _Part(NamedTuple):
    """What a tenant holds of one resource of a pool, and where that is written."""

    tenant: TenantCapacity
    amount: int
    path: Path


# By pool and resource.
_Parts = dict[tuple[str, str], _Part]


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Add up cpu and memory, for the pools where a quota says one of them."""
    written = {
        line.pool.name
        for tenant in context.capacity.tenants.values()
        for line in tenant.lines
        if (line.cpu is not None or line.memory is not None) and has_numbers(line.pool)
    }
    pools = {name: context.capacity.pools[name] for name in written}
    over = {pool for (pool, _), tree in context.trees.items() if tree.guaranteed > tree.device.cap}
    top: dict[tuple[str, str], list[_Part]] = {}
    below: dict[str, dict[tuple[str, str], list[_Part]]] = {}
    for tenant in children_first(context.capacity) if pools else ():
        children = below.pop(tenant.name, {})
        parts = _own(context, tenant, pools, children)
        yield from _budget(tenant, parts, children)
        # What is held in the budget of a parent that does not exist is summed nowhere.
        sums = top if tenant.parent is None else below.setdefault(tenant.parent, {})
        for key, part in _held(tenant, parts, children).items():
            sums.setdefault(key, []).append(part)
    for (pool, resource), found in top.items():
        if pool not in over:
            yield from _over(pools[pool], resource, found)


def _own(
    context: CheckContext,
    tenant: TenantCapacity,
    pools: Mapping[str, PoolCapacity],
    children: Mapping[tuple[str, str], Sequence[_Part]],
) -> _Parts:
    """Work out what the tenant's lines hold; nothing where a parent leaves it to its children."""
    parts: _Parts = {}
    by_pool: dict[str, list[QuotaLine]] = {}
    for line in tenant.lines:
        if line.pool.name in pools:
            by_pool.setdefault(line.pool.name, []).append(_summed(context, tenant, line))
    for name, lines in by_pool.items():
        counted = [resource for resource in _WRITTEN if resource in pools[name].allocatable]
        for row in cells_of(lines, counted, queue=False):
            for cell in row.cells:
                said, says = _line(lines, cell.resource)
                if not children or says or _is_budget(context, tenant, pools[name]):
                    path = (*said.path, cell.resource) if says else said.path
                    parts[(name, cell.resource)] = _Part(tenant, cell.guaranteed, path)
    return parts


def _is_budget(context: CheckContext, tenant: TenantCapacity, pool: PoolCapacity) -> bool:
    """Tell whether a parent writes a guarantee for every device that its children have there."""
    trees = (context.trees.get((pool.name, device.name)) for device in pool.devices)
    nodes = [tree.nodes[tenant.name] for tree in trees if tree and tenant.name in tree.nodes]
    return bool(nodes) and all(node.writes_guarantee for node in nodes)


def _summed(context: CheckContext, tenant: TenantCapacity, line: QuotaLine) -> QuotaLine:
    """Give the line with the guarantee that counts: a parent's may be its children's sum."""
    tree = context.trees.get((line.pool.name, line.device.name)) if line.device else None
    node = tree.nodes.get(tenant.name) if tree else None
    return replace(line, guaranteed=node.guaranteed) if node and node.children else line


def _line(lines: Sequence[QuotaLine], resource: str) -> tuple[QuotaLine, bool]:
    """Find the line that says how much of the resource there is, else the first."""
    for line in lines:
        if getattr(line, resource) is not None:
            return line, True
    return lines[0], False


def _held(
    tenant: TenantCapacity, own: _Parts, children: Mapping[tuple[str, str], Sequence[_Part]]
) -> _Parts:
    held = dict(own)
    for key, parts in children.items():
        together = sum(part.amount for part in parts)
        if key not in own or own[key].amount < together:
            held[key] = _Part(tenant, together, parts[0].path if len(parts) == 1 else tenant.path)
    return held


def _budget(
    tenant: TenantCapacity, own: _Parts, children: Mapping[tuple[str, str], Sequence[_Part]]
) -> Iterator[Diagnostic]:
    for key, part in own.items():
        pool, resource = key
        together = sum(child.amount for child in children.get(key, ()))
        if together <= part.amount:
            continue
        shown = amount_text(resource, part.amount)
        yield Diagnostic(
            "GP434",
            f"the children of tenant '{tenant.name}' have {amount_text(resource, together)} "
            f"{resource} > its own {shown} on pool '{pool}', over by "
            f"{amount_text(resource, together - part.amount)}",
            part.path,
            hint=f"write '{resource}: {amount_text(resource, together)}' here, or less below",
            related=_contributors(children[key], resource),
        )


def _over(pool: PoolCapacity, resource: str, parts: Sequence[_Part]) -> Iterator[Diagnostic]:
    nodes = pool.nodes - pool.reserve
    has, total = pool.allocatable[resource] * nodes, sum(part.amount for part in parts)
    if total <= has:
        return
    # What a quota says itself is what made it too much.
    last = next((part for part in reversed(parts) if part.path[-1] == resource), parts[-1])
    left = last.amount - (total - has)
    shown = amount_text(resource, left)
    reserve = f", less {pool.reserve} in reserve" if pool.reserve else ""
    yield Diagnostic(
        "GP433",
        f"{resource} {amount_text(resource, total)} > {amount_text(resource, has)} of pool "
        f"'{pool.name}', over by {amount_text(resource, total - has)}: "
        + addends([(part.tenant.name, part.amount) for part in parts], resource),
        last.path,
        hint=f"'{resource}: {shown}' fits here" if left > 0 else f"lower {resource} in the quotas",
        related=(
            Related(
                f"{number(pool.nodes, 'node')}{reserve}, each with "
                f"{amount_text(resource, pool.allocatable[resource])} {resource}",
                (*pool.path, "allocatable", resource),
            ),
            *_contributors(parts, resource),
        ),
    )


def _contributors(parts: Sequence[_Part], resource: str) -> tuple[Related, ...]:
    return few(
        Related(
            f"'{part.tenant.name}' has {amount_text(resource, part.amount)} {resource}",
            part.path,
        )
        for part in parts
        if part.amount
    )
