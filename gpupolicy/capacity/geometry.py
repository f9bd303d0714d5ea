"""Can these MIG instances be placed on one GPU? An exact search over the real geometry.

A layout is a multiset of profiles: a map from profile name to count. It can be built if every
instance gets a start out of its profile's placements so that no two overlap in memory slices,
while compute slices, media engines, each profile's own maximum, the caps over groups of profiles
and the number of instances hold (NVIDIA Multi-Instance GPU User Guide; `nvidia-smi mig -lgipp`
prints the placements). Sums alone would not do: a start is taken or it is not.

Taking an instance away from a layout that can be built leaves one that can be built; every search
relies on it. Everywhere here a profile that the model lacks raises KeyError, a count below zero
ValueError; a count of zero is the same as none.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from gpupolicy.facts.model import MigFacts
from gpupolicy.facts.model import MigProfile

Layout = Mapping[str, int]
# Occupied memory slices as bits, and the starts that led there.
_States = dict[int, tuple[int, ...]]


def place(mig: MigFacts, layout: Layout) -> dict[str, tuple[int, ...]] | None:
    """Return the starts (memory slices) of each profile's instances, or None if there are none.

    One of the possible placements, always the same one for the same arguments.
    """
    counts = _counts(mig, layout)
    if any(used > total for _, used, total in limits(mig, counts)):
        return None
    instances = [p for p in large_first(mig) for _ in range(counts.get(p.name, 0))]
    states: _States = {0: ()}
    for profile in instances:
        states = _add(states, profile)
    if not states:
        return None
    starts = next(iter(states.values()))
    placed: dict[str, tuple[int, ...]] = {}
    for profile, start in zip(instances, starts, strict=True):
        placed[profile.name] = (*placed.get(profile.name, ()), start)
    return {name: tuple(sorted(at)) for name, at in placed.items()}


def feasible(mig: MigFacts, layout: Layout) -> bool:
    """Tell whether the layout can be built on one GPU; the empty one can."""
    return place(mig, layout) is not None


def feasible_layouts(
    mig: MigFacts, profiles: Sequence[MigProfile] | None = None
) -> tuple[dict[str, int], ...]:
    """Return every layout of at least one instance that can be built, fewest instances first.

    `profiles` narrows the search to some of the model's profiles.
    """
    order = large_first(mig) if profiles is None else profiles
    found: list[dict[str, int]] = []
    level: list[tuple[dict[str, int], int, _States]] = [({}, 0, {0: ()})]
    while level:
        level = [larger for each in level for larger in _extend(mig, order, *each)]
        found += [layout for layout, _, _ in level]
    return tuple(found)


def maximal_layouts(
    mig: MigFacts, profiles: Sequence[MigProfile] | None = None
) -> tuple[dict[str, int], ...]:
    """Return the layouts to which no further instance of these profiles can be added."""
    order = large_first(mig) if profiles is None else profiles
    layouts = feasible_layouts(mig, order)
    known = {tuple(layout.get(p.name, 0) for p in order) for layout in layouts}
    return tuple(
        layout
        for layout in layouts
        if not any(_grown(layout, order, extra) in known for extra in order)
    )


def max_count(mig: MigFacts, profile: str) -> int:
    """Return how many instances of one profile a GPU holds."""
    count = 0
    while feasible(mig, {profile: count + 1}):
        count += 1
    return count


def limits(mig: MigFacts, layout: Layout) -> Iterator[tuple[str, int, int]]:
    """Yield what adds up: the name, how much the layout uses, and how much a GPU has.

    Media engines count only where the catalogue knows them for the model and the profile.
    """
    parts = [(_profile(mig, name), count) for name, count in layout.items() if count]
    yield "compute slices", sum(p.compute_slices * n for p, n in parts), mig.compute_slices
    yield "memory slices", sum(p.memory_slices * n for p, n in parts), mig.memory_slices
    for engine, total in (mig.media_engines_total or {}).items():
        yield f"{engine} engines", sum((p.media or {}).get(engine, 0) * n for p, n in parts), total
    for profile, count in parts:
        yield f"instances of {profile.name}", count, profile.max_instances
    for cap in mig.caps:
        used = sum(n for p, n in parts if p.name in cap.profiles)
        yield f"instances of {' or '.join(cap.profiles)}", used, cap.max_instances
    yield "instances", sum(n for _, n in parts), mig.max_instances


def large_first(mig: MigFacts) -> list[MigProfile]:
    """Return the profiles from large to small: compute slices, memory slices, plain ones first."""
    return sorted(
        mig.profiles, key=lambda p: (-p.compute_slices, -p.memory_slices, len(p.name), p.name)
    )


def _profile(mig: MigFacts, name: str) -> MigProfile:
    profile = mig.profile(name)
    if profile is None:
        raise KeyError(name)
    return profile


def _counts(mig: MigFacts, layout: Layout) -> dict[str, int]:
    for name, count in layout.items():
        _profile(mig, name)
        if count < 0:
            raise ValueError(f"'{name}' has the count {count}")
    return {name: count for name, count in layout.items() if count}


def _add(states: _States, profile: MigProfile) -> _States:
    """Return every way to put one more instance of a profile beside what is there."""
    block = (1 << profile.placements.size) - 1
    larger: _States = {}
    for taken, starts in states.items():
        for start in profile.placements.starts:
            if not taken & (block << start):
                larger.setdefault(taken | (block << start), (*starts, start))
    return larger


def _extend(
    mig: MigFacts, order: Sequence[MigProfile], layout: dict[str, int], first: int, states: _States
) -> Iterator[tuple[dict[str, int], int, _States]]:
    """Yield the layouts with one instance more, of the profile at `first` or a later one."""
    for index in range(first, len(order)):
        profile = order[index]
        larger = {**layout, profile.name: layout.get(profile.name, 0) + 1}
        if all(used <= total for _, used, total in limits(mig, larger)):
            placed = _add(states, profile)
            if placed:
                yield larger, index, placed


def _grown(layout: Layout, order: Sequence[MigProfile], extra: MigProfile) -> tuple[int, ...]:
    return tuple(layout.get(p.name, 0) + (p.name == extra.name) for p in order)
