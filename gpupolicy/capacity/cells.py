"""Quota lines -> cells: what a tenant has of every resource in every pool, and what is spare.

All of cpu, memory and the other allocatable resources go with the devices, in proportion to
device memory. Exact fractions are summed over the devices of a cell and rounded down once, so
that cells never add up to more than the nodes have.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import TypeVar

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.model import QuotaLine

_Key = TypeVar("_Key")

# Kueue has no word for "unlimited": numbers that never bind and stay with the tenant. A million
# cores in millicores, a pebibyte in MiB, a million of anything else.
_UNBOUND = {"cpu": 10**9, "memory": 2**30}
_UNBOUND_OTHER = 10**6


@dataclass(frozen=True, slots=True)
class Cell:
    """What a tenant has of one resource in one pool.

    `limit` is the ceiling in total (None: none of its own), `lend` what others may use of the
    guarantee while it is idle (None: all). A cell that is not `bound` stands for "not limited":
    its number never binds, and nothing of it is lent or borrowed.
    """

    resource: str
    guaranteed: int
    limit: int | None
    lend: int | None
    bound: bool = True


@dataclass(frozen=True, slots=True)
class PoolCells:
    """The cells of one pool, in the order of its list of resources, every resource once."""

    pool: str
    cells: tuple[Cell, ...]


def covered(lines: Iterable[QuotaLine]) -> tuple[str, ...]:
    """List the resources of a queue: cpu, memory, other allocatable keys, then accelerators."""
    lines = tuple(lines)
    others = {r for line in lines for r in line.pool.allocatable} - {"cpu", "memory"}
    devices = {line.device.resource for line in lines if line.device}
    return ("cpu", "memory", *sorted(others), *sorted(devices))


def pools_in_order(lines: Iterable[QuotaLine]) -> tuple[PoolCapacity, ...]:
    """List the pools of a queue: CPU pools first, then in the order written."""
    pools = {line.pool.name: line.pool for line in lines}
    return tuple(sorted(pools.values(), key=lambda pool: not pool.is_cpu))


def cells_of(
    lines: Sequence[QuotaLine], resources: Sequence[str], *, queue: bool
) -> tuple[PoolCells, ...]:
    """Give the cells of all pools of some lines, of a queue or of a budget.

    In a queue a device without a line is out of reach, and what the pool does not limit is a
    number that never binds; a budget says nothing about either.
    """
    by_pool: dict[str, list[QuotaLine]] = {}
    for line in lines:
        by_pool.setdefault(line.pool.name, []).append(line)
    devices = {line.device.resource for line in lines if line.device}
    rows = []
    for pool in pools_in_order(lines):
        row = (
            _said(pool, by_pool[pool.name], resource)
            or _unsaid(pool, resource, devices, queue=queue)
            for resource in resources
        )
        rows.append(PoolCells(pool.name, tuple(row)))
    return tuple(rows)


def _said(pool: PoolCapacity, lines: list[QuotaLine], resource: str) -> Cell | None:
    """Give the cell of what the lines of a pool speak of: its devices, and what goes with them."""
    for line in lines:
        if line.device and line.device.resource == resource:
            return Cell(resource, line.guaranteed, line.limit, line.lend)
    if resource not in pool.allocatable:
        return None
    return _cpu_pool_cell(pool, lines[0], resource) if pool.is_cpu else _derived(lines, resource)


def _unsaid(pool: PoolCapacity, resource: str, devices: set[str], *, queue: bool) -> Cell:
    if not queue:
        return Cell(resource, 0, None, None)
    if resource in _UNBOUND or (not pool.allocatable and resource not in devices):
        amount = _UNBOUND.get(resource, _UNBOUND_OTHER)
        return Cell(resource, amount, amount, 0, bound=False)
    return Cell(resource, 0, 0, None)


def own(line: QuotaLine, resource: str) -> int | None:
    """Give what the line itself says of cpu or memory; None if it says nothing."""
    return line.cpu if resource == "cpu" else line.memory if resource == "memory" else None


def _cpu_pool_cell(pool: PoolCapacity, line: QuotaLine, resource: str) -> Cell:
    if resource in ("cpu", "memory"):
        return Cell(resource, own(line, resource) or 0, None, None)
    cores = pool.allocatable.get("cpu", 0)
    amount = pool.allocatable[resource] * (line.cpu or 0) // cores if cores else 0
    return Cell(resource, amount, None, None)


def _derived(lines: list[QuotaLine], resource: str) -> Cell:
    """Give the cell of what goes with the devices of one pool."""
    written = sum(own(line, resource) or 0 for line in lines)
    guaranteed = written + floor(
        sum(
            (
                _part(line, resource, line.guaranteed)
                for line in lines
                if own(line, resource) is None
            ),
            Fraction(0),
        )
    )
    limit = lend = None
    if all(line.limit is not None for line in lines):
        above = ((line, (line.limit or 0) - line.guaranteed) for line in lines)
        limit = guaranteed + floor(
            sum((_part(line, resource, n) for line, n in above), Fraction(0))
        )
    if any(line.lend is not None for line in lines):
        lend = min(floor(sum((_lent(line, resource) for line in lines), Fraction(0))), guaranteed)
    return Cell(resource, guaranteed, limit, lend)


def _part(line: QuotaLine, resource: str, count: int) -> Fraction:
    return count * line.device.share[resource] if line.device else Fraction(0)


def _lent(line: QuotaLine, resource: str) -> Fraction:
    lend = line.guaranteed if line.lend is None else line.lend
    written = own(line, resource)
    if written is None:
        return _part(line, resource, lend)
    return Fraction(written * lend, line.guaranteed) if line.guaranteed else Fraction(0)


def minus(
    whole: Sequence[PoolCells], taken: Mapping[tuple[str, str], int]
) -> tuple[PoolCells, ...]:
    """Take from a budget what its children hold, by (pool, resource).

    Limit and lend stay those of the budget.
    """
    return tuple(
        PoolCells(
            pool.pool,
            tuple(
                Cell(
                    c.resource,
                    max(c.guaranteed - taken.get((pool.pool, c.resource), 0), 0),
                    c.limit,
                    c.lend,
                )
                for c in pool.cells
            ),
        )
        for pool in whole
    )


def totals(pools: Iterable[PoolCells]) -> dict[tuple[str, str], int]:
    """Give guarantees by (pool, resource); what never binds is left out."""
    return {
        (pool.pool, cell.resource): cell.guaranteed
        for pool in pools
        for cell in pool.cells
        if cell.guaranteed and cell.bound
    }


def add(sums: dict[_Key, int], parts: Mapping[_Key, int]) -> None:
    """Add the parts to the sums, in place."""
    for key, amount in parts.items():
        sums[key] = sums.get(key, 0) + amount


def with_sums(
    lines: Sequence[QuotaLine], below: Mapping[tuple[str, str], int]
) -> tuple[QuotaLine, ...]:
    """Fill in the guarantees that a parent does not write: the sum of its children's."""
    return tuple(
        replace(line, guaranteed=below.get((line.pool.name, line.device.name), 0))
        if line.spec.guaranteed is None and line.device
        else line
        for line in lines
    )


