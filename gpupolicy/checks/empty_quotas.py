"""A quota lets its tenant have something.

GP463 quota-of-nothing
    Nothing can ever be had by this quota. Its `limit` is 0; or nothing is guaranteed and nothing
    can be borrowed, since others keep all they have (`lend: 0`) or nothing is lent at all, as with
    ResourceQuota and of devices for VMs; or devices are guaranteed without any cpu or memory to
    run a pod with (`cpu: "0"`; left out, the part that goes with the devices is meant). Guarantee
    something, or take the quota out: without one the tenant may not use the pool, which is what
    this one says in a roundabout way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.scheduling import holders
from gpupolicy.capacity.tree import CellTree
from gpupolicy.capacity.tree import Node
from gpupolicy.capacity.wording import number
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import has_numbers
from gpupolicy.check_base import quota_of_nothing
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find quotas by which nothing can be had."""
    for tree in context.trees.values():
        # Without devices to guarantee, or with more guaranteed than there is, others are at fault.
        if has_numbers(tree.pool) and 0 < tree.device.cap >= tree.guaranteed:
            yield from _devices(context, tree)
    held = holders(context.policy).quota == "resourceQuota"
    for tenant in context.capacity.tenants.values():
        for line in tenant.lines:
            yield from _resources(tenant.name, line, held=held)


def _devices(context: CheckContext, tree: CellTree) -> Iterator[Diagnostic]:
    """Look at parents first: what their children cannot have follows from them."""
    reach = context.reaches[(tree.pool.name, tree.device.name)].reach
    empty: set[str] = set()
    for name, node in reversed(list(tree.nodes.items())):
        if node.guaranteed or reach[name]:
            continue
        empty.add(name)
        if node.line is None or node.tenant.parent in empty:
            continue
        if node.line.spec.limit == 0:
            text = f"'limit: 0' of tenant '{name}' on pool '{tree.pool.name}' is a quota of nothing"
            yield _nothing(node.line, "limit", text, "leave 'limit' out, or the quota")
        elif node.line.spec.limit is None:
            yield _unborrowed(context, tree, node, node.line)


def _unborrowed(context: CheckContext, tree: CellTree, node: Node, line: QuotaLine) -> Diagnostic:
    why = (
        "nothing is borrowed"
        if context.is_held(tree.device)
        else f"nobody lends any of the {number(tree.device.total, 'device')}"
    )
    text = (
        f"tenant '{node.tenant.name}' can have nothing of pool '{tree.pool.name}': 0 devices are "
        f"guaranteed, and {why}"
    )
    left = tree.device.cap - tree.guaranteed
    hint = f"{number(left, 'device')} can still be guaranteed" if left else "guarantee others less"
    key = "guaranteed" if line.spec.guaranteed is not None else "pool"
    return _nothing(line, key, text, f"{hint}, or take the quota out")


def _resources(tenant: str, line: QuotaLine, *, held: bool) -> Iterator[Diagnostic]:
    if not (line.guaranteed or held):
        return
    for key, amount in (("cpu", line.cpu), ("memory", line.memory)):
        if amount == 0 and key in line.pool.allocatable:
            what = "the quota" if line.pool.is_cpu else number(line.guaranteed, "device")
            text = (
                f"tenant '{tenant}' has {what} on pool '{line.pool.name}' without any {key} to "
                "run a pod with"
            )
            hint = f"leave '{key}' out" + ("" if line.pool.is_cpu else ": a part of it goes along")
            yield replace(_nothing(line, key, text, hint), group=None)


def _nothing(line: QuotaLine, key: str, text: str, hint: str) -> Diagnostic:
    return Diagnostic(
        "GP463",
        text,
        (*line.path, key),
        severity=Severity.WARNING,
        hint=hint,
        group=quota_of_nothing(line),
    )
