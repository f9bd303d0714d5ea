"""Topology levels and NUMA.

GP452 topology-wrong
    Levels are written from the widest to the narrowest, and `host`, the single node, is implied
    as the last. Each level has a name and a node label of its own, and the number of nodes in one
    domain, at least 1. Levels are a tree: every domain is made of whole domains of the next
    level, so that the nodes of a level divide those of the level before (racks of 4 make blocks
    of 4, 8 or 12 nodes, never of 6). Kueue takes at most 16 levels with `host` among them, 8
    before 0.13:

        levels:
          - {name: block, nodeLabel: example.com/block, nodes: 32}
          - {name: rack, nodeLabel: example.com/rack, nodes: 8}

    `topology.numa.nodes` is the number of NUMA nodes of one machine, from 1 to 8 (the kubelet's
    Topology Manager works with no more, unless its option max-allowable-numa-nodes is set).

GP439 topology-uneven
    The nodes of the pool do not fill all domains of a level: 18 nodes in racks of 8 are two full
    racks and one of 2. That is legal. It is counted so: `reserve` with `per: rack` counts three
    racks, and a workload that needs one rack may have 8 nodes. If the nodes stand otherwise, such
    as three racks of 6, write the size that the domains have.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt

from gpupolicy.capacity.domains import HOST
from gpupolicy.capacity.domains import domains
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import number
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.facts.versions import version_key
from gpupolicy.spec.v1alpha1.policy import Policy
from gpupolicy.spec.v1alpha1.pools import Level

_HOST_LABEL = "kubernetes.io/hostname"
# Kueue pkg/apis Topology: maxItems of spec.levels, 8 until 0.12.
_MOST_LEVELS, _MOST_LEVELS_OLD, _MORE_LEVELS_SINCE = 16, 8, (0, 13)
# kubernetes pkg/kubelet/cm/topologymanager: defaultMaxAllowableNUMANodes.
_MOST_NUMA_NODES = 8


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find levels that are named twice, out of order, or of impossible size."""
    most = _most_levels(context.policy)
    for pool in context.capacity.pools.values():
        levels = pool.spec.topology.levels
        seen: set[tuple[str, str]] = set()
        for index, level in enumerate(levels):
            yield from _one(pool, seen, index, level)
            yield from _size(pool, index)
        yield from _uneven(pool)
        if len(levels) + 1 > most:
            text = f"{number(len(levels), 'level')} and 'host' are more than the {most} Kueue takes"
            yield _wrong(pool, text, ("levels",))
        numa = pool.spec.topology.numa
        if numa is not None and not 1 <= numa.nodes <= _MOST_NUMA_NODES:
            text = f"{numa.nodes} NUMA nodes: 1 to {_MOST_NUMA_NODES} are possible"
            yield _wrong(pool, text, ("numa", "nodes"))


def _most_levels(policy: Policy) -> int:
    kueue = policy.spec.platform.kueue
    if kueue and kueue.version and version_key(kueue.version) < _MORE_LEVELS_SINCE:
        return _MOST_LEVELS_OLD
    return _MOST_LEVELS


def _one(
    pool: PoolCapacity, seen: set[tuple[str, str]], index: int, level: Level
) -> Iterator[Diagnostic]:
    """Compare a level with the names and labels of those before it, and add its own."""
    where = ("levels", index)
    if level.name == HOST:
        text = "the level 'host' is implied as the last: leave it out"
        yield _wrong(pool, text, (*where, "name"))
    elif ("name", level.name) in seen:
        yield _wrong(pool, f"two levels are called '{level.name}'", (*where, "name"))
    if level.node_label == _HOST_LABEL:
        text = f"the label {_HOST_LABEL} is that of the implied level 'host'"
        yield _wrong(pool, text, (*where, "nodeLabel"))
    elif ("label", level.node_label) in seen:
        text = f"two levels have the label '{level.node_label}'"
        yield _wrong(pool, text, (*where, "nodeLabel"))
    seen |= {("name", level.name), ("label", level.node_label)}


def _size(pool: PoolCapacity, index: int) -> Iterator[Diagnostic]:
    """Compare the size of a level with that of the level before."""
    levels = pool.spec.topology.levels
    level, wider = levels[index], levels[index - 1] if index else None
    where = ("levels", index, "nodes")
    if level.nodes < 1:
        yield _wrong(pool, f"level '{level.name}' has {level.nodes} nodes in a domain", where)
    elif wider and level.nodes > wider.nodes > 0:
        text = (
            f"level '{level.name}' with {level.nodes} nodes in a domain does not lie inside "
            f"'{wider.name}' with {wider.nodes}"
        )
        yield _wrong(pool, text, where, "write the widest level first")
    elif wider and wider.nodes > 0 and wider.nodes % level.nodes:
        text = (
            f"{wider.nodes} nodes of a '{wider.name}' are not whole '{level.name}' domains of "
            f"{level.nodes}: {wider.nodes % level.nodes} are left over"
        )
        yield _wrong(pool, text, where, _nesting(levels, index))


def _nesting(levels: list[Level], index: int) -> str:
    """Name the nearest sizes of a level, and of the one before, with which the two nest."""
    level, wider = levels[index], levels[index - 1]
    sizes = _divisors(wider.nodes)
    below = max(n for n in sizes if n < level.nodes)
    above = min(n for n in sizes if n > level.nodes)
    hint = f"'{level.name}' may have {below} or {above} nodes"
    whole = wider.nodes // level.nodes * level.nodes
    top = levels[index - 2].nodes if index > 1 else 0
    wholes = [n for n in (whole, whole + level.nodes) if top < 1 or not top % n]
    if wholes:
        hint += f", or '{wider.name}' {' or '.join(map(str, wholes))}"
    return hint


def _divisors(whole: int) -> set[int]:
    small = [n for n in range(1, isqrt(whole) + 1) if not whole % n]
    return {*small, *(whole // n for n in small)}


def _uneven(pool: PoolCapacity) -> Iterator[Diagnostic]:
    """Say how the nodes of a pool are counted that do not fill the domains of a level."""
    for index, level in enumerate(pool.spec.topology.levels):
        size, nodes = level.nodes, pool.nodes
        if pool.is_autoscaled or not 0 < size < nodes or not nodes % size:
            continue
        full = f"{number(nodes // size, 'full domain')} of '{level.name}' and one of {nodes % size}"
        yield Diagnostic(
            "GP439",
            f"pool '{pool.name}': {nodes} nodes are counted as {full}",
            (*pool.path, "topology", "levels", index, "nodes"),
            severity=Severity.NOTE,
            hint=f"{nodes // size * size} or {domains(nodes, level) * size} nodes fill them all",
            related=(Related("the nodes", (*pool.path, "nodes")),),
        )
        return


def _wrong(
    pool: PoolCapacity, text: str, where: tuple[str | int, ...], hint: str | None = None
) -> Diagnostic:
    path = (*pool.path, "topology", *where)
    return Diagnostic("GP452", f"pool '{pool.name}': {text}", path, hint=hint)