def spare(
    pools: Sequence[tuple[PoolCapacity, int]],
    used: Mapping[str, set[str]],
    taken: Mapping[tuple[str, str], int],
) -> tuple[tuple[str, ...], tuple[PoolCells, ...]]:
    """Give what nobody is promised: resources and cells, for the pools that somebody may use.

    `pools` come with their number of quota nodes, `used` names the devices of a pool on which
    somebody has a quota, `taken` sums the guarantees of the top level. Devices that nobody may
    use are no quota, and neither is what goes with them.
    """
    shown = [(pool, nodes) for pool, nodes in pools if pool.name in used]
    others = {r for pool, _ in shown for r in pool.allocatable} - {"cpu", "memory"}
    devices = {d.resource for pool, _ in shown for d in pool.devices if d.name in used[pool.name]}
    resources = ("cpu", "memory", *sorted(others), *sorted(devices))
    rows = []
    for pool, nodes in shown:
        offers = _offers(pool, nodes, used[pool.name])
        row = (
            Cell(r, max(offers.get(r, 0) - taken.get((pool.name, r), 0), 0), None, None)
            for r in resources
        )
        rows.append(PoolCells(pool.name, tuple(row)))
    return resources, tuple(rows)


def _offers(pool: PoolCapacity, nodes: int, used: set[str]) -> dict[str, int]:
    offers = {d.resource: nodes * d.per_node for d in pool.devices if d.name in used}
    for resource, amount in pool.allocatable.items():
        unused = sum(
            (nodes * d.per_node * d.share[resource] for d in pool.devices if d.name not in used),
            Fraction(0),
        )
        offers[resource] = floor(amount * nodes - unused)
    return offers
