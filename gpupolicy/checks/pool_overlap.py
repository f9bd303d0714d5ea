"""A node belongs to one pool.

GP447 pools-overlap
    A node could be in both pools, and would then get two pool labels and two configurations in
    turn. A pool finds its nodes by `names`, by `selector`, or by its GPU model if no other pool
    has that model. Two pools of one model are told apart by names, or by selectors of one key
    with different values:

        - {name: whole, gpu: A100-SXM4-80GB, gpusPerNode: 8,
           nodes: {count: 2, selector: {example.com/pool: whole}}}
        - {name: cut, gpu: A100-SXM4-80GB, gpusPerNode: 8, sharing: {mig: all-1g.10gb},
           nodes: {count: 2, selector: {example.com/pool: cut}}}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from itertools import combinations

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import quoted
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related

Pair = tuple[PoolCapacity, PoolCapacity]
# Beyond so many labels a selector is compared as it is, not by its parts.
_FEW_LABELS = 6


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find pools that one node could be in; each pool is reported with the first that it meets."""
    order = {name: index for index, name in enumerate(context.capacity.pools)}
    pools = list(context.capacity.pools.values())
    met: dict[str, tuple[PoolCapacity, str]] = {}
    pairs = [(pair, "names") for pair in _by_names(pools)]
    pairs += [(pair, "") for group in _hardware(pools) for pair in _meeting(group)]
    pairs += [(pair, "") for pair in _by_selectors(pools)]
    for (one, two), why in pairs:
        first, second = sorted((one, two), key=lambda pool: order[pool.name])
        known = met.get(second.name)
        if known is None or order[first.name] < order[known[0].name]:
            met[second.name] = (first, why)
    for name in sorted(met, key=lambda name: order[name]):
        first, why = met[name]
        second = context.capacity.pools[name]
        yield _same_names(first, second) if why else _overlap(first, second)


def _by_names(pools: Sequence[PoolCapacity]) -> Iterator[Pair]:
    owner: dict[str, PoolCapacity] = {}
    for pool in pools:
        for node in pool.spec.nodes.names or ():
            if owner.setdefault(node, pool) is not pool:
                yield owner[node], pool


def _hardware(pools: Sequence[PoolCapacity]) -> Iterable[list[PoolCapacity]]:
    """Group the pools whose nodes cannot be told apart by what is in them."""
    groups: dict[tuple[str, str], list[PoolCapacity]] = {}
    for pool in pools:
        for key in _keys(pool):
            groups.setdefault(key, []).append(pool)
    return groups.values()


def _keys(pool: PoolCapacity) -> Iterator[tuple[str, str]]:
    model = pool.gpu.model if pool.gpu else None
    if model is not None:
        for model_id in model.merged_from or (model.id,):
            yield ("model", model_id)
    elif pool.spec.nodes.names or pool.spec.nodes.selector:
        # Without them it is an error of its own, and would meet everything.
        if pool.is_cpu:
            yield ("cpu", "")
        elif pool.gpu is not None:
            yield (pool.gpu.resource, pool.gpu.name.lower())


def _meeting(group: list[PoolCapacity]) -> Iterator[Pair]:
    """Find pairs of equal hardware that names and selectors do not keep apart."""
    counts = Counter(key for pool in group for key in pool.spec.nodes.selector)
    key = max(counts, key=lambda key: counts[key], default="")
    buckets: dict[str | None, list[PoolCapacity]] = {}
    for pool in group:
        buckets.setdefault(pool.spec.nodes.selector.get(key), []).append(pool)
    for value, bucket in buckets.items():
        # Those without the label can meet every pool of the group.
        yield from _first_meetings(bucket, group if value is None else bucket)


def _first_meetings(pools: list[PoolCapacity], others: list[PoolCapacity]) -> Iterator[Pair]:
    """Give for each pool the first other that it meets; two lists of names were compared before."""
    unnamed = [pool for pool in others if not pool.spec.nodes.names]
    for pool in pools:
        against = unnamed if pool.spec.nodes.names else others
        meeting = (other for other in against if other is not pool and _could_share(other, pool))
        other = next(meeting, None)
        if other is not None:
            yield other, pool


def _could_share(first: PoolCapacity, second: PoolCapacity) -> bool:
    one, two = first.spec.nodes, second.spec.nodes
    if one.names and two.names:
        return False
    return not any(two.selector.get(key, value) != value for key, value in one.selector.items())


def _by_selectors(pools: Sequence[PoolCapacity]) -> Iterator[Pair]:
    """Find selectors that take in all nodes of another pool, whatever the hardware."""
    chosen = [pool for pool in pools if pool.spec.nodes.selector and not pool.spec.nodes.names]
    owners: dict[frozenset[tuple[str, str]], PoolCapacity] = {}
    for pool in chosen:
        first = owners.setdefault(frozenset(pool.spec.nodes.selector.items()), pool)
        if first is not pool:
            yield first, pool
    for pool in chosen:
        items = sorted(pool.spec.nodes.selector.items())
        for size in range(1, len(items) if len(items) <= _FEW_LABELS else 2):
            for part in combinations(items, size):
                wider = owners.get(frozenset(part))
                if wider is not None:
                    yield wider, pool


def _same_names(first: PoolCapacity, second: PoolCapacity) -> Diagnostic:
    names = set(first.spec.nodes.names or ())
    shared = sorted(names.intersection(second.spec.nodes.names or ()))
    more = f" and {len(shared) - 3} more" if len(shared) > 3 else ""
    plural = "s" if len(shared) > 1 else ""
    return Diagnostic(
        "GP447",
        f"pools '{first.name}' and '{second.name}' both name the node{plural} "
        f"{quoted(shared[:3])}{more}",
        _place(second),
        hint="a node is in one pool: take the name out of one of the lists",
        related=(_related(first),),
    )


def _overlap(first: PoolCapacity, second: PoolCapacity) -> Diagnostic:
    return Diagnostic(
        "GP447",
        f"a node could be in both pools, '{first.name}' and '{second.name}': {_why(first, second)}",
        _place(second),
        hint="give both pools 'names', or selectors of one label with different values, such as "
        f"nodes: {{count: {second.nodes}, selector: {{example.com/pool: {second.name}}}}}",
        related=(_related(first),),
    )


def _why(first: PoolCapacity, second: PoolCapacity) -> str:
    if first.spec.nodes.selector and second.spec.nodes.selector:
        return "their selectors can match the same node"
    both = "both are CPU pools" if first.is_cpu else f"both have {second.gpu and second.gpu.name}"
    loose = [
        pool.name
        for pool in (first, second)
        if not (pool.spec.nodes.names or pool.spec.nodes.selector)
    ]
    if loose:
        find = "find" if len(loose) > 1 else "finds"
        return f"{both}, and {quoted(loose)} {find} nodes by the model alone"
    return f"{both}, and names and a selector cannot be compared"


def _place(pool: PoolCapacity) -> Path:
    nodes = pool.spec.nodes
    key = "names" if nodes.names else "selector" if nodes.selector else None
    return (*pool.path, "nodes", key) if key else (*pool.path, "gpu")


def _related(pool: PoolCapacity) -> Related:
    return Related(f"pool '{pool.name}' finds its nodes by this", _place(pool))
