"""The placement search against a brute-force search that knows nothing of it.

Cards with the same geometry are searched once; every MIG-capable model of the catalogue is covered,
and on each every multiset of profiles up to one instance more than a card can hold.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from gpupolicy.capacity.placement import explain_limits
from gpupolicy.capacity.placement import feasible
from gpupolicy.capacity.placement import feasible_layouts
from gpupolicy.capacity.placement import maximal_layouts
from gpupolicy.capacity.placement import nearest
from gpupolicy.capacity.placement import place
from gpupolicy.capacity.placement import smallest_conflict
from gpupolicy.facts.catalog import facts
from gpupolicy.facts.model import GpuModel
from gpupolicy.facts.model import MigFacts
from gpupolicy.facts.model import MigProfile

Multiset = tuple[str, ...]

CUT = [m for name in facts().names() if (m := facts().load(name)).mig and m.mig.profiles]


def geometry(model: GpuModel) -> object:
    """Everything that decides about placement, names replaced by their place in the list."""
    mig = model.mig
    assert mig
    names = [profile.name for profile in mig.profiles]
    rows = tuple(
        (
            p.compute_slices,
            p.placements,
            p.max_instances,
            tuple((p.media or {}).items()),
            p.name[-2:] == "gb",
        )
        for p in mig.profiles
    )
    caps = tuple((tuple(map(names.index, c.profiles)), c.max_instances) for c in mig.caps)
    total = tuple((mig.media_engines_total or {}).items())
    return (rows, caps, total, mig.compute_slices, mig.memory_slices, mig.max_instances)


KINDS = list({geometry(model): model for model in CUT}.values())


def every_kind(function):  # type: ignore[no-untyped-def]
    return pytest.mark.parametrize("model", KINDS, ids=lambda model: model.id)(function)


def test_every_model_is_covered() -> None:
    assert {geometry(model) for model in KINDS} == {geometry(model) for model in CUT}
    assert len(CUT) >= 35
    assert 4 <= len(KINDS) <= 20


def can_be_built(mig: MigFacts, chosen: list[MigProfile]) -> bool:
    """Try every start for every instance, one after the other, slice by slice."""
    engines = mig.media_engines_total or {}
    if (
        sum(p.compute_slices for p in chosen) > mig.compute_slices
        or len(chosen) > mig.max_instances
    ):
        return False
    if any(sum((p.media or {}).get(e, 0) for p in chosen) > n for e, n in engines.items()):
        return False
    counts = Counter(p.name for p in chosen)
    if any(counts[p.name] > p.max_instances for p in chosen):
        return False
    if any(sum(counts[name] for name in c.profiles) > c.max_instances for c in mig.caps):
        return False
    return seat(mig.memory_slices, chosen, frozenset())


def seat(slices: int, waiting: list[MigProfile], taken: frozenset[int]) -> bool:
    if not waiting:
        return True
    for start in waiting[0].placements.starts:
        wanted = frozenset(range(start, start + waiting[0].placements.size))
        free = max(wanted) < slices and not wanted & taken
        if free and seat(slices, waiting[1:], taken | wanted):
            return True
    return False


@cache
def truth(model_id: str) -> dict[Multiset, bool]:
    """Say of every multiset up to one instance too many whether it can be built."""
    mig = facts().load(model_id).mig
    assert mig
    # Large instances first, so that the search fails early.
    order = sorted(mig.profiles, key=lambda p: -p.placements.size)
    found: dict[Multiset, bool] = {}
    for size in range(mig.max_instances + 2):
        for chosen in combinations_with_replacement(order, size):
            found[tuple(sorted(p.name for p in chosen))] = can_be_built(mig, list(chosen))
    return found


def layout_of(names: Multiset) -> dict[str, int]:
    return dict(Counter(names))


def names_of(layout: dict[str, int]) -> Multiset:
    return tuple(sorted(Counter(layout).elements()))


@every_kind
def test_feasible_is_the_truth(model: GpuModel) -> None:
    assert model.mig
    oracle = truth(model.id)
    wrong = [
        names for names, real in oracle.items() if feasible(model.mig, layout_of(names)) != real
    ]
    assert wrong == []
    assert any(oracle.values())
    assert not all(oracle.values())


@every_kind
def test_placements_are_real(model: GpuModel) -> None:
    assert model.mig
    for names, real in truth(model.id).items():
        if not real:
            continue
        placed = place(model.mig, layout_of(names))
        assert placed is not None
        assert {name: len(starts) for name, starts in placed.items()} == layout_of(names)
        taken = [
            slice_
            for name, starts in placed.items()
            for start in starts
            for slice_ in range(start, start + size_of(model.mig, name))
        ]
        assert len(taken) == len(set(taken))
        for name, starts in placed.items():
            assert set(starts) <= set(profile_of(model.mig, name).placements.starts)


def profile_of(mig: MigFacts, name: str) -> MigProfile:
    profile = mig.profile(name)
    assert profile
    return profile


def size_of(mig: MigFacts, name: str) -> int:
    return profile_of(mig, name).placements.size


@every_kind
def test_the_list_of_layouts_is_complete(model: GpuModel) -> None:
    assert model.mig
    listed = [names_of(layout) for layout in feasible_layouts(model.mig)]
    assert len(listed) == len(set(listed))
    assert set(listed) == {names for names, real in truth(model.id).items() if real and names}
    full = {names_of(layout) for layout in maximal_layouts(model.mig)}
    assert full == {
        names
        for names in listed
        if not any(truth(model.id)[tuple(sorted((*names, p.name)))] for p in model.mig.profiles)
    }


def infeasible(model: GpuModel, part: int) -> list[Multiset]:
    """A fixed sample: every `part`-th of the layouts that cannot be built."""
    return [names for names, real in truth(model.id).items() if not real][::part]


@every_kind
def test_the_smallest_conflict_is_minimal(model: GpuModel) -> None:
    assert model.mig
    oracle = truth(model.id)
    for names in infeasible(model, 23):
        conflict = names_of(smallest_conflict(model.mig, layout_of(names)))
        assert not oracle[conflict]
        assert not Counter(conflict) - Counter(names)
        for name in set(conflict):
            smaller = Counter(conflict) - Counter([name])
            assert oracle[tuple(sorted(smaller.elements()))]
        fewer = [
            other
            for other, real in oracle.items()
            if not real and len(other) < len(conflict) and not Counter(other) - Counter(names)
        ]
        assert fewer == []


@every_kind
def test_explanations_have_numbers(model: GpuModel) -> None:
    assert model.mig
    for names, real in truth(model.id).items():
        text = explain_limits(model.mig, layout_of(names))
        assert (text == "") == real
        assert real or any(character.isdigit() for character in text)


@every_kind
def test_nearest_layouts_are_the_nearest(model: GpuModel) -> None:
    """The order stands in the docstring of `nearest`; here it is computed again from the truth."""
    assert model.mig
    for names in infeasible(model, 97):
        assert nearest(model.mig, layout_of(names)) == tuple(by_hand(model, names)[:3])


def by_hand(model: GpuModel, asked: Multiset) -> list[dict[str, int]]:
    mig = model.mig
    assert mig
    usable = {p.name for p in mig.profiles}
    if all(name.endswith("gb") for name in asked):
        basic: dict[int, MigProfile] = {}
        for p in mig.profiles:
            if p.name.endswith("gb"):
                other = basic.setdefault(p.compute_slices, p)
                if p.memory_slices < other.memory_slices:
                    basic[p.compute_slices] = p
        usable = {*asked, *(p.name for p in basic.values())}
    oracle = truth(model.id)
    full = [
        names
        for names, real in oracle.items()
        if real
        and names
        and set(names) <= usable
        and not any(oracle[tuple(sorted((*names, extra)))] for extra in usable)
    ]
    groups: dict[Multiset, list[Multiset]] = {}
    for names in full:
        kept = tuple(sorted((Counter(names) & Counter(asked)).elements()))
        groups.setdefault(kept, []).append(names)
    best = {kept: min(found, key=lambda n: rank(mig, n, asked)) for kept, found in groups.items()}
    order = sorted(best, key=lambda kept: (*lost(mig, kept, asked), large(mig, kept)))
    return [layout_of_in_order(mig, best[kept]) for kept in order]


def rank(mig: MigFacts, names: Multiset, asked: Multiset) -> tuple[object, ...]:
    sizes = [
        Counter((profile_of(mig, n).compute_slices, size_of(mig, n)) for n in each)
        for each in (names, asked)
    ]
    replaced = sum((sizes[0] & sizes[1]).values())
    new = len(set(names) - set(asked))
    apart = abs(len(names) - len(asked))
    compute = sum(profile_of(mig, n).compute_slices for n in names)
    memory = sum(size_of(mig, n) for n in names)
    return (-replaced, new, apart, -compute, -memory, large(mig, names))


def lost(mig: MigFacts, kept: Multiset, asked: Multiset) -> tuple[int, int]:
    gone = list((Counter(asked) - Counter(kept)).elements())
    compute = sum(profile_of(mig, name).compute_slices for name in gone)
    return (compute, sum(size_of(mig, name) for name in gone))


def large(mig: MigFacts, names: Multiset) -> list[int]:
    counts = Counter(names)
    return [-counts[p.name] for p in from_large(mig)]


def from_large(mig: MigFacts) -> list[MigProfile]:
    return sorted(
        mig.profiles,
        key=lambda p: (-p.compute_slices, -p.memory_slices, len(p.name), p.name),
    )


def layout_of_in_order(mig: MigFacts, names: Multiset) -> dict[str, int]:
    counts = Counter(names)
    return {p.name: counts[p.name] for p in from_large(mig) if counts[p.name]}


@st.composite
def requests(draw: st.DrawFn) -> tuple[GpuModel, dict[str, int]]:
    model = draw(st.sampled_from(CUT))
    assert model.mig
    names = [profile.name for profile in model.mig.profiles]
    layout = draw(st.dictionaries(st.sampled_from(names), st.integers(0, 9), max_size=4))
    return model, layout


@settings(deadline=None, max_examples=150)
@given(requests())
def test_any_layout_gets_an_answer(request_: tuple[GpuModel, dict[str, int]]) -> None:
    model, layout = request_
    assert model.mig
    answers = nearest(model.mig, layout)
    assert answers
    assert all(feasible(model.mig, answer) for answer in answers)
    conflict = smallest_conflict(model.mig, layout)
    assert bool(conflict) is not feasible(model.mig, layout)
    assert all(conflict[name] <= layout[name] for name in conflict)


@settings(deadline=None, max_examples=100)
@given(requests(), st.data())
def test_taking_one_away_never_hurts(
    request_: tuple[GpuModel, dict[str, int]], data: st.DataObject
) -> None:
    model, layout = request_
    assert model.mig
    present = [name for name, count in layout.items() if count]
    if present and feasible(model.mig, layout):
        name = data.draw(st.sampled_from(present))
        assert feasible(model.mig, {**layout, name: layout[name] - 1})
