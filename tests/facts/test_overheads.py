"""Bounds of memory overhead, held against every observation that they rest on."""

from __future__ import annotations

from gpupolicy.facts.catalog import facts
from gpupolicy.facts.overheads import overheads
from gpupolicy.facts.read import sources
from gpupolicy.facts.read import yaml_of

BOUNDS = overheads()
CONTEXTS = yaml_of("overheads.yaml")["process_context"]["observed"]


def test_the_context_bound_holds_for_every_observation() -> None:
    assert CONTEXTS
    for seen in CONTEXTS:
        bound = BOUNDS.context_mib(seen["sm_count"])
        assert seen["mib"] <= bound <= seen["mib"] * 1.1
        assert seen["source"] in sources()


def test_an_unknown_card_gets_the_largest_context() -> None:
    known = [facts().load(name).context_mib for name in facts().names()]
    assert BOUNDS.context_mib(None) == max(known)


def test_the_reserve_bound_lies_above_every_capture() -> None:
    captured = [m.reserved_mib for n in facts().names() if (m := facts().load(n)).reserved_mib]
    assert captured
    assert max(c for c in captured if c) < BOUNDS.uncaptured_reserve_mib


def test_usable_memory() -> None:
    card = facts().load("h100-sxm5-80gb")
    assert card.usable_mib == 81559 - 480
    assert facts().load("a10").usable_mib == 23028 - BOUNDS.uncaptured_reserve_mib
    assert facts().load("jetson-thor").usable_mib == 0


def test_the_bounds_are_said_to_be_bounds() -> None:
    assert not BOUNDS.confirmed
    assert BOUNDS.sources
    assert facts().overheads() == BOUNDS
