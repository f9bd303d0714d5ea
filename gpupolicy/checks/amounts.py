"""The numbers of a quota make sense by themselves.

GP424 share-rounds-to-zero
    A percentage is of what can be guaranteed, rounded down to whole devices, and this one is less
    than one device. A share of nothing is never meant. Write at least the percentage that the
    hint names, or a number; `guaranteed: 0` says that a tenant lives on what it borrows.

GP425 fraction-of-device
    Devices are counted in whole numbers: Kubernetes takes no fraction of an extended resource. To
    give less than a GPU, share it: `sharing: {mig: ...}` cuts slices with memory of their own,
    `mps: 4` and `timeSlicing: 4` make replicas, and quotas count slices or replicas then.

GP426 limit-below-guarantee
    `limit` is the ceiling of everything the tenant may have, borrowed devices included, so it is
    at least what is guaranteed. The same for a parent and what its children are guaranteed.

GP427 lend-above-guarantee
    `lend` says how much of its guarantee a tenant lends while it is idle; it cannot lend more
    than it has. Left out, it lends all.

GP429 cpu-pool-quota
    A CPU pool has no devices: a quota there says `cpu` and `memory`, and nothing else. Other
    resources of the pool go with the cpu.

GP430 resource-not-counted
    The quota says `cpu` or `memory`, and the pool's `allocatable` does not: without it nobody
    knows what a node has, so that resource is not limited on this pool. Write what pods may
    request on one node, `allocatable: {cpu: "120", memory: 900Gi}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.tree import CellTree
from gpupolicy.capacity.tree import Node
from gpupolicy.capacity.wording import number
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import few
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.spec.v1alpha1.number_types import Percent

_AMOUNTS = ("guaranteed", "limit", "lend")


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check every quota line, and every tenant's numbers on a device against each other."""
    for tenant in context.capacity.tenants.values():
        for line in tenant.lines:
            yield from (
                _cpu_line(tenant.name, line) if line.pool.is_cpu else _line(tenant.name, line)
            )
            yield from _not_counted(tenant.name, line)
    for tree in context.trees.values():
        for node in tree.nodes.values():
            if node.line is not None:
                yield from _order(node, node.line, tree)


def _line(tenant: str, line: QuotaLine) -> Iterator[Diagnostic]:
    for key in _AMOUNTS:
        written = getattr(line.spec, key)
        if isinstance(written, Percent):
            yield from _share(tenant, line, key, written)
        elif isinstance(written, Fraction):
            yield from _fraction(tenant, line, key, written)


def _share(tenant: str, line: QuotaLine, key: str, written: Percent) -> Iterator[Diagnostic]:
    device = line.device
    if device is None or getattr(line, key) or not device.cap:
        return
    least = Fraction(100, device.cap)
    shown = ceil(least * 10) / 10
    yield Diagnostic(
        "GP424",
        f"{key} {written.text} of tenant '{tenant}' is less than one of the "
        f"{number(device.cap, 'device')} that can be guaranteed on pool '{line.pool.name}'",
        (*line.path, key),
        hint=f"one device is {shown:g}%" + (", or write 0" if not written.fraction else ""),
    )


def _fraction(tenant: str, line: QuotaLine, key: str, written: Fraction) -> Iterator[Diagnostic]:
    if line.device is None or line.device.sharing == "fractions":
        return
    yield Diagnostic(
        "GP425",
        f"{key} {float(written):g} of tenant '{tenant}' on pool '{line.pool.name}' is not a whole "
        "number of devices",
        (*line.path, key),
        hint="to give less than a GPU, share it: by 'mig', 'mps' or 'timeSlicing' in the pool's "
        "'sharing'; quotas count slices and replicas then",
    )


def _cpu_line(tenant: str, line: QuotaLine) -> Iterator[Diagnostic]:
    if line.pool.spec.gpus_per_node is not None:
        return  # The pool lacks its `gpu`, which is said there.
    for key in ("device", *_AMOUNTS):
        if getattr(line.spec, key) is not None:
            yield Diagnostic(
                "GP429",
                f"pool '{line.pool.name}' has no GPUs, so the quota of tenant '{tenant}' there has "
                f"no '{key}'",
                (*line.path, key),
                part="key",
                hint="write 'cpu' and 'memory'",
            )


def _not_counted(tenant: str, line: QuotaLine) -> Iterator[Diagnostic]:
    for key, amount in (("cpu", line.cpu), ("memory", line.memory)):
        if amount is not None and key not in line.pool.allocatable:
            yield Diagnostic(
                "GP430",
                f"{key} of tenant '{tenant}' is not counted on pool '{line.pool.name}': its "
                f"'allocatable' does not say how much {key} a node has",
                (*line.path, key),
                hint=f"add '{key}' to the pool's 'allocatable'",
                related=(Related(f"pool '{line.pool.name}'", (*line.pool.path, "name")),),
            )


def _order(node: Node, line: QuotaLine, tree: CellTree) -> Iterator[Diagnostic]:
    below = () if node.writes_guarantee else _children(node, tree)
    what = "guaranteed" if not below else "what its children are guaranteed,"
    for code, key, amount, bad in (
        ("GP426", "limit", node.limit, node.limit is not None and node.limit < node.guaranteed),
        ("GP427", "lend", node.lend, node.lend is not None and node.lend > node.guaranteed),
    ):
        if not bad or isinstance(getattr(line.spec, key), Fraction):
            continue
        sign = "<" if key == "limit" else ">"
        most = "at least" if key == "limit" else "at most"
        yield Diagnostic(
            code,
            f"{key} {amount} {sign} {what} {node.guaranteed} of tenant '{node.tenant.name}' on "
            f"pool '{tree.pool.name}'",
            (*line.path, key),
            hint=f"write {most} 'limit: {node.guaranteed}'"
            if key == "limit"
            else f"write {most} 'lend: {node.guaranteed}', or leave it out to lend all",
            related=_places(line, below),
        )


def _children(node: Node, tree: CellTree) -> tuple[Node, ...]:
    return tuple(tree.nodes[name] for name in node.children)


def _places(line: QuotaLine, below: tuple[Node, ...]) -> tuple[Related, ...]:
    if not below:
        if line.spec.guaranteed is None:
            return ()
        return (Related("guaranteed here", (*line.path, "guaranteed")),)
    return few(
        Related(
            f"'{child.tenant.name}' is guaranteed {child.guaranteed}",
            (*child.line.path, "guaranteed") if child.line else child.tenant.path,
        )
        for child in below
        if child.guaranteed
    )
