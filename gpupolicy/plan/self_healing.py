"""`platform.nvsentinel` -> which faults fence a node, and how many nodes may be fenced."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from gpupolicy.facts.catalog import Facts
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.spec.v1alpha1.platform import NvSentinel

# Of the smallest pool, where the policy says nothing.
_SHARE = Fraction(1, 10)


@dataclass(frozen=True, slots=True)
class SelfHealingPlan:
    """What fences nodes. `codes` are the XIDs that do, `pools` the pools it is done in.

    At most `most` nodes may be fenced in a day; `percent` is that as a whole part of all GPU
    nodes, which is how it is counted. `share` is the part of a pool that the policy allows.
    """

    dry_run: bool
    codes: tuple[int, ...]
    pools: tuple[str, ...]
    share: Fraction
    most: int
    percent: int
    gpu_nodes: int
    smallest: str
    smallest_nodes: int


def lower_self_healing(
    written: NvSentinel | None, pools: tuple[PoolPlan, ...], facts: Facts
) -> SelfHealingPlan | None:
    """Decide it; None where it is not installed, or no pool has nodes that it watches."""
    watched = [pool for pool in pools if pool.gpu and pool.gpu.nvidia and _fewest(pool)]
    if written is None or not watched:
        return None
    share = written.max_isolated.fraction if written.max_isolated else _SHARE
    smallest = min(watched, key=_fewest)
    nodes = sum(map(_fewest, watched))
    most = max(1, floor(share * _fewest(smallest)))
    # It stops at the first node that reaches the part, so the part is rounded down.
    percent = max(1, floor(Fraction(100 * most, nodes)))
    return SelfHealingPlan(
        dry_run=written.dry_run,
        codes=tuple(xid.code for xid in facts.xids() if xid.isolate),
        pools=tuple(pool.name for pool in watched),
        share=share,
        most=-(-percent * nodes // 100),
        percent=min(percent, 100),
        gpu_nodes=nodes,
        smallest=smallest.name,
        smallest_nodes=_fewest(smallest),
    )


def _fewest(pool: PoolPlan) -> int:
    """Count the nodes that are there at least; a pool that may shrink to none counts as one."""
    return max(pool.min_nodes, 1) if pool.autoscaled else pool.nodes
