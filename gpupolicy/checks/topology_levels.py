"""Topology levels and NUMA.

GP452 topology-wrong
    Levels are written from the widest to the narrowest, and `host`, the single node, is implied
    as the last. Each level has a name and a node label of its own, and the number of nodes in one
    domain, at least 1 and never larger than that of the level before. Kueue takes at most 16
    levels with `host` among them, 8 before 0.13:

        levels:
          - {name: block, nodeLabel: example.com/block, nodes: 32}
          - {name: rack, nodeLabel: example.com/rack, nodes: 8}

    `topology.numa.nodes` is the number of NUMA nodes of one machine, from 1 to 8 (the kubelet's
    Topology Manager works with no more, unless its option max-allowable-numa-nodes is set).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import number
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.facts.versions import version_key
from gpupolicy.spec.v1alpha1.policy import Policy
from gpupolicy.spec.v1alpha1.pools import Level

_HOST = "host"
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
            yield from _size(pool, levels[index - 1] if index else None, level, index)
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
    if level.name == _HOST:
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


def _size(
    pool: PoolCapacity, wider: Level | None, level: Level, index: int
) -> Iterator[Diagnostic]:
    where = ("levels", index, "nodes")
    if level.nodes < 1:
        yield _wrong(pool, f"level '{level.name}' has {level.nodes} nodes in a domain", where)
    elif wider and level.nodes > wider.nodes:
        text = (
            f"level '{level.name}' with {level.nodes} nodes in a domain does not lie inside "
            f"'{wider.name}' with {wider.nodes}"
        )
        yield _wrong(pool, text, where, "write the widest level first")


def _wrong(
    pool: PoolCapacity, text: str, where: tuple[str | int, ...], hint: str | None = None
) -> Diagnostic:
    path = (*pool.path, "topology", *where)
    return Diagnostic("GP452", f"pool '{pool.name}': {text}", path, hint=hint)
