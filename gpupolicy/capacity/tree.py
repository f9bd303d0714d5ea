"""Budgets: who guarantees how much of one device to whom, down the tree of tenants.

A *cell* is one device of one pool. In every cell a tenant is a node; a parent is one too, with or
without a quota line of its own: without one its guarantee is the sum of its children's.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity


class Node(NamedTuple):
    """A tenant in one cell. Numbers are devices; None is "not limited"."""

    tenant: TenantCapacity
    line: QuotaLine | None
    # What it guarantees: its own number, or for a parent that writes none its children's sum.
    guaranteed: int
    children: tuple[str, ...]
    children_guaranteed: int
    limit: int | None
    lend: int | None

    @property
    def writes_guarantee(self) -> bool:
        """Tell whether the number is the tenant's own, not a sum."""
        return self.line is not None and self.line.spec.guaranteed is not None


class CellTree(NamedTuple):
    """All tenants that have to do with one device of one pool, children before their parents."""

    pool: PoolCapacity
    device: Device
    nodes: Mapping[str, Node]

    def top_level(self) -> Iterator[Node]:
        """Give the nodes whose guarantees are summed against the pool, in the order written.

        A tenant whose parent does not exist is not among them: it has part in some budget.
        """
        return (node for node in self.nodes.values() if node.tenant.parent is None)

    def parent(self, node: Node) -> Node | None:
        """Give the node above."""
        return self.nodes.get(node.tenant.parent) if node.tenant.parent is not None else None

    @property
    def guaranteed(self) -> int:
        """Sum what is guaranteed at the top."""
        return sum(node.guaranteed for node in self.top_level())


def children_first(capacity: Capacity) -> Iterator[TenantCapacity]:
    """Give the tenants of the tree from the leaves up; those in a cycle are left out.

    A tenant whose parent does not exist stands at the top.
    """
    roots = [t for t in capacity.tenants.values() if t.parent not in capacity.tenants]
    stack = [(tenant, False) for tenant in reversed(roots)]
    while stack:
        tenant, done = stack.pop()
        if done or not tenant.children:
            yield tenant
            continue
        stack.append((tenant, True))
        below = (capacity.tenants[name] for name in reversed(dict.fromkeys(tenant.children)))
        # Of two tenants with one name the first counts, whatever parent the other has.
        stack.extend((child, False) for child in below if child.parent == tenant.name)


def cell_trees(capacity: Capacity) -> Mapping[tuple[str, str], CellTree]:
    """Build the tree of every cell on which somebody has a quota; linear in the quota lines."""
    cells: dict[tuple[str, str], dict[str, Node]] = {}
    below: dict[str, dict[tuple[str, str], list[Node]]] = {}
    offers: dict[tuple[str, str], tuple[PoolCapacity, Device]] = {}
    for tenant in children_first(capacity):
        own: dict[tuple[str, str], QuotaLine] = {}
        for line in tenant.lines:
            if line.device is not None:
                key = (line.pool.name, line.device.name)
                own.setdefault(key, line)
                offers.setdefault(key, (line.pool, line.device))
        children = below.pop(tenant.name, {})
        for key in dict.fromkeys(chain(own, children)):
            node = _node(tenant, own.get(key), children.get(key, []))
            cells.setdefault(key, {})[tenant.name] = node
            if tenant.parent in capacity.tenants:
                below.setdefault(tenant.parent or "", {}).setdefault(key, []).append(node)
    return {key: CellTree(*offers[key], nodes) for key, nodes in cells.items()}


def _node(tenant: TenantCapacity, line: QuotaLine | None, children: list[Node]) -> Node:
    together = sum(child.guaranteed for child in children)
    written = line is not None and line.spec.guaranteed is not None
    return Node(
        tenant=tenant,
        line=line,
        guaranteed=line.guaranteed if line and written else together,
        children=tuple(child.tenant.name for child in children),
        children_guaranteed=together,
        limit=line.limit if line else None,
        lend=line.lend if line else None,
    )
