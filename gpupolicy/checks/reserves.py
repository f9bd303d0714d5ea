"""`reserve`: nodes that may be lost while every guarantee still holds.

GP450 reserve-too-large
    The reserve takes all nodes of the pool or more, so that nothing could be guaranteed, or it is
    negative. With `per` it counts for every domain of the level: 2 per rack in 4 racks are 8
    nodes. Write fewer, or leave the reserve out.

GP451 reserve-level-unknown
    `per` names a level that the pool's `topology.levels` does not have, or `host`, which would be
    a reserve of every single node. Without `per` the number counts for the whole pool.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.domains import domains
from gpupolicy.capacity.domains import level_of
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import number
from gpupolicy.capacity.wording import quoted
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import nearest
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.spec.v1alpha1.pools import Reserve


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find reserves that leave nothing, and levels that do not exist."""
    for pool in context.capacity.pools.values():
        reserve = pool.spec.reserve
        if reserve is None:
            continue
        levels = [level.name for level in pool.spec.topology.levels]
        if reserve.per is not None and reserve.per not in levels:
            yield _level(pool, reserve.per, levels)
        elif reserve.nodes < 0:
            message = f"pool '{pool.name}': a reserve of {reserve.nodes} nodes is negative"
            path = (*pool.path, "reserve", "nodes")
            yield Diagnostic("GP450", message, path, hint="write from 1, or leave 'reserve' out")
        elif pool.nodes > 0 and reserve.nodes * _domains(pool) >= pool.nodes:
            yield _too_large(pool, reserve)


def _domains(pool: PoolCapacity) -> int:
    per = pool.spec.reserve.per if pool.spec.reserve else None
    return domains(pool.nodes, level_of(pool.spec, per))


def _too_large(pool: PoolCapacity, reserve: Reserve) -> Diagnostic:
    count = _domains(pool)
    if reserve.per is None:
        what = f"a reserve of {number(reserve.nodes, 'node')}"
    else:
        total = reserve.nodes * count
        what = (
            f"a reserve of {reserve.nodes} in each of {number(count, 'domain')} of "
            f"'{reserve.per}', {number(total, 'node')},"
        )
    most = (pool.nodes - 1) // count
    return Diagnostic(
        "GP450",
        f"pool '{pool.name}': {what} leaves nothing of {number(pool.nodes, 'node')}",
        (*pool.path, "reserve", "nodes"),
        hint=f"at most {most}" if most else "leave 'reserve' out",
    )


def _level(pool: PoolCapacity, per: str, levels: list[str]) -> Diagnostic:
    path = (*pool.path, "reserve", "per")
    if per == "host":
        message = f"pool '{pool.name}': a reserve per 'host' would take every node"
        return Diagnostic("GP451", message, path, hint="leave 'per' out, or name a wider level")
    near = nearest(per, levels)
    known = f"levels are {quoted(levels)}" if levels else "the pool has no topology.levels"
    return Diagnostic(
        "GP451",
        f"pool '{pool.name}' has no topology level '{per}'",
        path,
        hint=f"did you mean '{near}'?" if near else known,
    )
