"""MIG layouts: can one be built, why not, and which near it can.

The search itself is in `geometry`; its public names are given out here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpupolicy.capacity.geometry import Layout
from gpupolicy.capacity.geometry import feasible
from gpupolicy.capacity.geometry import feasible_layouts
from gpupolicy.capacity.geometry import large_first
from gpupolicy.capacity.geometry import limits
from gpupolicy.capacity.geometry import max_count
from gpupolicy.capacity.geometry import maximal_layouts
from gpupolicy.capacity.geometry import place
from gpupolicy.facts.model import MigFacts
from gpupolicy.facts.model import MigProfile

__all__ = [
    "Layout",
    "explain_limits",
    "feasible",
    "feasible_layouts",
    "max_count",
    "maximal_layouts",
    "nearest",
    "nearest_profile",
    "place",
    "smallest_conflict",
]

# What the other limits follow from: said alone where it is exceeded.
_SLICES = ("compute slices", "memory slices")
_NAME = re.compile(r"(?:[1-7]c\.)?(?P<slices>[1-7])g\.(?P<memory>\d+)gb(?P<attributes>\S*)")


def smallest_conflict(mig: MigFacts, layout: Layout) -> dict[str, int]:
    """Return the fewest instances of the layout that cannot be built together.

    Every part of the result can be built. Of several results of one size it is the one with the
    larger profiles. Empty if the layout can be built.
    """
    if feasible(mig, layout):
        return {}
    order = [p.name for p in large_first(mig) if layout.get(p.name)]
    level: list[tuple[int, ...]] = [(0,) * len(order)]
    while True:
        larger = dict.fromkeys(more for each in level for more in _one_more(each, order, layout))
        for counts in larger:
            if not feasible(mig, dict(zip(order, counts, strict=True))):
                return {name: n for name, n in zip(order, counts, strict=True) if n}
        level = list(larger)


def nearest(mig: MigFacts, layout: Layout, limit: int = 3) -> tuple[dict[str, int], ...]:
    """Return the layouts nearest to one that cannot be built, best first; all can be built.

    Near is what keeps the most of what was asked, in compute slices, then in memory slices, then
    in large instances. For one set of kept instances there is one suggestion: the one that best
    replaces what was lost by instances of the same size, then brings the fewest new profiles,
    then has the number of instances nearest to the one asked, then uses the most slices.
    Suggestions leave no room for another instance of the profiles they are made from: the ones
    asked for and the basic one of each size, or all of the model if an attribute was asked for.
    A layout that can be built is its own nearest.
    """
    if feasible(mig, layout):
        return ({name: n for name, n in layout.items() if n},)
    order = _candidates(mig, layout)
    best: dict[tuple[int, ...], tuple[tuple[object, ...], dict[str, int]]] = {}
    for candidate in maximal_layouts(mig, order):
        kept = tuple(min(candidate.get(p.name, 0), layout.get(p.name, 0)) for p in order)
        rank = _rank(order, candidate, layout)
        if kept not in best or rank < best[kept][0]:
            best[kept] = (rank, candidate)
    ranked = sorted(best, key=lambda kept: (_lost(order, kept, layout), [-n for n in kept]))
    return tuple(best[kept][1] for kept in ranked[:limit])


def explain_limits(mig: MigFacts, layout: Layout) -> str:
    """Say why the layout cannot be built: "they need 8 of 7 compute slices". Empty if it can."""
    if feasible(mig, layout):
        return ""
    over = {
        what: f"{used} of {total} {what}"
        for what, used, total in limits(mig, layout)
        if used > total
    }
    needed = [text for what, text in over.items() if what in _SLICES] or list(over.values())
    if over and "memory slices" not in over:
        return f"they need {' and '.join(needed)}"
    asked = [p for p in large_first(mig) if layout.get(p.name)]
    shapes = ", ".join(_shape(mig, profile) for profile in asked)
    return f"they need {' and '.join(needed)}: {shapes}" if over else f"no free place: {shapes}"


def nearest_profile(mig: MigFacts, name: str) -> str | None:
    """Return the model's profile that an unknown profile name most likely means.

    The one with as many compute slices, then the same attribute, then the nearest memory size:
    profile names differ from card to card in the memory alone. None if the text is no profile
    name or the model has no profiles.
    """
    asked = _NAME.fullmatch(name.strip().lower())
    if asked is None or not mig.profiles:
        return None
    return min(mig.profiles, key=lambda profile: _apart(asked, profile)).name


def _one_more(
    counts: tuple[int, ...], order: list[str], layout: Layout
) -> Iterable[tuple[int, ...]]:
    for index, name in enumerate(order):
        if counts[index] < layout[name]:
            yield (*counts[:index], counts[index] + 1, *counts[index + 1 :])


def _candidates(mig: MigFacts, layout: Layout) -> list[MigProfile]:
    """Return the profiles that suggestions are made from, large ones first."""
    order = large_first(mig)
    if not all(name.endswith("gb") for name, count in layout.items() if count):
        return order
    basic = {p.compute_slices: p.name for p in order if p.name.endswith("gb")}
    return [p for p in order if layout.get(p.name) or basic.get(p.compute_slices) == p.name]


def _rank(order: list[MigProfile], candidate: Layout, layout: Layout) -> tuple[object, ...]:
    new = sum(1 for name in candidate if not layout.get(name))
    apart = abs(sum(candidate.values()) - sum(layout.values()))
    compute = sum(p.compute_slices * candidate.get(p.name, 0) for p in order)
    memory = sum(p.memory_slices * candidate.get(p.name, 0) for p in order)
    counts = [-candidate.get(p.name, 0) for p in order]
    return (-_same_size(order, candidate, layout), new, apart, -compute, -memory, counts)


def _same_size(order: list[MigProfile], candidate: Layout, layout: Layout) -> int:
    """Count the asked instances that the candidate has in the same size, attributes aside."""
    sizes = {(p.compute_slices, p.memory_slices) for p in order}
    pairs = [
        (
            sum(candidate.get(p.name, 0) for p in order if _size(p) == size),
            sum(layout.get(p.name, 0) for p in order if _size(p) == size),
        )
        for size in sizes
    ]
    return sum(min(pair) for pair in pairs)


def _size(profile: MigProfile) -> tuple[int, int]:
    return (profile.compute_slices, profile.memory_slices)


def _lost(order: list[MigProfile], kept: tuple[int, ...], layout: Layout) -> tuple[int, int]:
    gone = [layout.get(p.name, 0) - n for p, n in zip(order, kept, strict=True)]
    compute = sum(p.compute_slices * n for p, n in zip(order, gone, strict=True))
    memory = sum(p.memory_slices * n for p, n in zip(order, gone, strict=True))
    return (compute, memory)


def _shape(mig: MigFacts, profile: MigProfile) -> str:
    size, total = profile.placements.size, mig.memory_slices
    starts = profile.placements.starts
    if len(starts) > 3 and starts == tuple(range(starts[0], starts[-1] + 1)):
        at = f"{starts[0]} to {starts[-1]}"
    else:
        at = " or ".join(filter(None, (", ".join(map(str, starts[:-1])), str(starts[-1]))))
    return f"a {profile.name} takes {size} of {total} memory slices, starting at {at}"


def _apart(asked: re.Match[str], profile: MigProfile) -> tuple[int, bool, int, str]:
    own = _NAME.fullmatch(profile.name)
    memory = int(own["memory"]) if own else 0
    return (
        abs(profile.compute_slices - int(asked["slices"])),
        own is None or own["attributes"] != asked["attributes"],
        abs(memory - int(asked["memory"])),
        profile.name,
    )
