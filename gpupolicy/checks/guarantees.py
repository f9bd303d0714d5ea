"""What is guaranteed exists: in the pool, and in the budget of the parent.

GP431 guarantee-over-capacity
    The guarantees of all top-level tenants together are more than the pool has, less the nodes
    of its `reserve`. Queueing systems do not notice: work is let in and its pods wait for ever.
    Only top-level tenants count, since children share their parent's guarantee; an autoscaled
    pool counts at its maximum. Lower a guarantee, or let the tenant borrow: `guaranteed: 4,
    limit: 12`. Using up the pool exactly is legal.

GP432 budget-exceeded
    The children of a tenant are guaranteed more than the tenant itself. A parent's guarantee is a
    budget that its children split; if the parent writes none, it is the sum of theirs.

GP435 nothing-to-borrow
    All devices of the pool are guaranteed to somebody. That is legal; it only means that nobody
    can borrow while everybody uses what is theirs.

GP436 guarantee-beyond-min
    More is guaranteed than the pool has at its least number of nodes. Up to `min` a guarantee
    holds at once, beyond it only after the autoscaler has found nodes.

GP437 guarantee-on-spot
    Spot nodes can be taken away at any time, so a guarantee there holds only while they are left.
    Guarantee on other pools and borrow here: `guaranteed: 0, limit: 12`.

GP466 budget-not-reclaimed
    The parent is guaranteed more than its children together, a buffer that they borrow first.
    Kueue before 0.13 holds such a buffer at a cohort and takes it back from nobody, so that this
    part of the guarantee does not hold. Divide it among the children, or upgrade Kueue.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence

from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.scheduling import holders
from gpupolicy.capacity.tree import CellTree
from gpupolicy.capacity.tree import Node
from gpupolicy.capacity.wording import addends
from gpupolicy.capacity.wording import number
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import few
from gpupolicy.check_base import has_numbers
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Add up guarantees, for every device of every pool."""
    reclaims = _reclaims_buffers(context)
    for tree in context.trees.values():
        if not has_numbers(tree.pool):
            continue
        for node in tree.nodes.values():
            if node.children and node.writes_guarantee:
                yield from _budget(node, tree)
                if not reclaims:
                    yield from _buffer(node, tree)
        if _is_all_reserved(tree.pool):
            continue  # An error of its own, of which the rest follows.
        if tree.guaranteed > tree.device.cap:
            yield _over_capacity(tree)
        else:
            yield from _weak(tree)
            yield from _full(context, tree)


def _is_all_reserved(pool: PoolCapacity) -> bool:
    return 0 < pool.nodes <= pool.reserve


def _what(pool: PoolCapacity, device: Device) -> str:
    """Name the devices of a pool: the kind only where there are several."""
    return (
        f"pool '{pool.name}'"
        if len(pool.devices) == 1
        else f"'{device.name}' of pool '{pool.name}'"
    )


def _place(node: Node) -> Path:
    """Find where a node's guarantee is written."""
    if node.line is None:
        return (*node.tenant.path, "name")
    return (*node.line.path, "guaranteed") if node.writes_guarantee else node.line.path


def _over_capacity(tree: CellTree) -> Diagnostic:
    pool, cap, total = tree.pool, tree.device.cap, tree.guaranteed
    nodes = [node for node in tree.top_level() if node.guaranteed]
    last = _crossing(nodes, cap)
    return Diagnostic(
        "GP431",
        f"guaranteed {total} > capacity {cap} of {_what(pool, tree.device)}, over by {total - cap}"
        ": " + addends([(node.tenant.name, node.guaranteed) for node in nodes], "devices"),
        _place(last),
        hint=_less(last, last.guaranteed - (total - cap), total - cap),
        related=(_capacity_from(pool, tree.device), *_contributors(nodes)),
    )


def _crossing(nodes: Sequence[Node], limit: int) -> Node:
    """Find the node with which the sum passes the limit."""
    running = 0
    for node in nodes:
        running += node.guaranteed
        if running > limit:
            return node
    return nodes[-1]


def _less(node: Node, left: int, over: int) -> str:
    if left >= 0 and node.writes_guarantee:
        return f"'guaranteed: {left}' fits here, and a 'limit' above it lets the tenant borrow"
    return f"take {number(over, 'device')} from these guarantees; a 'limit' lets a tenant borrow"


