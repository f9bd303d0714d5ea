"""How far borrowing can ever take a tenant: static arithmetic, without anybody's use.

The arithmetic of Kueue's hierarchical cohorts (v0.19 pkg/cache/scheduler/resource_node.go,
`potentialAvailable`). What a tenant does not lend stays with it (its *local* part), the rest goes
up to its parent; what is guaranteed to nobody lies at the root.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.tree import CellTree
from gpupolicy.capacity.tree import Node
from gpupolicy.capacity.tree import cell_trees


class CellReach(NamedTuple):
    """The reach in one cell: devices of nobody, what each tenant lends, how far each can come.

    `kept` is what the children of a parent do not share even with each other.
    """

    spare: int
    lent: Mapping[str, int]
    kept: Mapping[str, int]
    reach: Mapping[str, int]
    # What could be reached if the tenant's own `limit` were not there.
    without_limit: Mapping[str, int]


def reach(
    capacity: Capacity, pool: str, device_name: str, *, reserve_lent: bool = True
) -> Mapping[str, int]:
    """Give the most devices that each tenant with a quota on this device can ever have.

    `reserve_lent` says whether the pool's reserve can be borrowed (`scheduling.reserve_is_lent`).
    """
    tree = cell_trees(capacity).get((pool, device_name))
    return one_reach(tree, reserve_lent=reserve_lent, held=False).reach if tree else {}


def reaches(
    capacity: Capacity, *, reserve_lent: bool = True, held: bool = False
) -> Mapping[tuple[str, str, str], int]:
    """Give the reach by (tenant, pool, device) for all cells; linear in the quota lines.

    With `held` (ResourceQuota) nothing is borrowed, and devices for VMs never are.
    """
    return {
        (tenant, pool, device): count
        for (pool, device), tree in cell_trees(capacity).items()
        for tenant, count in one_reach(tree, reserve_lent=reserve_lent, held=held).reach.items()
    }


def one_reach(tree: CellTree, *, reserve_lent: bool, held: bool) -> CellReach:
    """Work out one cell, whether it is borrowed or held."""
    if held or tree.device.sharing in ("vgpu", "passthrough"):
        return held_reach(tree)
    return cell_reach(tree, reserve_lent=reserve_lent)


def cell_reach(tree: CellTree, *, reserve_lent: bool) -> CellReach:
    """Work out one cell."""
    subtree: dict[str, int] = {}
    lent: dict[str, int] = {}
    for name, node in tree.nodes.items():
        buffer = max(node.guaranteed - node.children_guaranteed, 0)
        subtree[name] = buffer + sum(lent[child] for child in node.children)
        lent[name] = min(subtree[name], subtree[name] if node.lend is None else node.lend)
    exists = tree.device.total if reserve_lent else tree.device.cap
    spare = max(exists - tree.guaranteed, 0)
    root = spare + sum(lent[node.tenant.name] for node in tree.top_level())
    free: dict[str, int] = {}
    found: dict[str, int] = {}
    for name, node in reversed(list(tree.nodes.items())):
        parent = tree.parent(node)
        above = found[parent.tenant.name] if parent else root
        free[name] = subtree[name] - lent[name] + above
        found[name] = _limited(node, subtree[name], free[name])
    kept = {name: max(node.guaranteed - subtree[name], 0) for name, node in tree.nodes.items()}
    return CellReach(spare, lent, kept, found, free)


def _limited(node: Node, subtree: int, free: int) -> int:
    if node.limit is None:
        return free
    return min(subtree + max(node.limit - node.guaranteed, 0), free)


def held_reach(tree: CellTree) -> CellReach:
    """Work out one cell where nothing is borrowed (ResourceQuota): everybody has its guarantee."""
    held = {name: node.guaranteed for name, node in tree.nodes.items()}
    none = dict.fromkeys(held, 0)
    return CellReach(0, none, none, held, held)