def _capacity_from(pool: PoolCapacity, device: Device) -> Related:
    each = f"{device.per_node} on each node" if device.per_node != 1 else "1 on each node"
    text = f"capacity {device.cap}: {number(pool.nodes, 'node')}"
    if pool.is_autoscaled:
        text += " at most"
    if pool.reserve:
        text += f", less {pool.reserve} in reserve"
    return Related(f"{text}, {each}", (*pool.path, "nodes"))


def _contributors(nodes: Sequence[Node]) -> tuple[Related, ...]:
    return few(
        Related(
            f"'{node.tenant.name}' is guaranteed {node.guaranteed}"
            + (" (the sum of its children)" if node.children and not node.writes_guarantee else ""),
            _place(node),
        )
        for node in nodes
    )


def _budget(node: Node, tree: CellTree) -> Iterator[Diagnostic]:
    over = node.children_guaranteed - node.guaranteed
    if over <= 0:
        return
    children = [tree.nodes[name] for name in node.children if tree.nodes[name].guaranteed]
    last = _crossing(children, node.guaranteed)
    name = node.tenant.name
    yield Diagnostic(
        "GP432",
        f"the children of tenant '{name}' are guaranteed {node.children_guaranteed} > its own "
        f"{node.guaranteed} on {_what(tree.pool, tree.device)}, over by {over}",
        _place(last),
        hint=_less(last, last.guaranteed - over, over),
        related=(
            Related(f"the budget of '{name}' is {node.guaranteed}", _place(node)),
            *_contributors(children),
        ),
    )


def _reclaims_buffers(context: CheckContext) -> bool:
    """Tell whether what a parent keeps above its children can be taken back."""
    kueue = context.policy.spec.platform.kueue
    if kueue is None or kueue.version is None or holders(context.policy).quota != "kueue":
        return True
    line = context.facts.component("kueue").resolve(kueue.version).line
    return bool(line.values["nestedReclaim"])


def _buffer(node: Node, tree: CellTree) -> Iterator[Diagnostic]:
    buffer = node.guaranteed - node.children_guaranteed
    if buffer > 0:
        yield Diagnostic(
            "GP466",
            f"tenant '{node.tenant.name}' is guaranteed {buffer} more than its children on "
            f"{_what(tree.pool, tree.device)}, and this Kueue takes that back from nobody",
            _place(node),
            severity=Severity.WARNING,
            hint="divide it among the children, or upgrade Kueue to 0.13 or newer",
        )


def _weak(tree: CellTree) -> Iterator[Diagnostic]:
    """Warn of guarantees on nodes that may not be there."""
    pool, total = tree.pool, tree.guaranteed
    if not total:
        return
    nodes = [node for node in tree.top_level() if node.guaranteed]
    least = pool.min_nodes * tree.device.per_node
    if pool.spec.nodes.spot:
        yield Diagnostic(
            "GP437",
            f"guaranteed {total} on {_what(pool, tree.device)}, whose nodes can be taken away",
            (*pool.path, "nodes", "spot"),
            severity=Severity.WARNING,
            hint="write 'guaranteed: 0' there, and what the tenant may borrow as 'limit'",
            related=_contributors(nodes),
        )
    elif total > least:
        yield Diagnostic(
            "GP436",
            f"guaranteed {total} > {least} of {_what(pool, tree.device)} at its least of "
            f"{number(pool.min_nodes, 'node')}",
            (*pool.path, "nodes", "min"),
            severity=Severity.WARNING,
            hint=f"'min: {-(-total // tree.device.per_node)}' holds all guarantees at once",
            related=_contributors(nodes),
        )


def _full(context: CheckContext, tree: CellTree) -> Iterator[Diagnostic]:
    reach = context.reaches[(tree.pool.name, tree.device.name)]
    tenants = [node for node in tree.nodes.values() if not node.children]
    hopes = any(node.limit is None or node.limit > node.guaranteed for node in tenants)
    if reach.spare or not tree.guaranteed or len(tenants) < 2 or not hopes:
        return
    if context.is_held(tree.device):
        return
    yield Diagnostic(
        "GP435",
        f"all {tree.guaranteed} devices of {_what(tree.pool, tree.device)} are guaranteed: nobody "
        "can borrow while everybody uses what is theirs",
        (*tree.pool.path, "name"),
        severity=Severity.NOTE,
    )
