"""MIG placement on real cards: the cases that people get wrong, and what they are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpupolicy.capacity.geometry import limits
from gpupolicy.capacity.placement import explain_limits
from gpupolicy.capacity.placement import feasible
from gpupolicy.capacity.placement import feasible_layouts
from gpupolicy.capacity.placement import max_count
from gpupolicy.capacity.placement import maximal_layouts
from gpupolicy.capacity.placement import nearest
from gpupolicy.capacity.placement import nearest_profile
from gpupolicy.capacity.placement import place
from gpupolicy.capacity.placement import smallest_conflict
from gpupolicy.facts.catalog import facts
from gpupolicy.facts.model import MigFacts
from gpupolicy.facts.model import MigProfile
from gpupolicy.facts.model import Placement


def mig(name: str) -> MigFacts:
    model = facts().find(name).model()
    assert model is not None
    assert model.mig is not None
    return model.mig


def profile(card: MigFacts, name: str) -> MigProfile:
    found = card.profile(name)
    assert found is not None
    return found


H100 = mig("H100-80GB")
A100 = mig("A100-40GB")
A30 = mig("A30")
PRO = mig("RTX-PRO-6000")


def test_a_small_layout_and_its_starts() -> None:
    assert place(H100, {"3g.40gb": 1, "1g.10gb": 4}) == {"3g.40gb": (4,), "1g.10gb": (0, 1, 2, 3)}


def test_the_empty_layout_can_be_built() -> None:
    assert place(H100, {}) == {}
    assert feasible(H100, {"1g.10gb": 0})


def test_counts_below_zero_and_unknown_profiles() -> None:
    with pytest.raises(ValueError):
        feasible(H100, {"1g.10gb": -1})
    with pytest.raises(KeyError):
        feasible(H100, {"1g.5gb": 1})


def test_a_001_the_smallest_profile_of_another_card() -> None:
    assert nearest_profile(mig("A100-80GB"), "1g.5gb") == "1g.10gb"
    assert nearest_profile(mig("A100-80GB"), "7g.40gb") == "7g.80gb"


def test_a_002_names_of_a_94_gb_card() -> None:
    card = mig("H100-NVL")
    assert nearest_profile(card, "1g.11gb") == "1g.12gb"
    assert nearest_profile(card, "2g.22gb") == "2g.24gb"
    assert feasible(card, {"1g.12gb": 7})


def test_a_003_four_slices() -> None:
    assert feasible(A30, {"2g.12gb": 1, "1g.6gb": 2})
    assert A30.profile("3g.12gb") is None
    assert nearest_profile(A30, "3g.12gb") == "2g.12gb"


def test_attributes_are_kept_where_the_card_has_them() -> None:
    assert nearest_profile(H100, "1g.5gb+me") == "1g.10gb+me"
    assert nearest_profile(H100, "1g.24gb+gfx") == "1g.20gb"
    assert nearest_profile(PRO, "1g.12gb-me") == "1g.24gb-me"
    assert nearest_profile(PRO, "all-1g.24gb") is None


@pytest.mark.parametrize(
    ("card", "three", "one", "two"),
    [
        (A100, "3g.20gb", "1g.5gb", "2g.10gb"),
        (H100, "3g.40gb", "1g.10gb", "2g.20gb"),
    ],
)
def test_a_008_seven_compute_slices_that_cannot_be_placed(
    card: MigFacts, three: str, one: str, two: str
) -> None:
    layout = {three: 2, one: 1}
    assert not feasible(card, layout)
    assert smallest_conflict(card, layout) == layout
    assert nearest(card, layout) == ({three: 2}, {three: 1, one: 4}, {three: 1, two: 2})
    assert explain_limits(card, layout) == (
        f"they need 9 of 8 memory slices: a {three} takes 4 of 8 memory slices, starting at 0 or "
        f"4, a {one} takes 1 of 8 memory slices, starting at 0 to 6"
    )


def test_a_009_one_large_and_four_or_five_small() -> None:
    assert feasible(H100, {"3g.40gb": 1, "1g.10gb": 4})
    layout = {"3g.40gb": 1, "1g.10gb": 5}
    assert not feasible(H100, layout)
    assert explain_limits(H100, layout).startswith(
        "they need 8 of 7 compute slices and 9 of 8 memory slices: "
    )
    assert nearest(H100, layout)[0] == {"3g.40gb": 1, "1g.10gb": 4}


def test_eight_compute_slices() -> None:
    layout = {"4g.40gb": 1, "2g.20gb": 2}
    assert explain_limits(H100, layout) == "they need 8 of 7 compute slices"
    assert nearest(H100, layout)[0] == {"4g.40gb": 1, "2g.20gb": 1, "1g.10gb": 1}
    assert {"3g.40gb": 1, "2g.20gb": 2} in nearest(H100, layout)


def test_sums_that_fit_where_the_places_do_not() -> None:
    """On a card with a hole in its places, which no card of the catalogue has, sums would do."""
    wide = replace(profile(H100, "2g.20gb"), placements=Placement(2, (1, 3)))
    card = replace(H100, profiles=(wide, profile(H100, "3g.40gb")))
    layout = {"2g.20gb": 2, "3g.40gb": 1}
    assert all(used <= total for _, used, total in limits(card, layout))
    assert not feasible(card, layout)
    assert feasible(H100, layout)
    assert smallest_conflict(card, layout) == {"2g.20gb": 2, "3g.40gb": 1}
    assert explain_limits(card, layout) == (
        "no free place: a 3g.40gb takes 4 of 8 memory slices, starting at 0 or 4, "
        "a 2g.20gb takes 2 of 8 memory slices, starting at 1 or 3"
    )
    assert nearest(card, layout)[0] == {"3g.40gb": 1, "2g.20gb": 1}


def test_the_conflict_is_the_smallest_part() -> None:
    """The small instances have nothing to do with two that each want the whole card."""
    assert smallest_conflict(H100, {"1g.10gb": 1000, "7g.80gb": 2}) == {"7g.80gb": 2}
    assert smallest_conflict(H100, {"1g.10gb": 9}) == {"1g.10gb": 8}
    assert smallest_conflict(H100, {"1g.10gb": 7}) == {}


def test_media_extensions_are_one_to_a_card() -> None:
    assert feasible(H100, {"1g.10gb+me": 1, "1g.10gb": 6})
    layout = {"1g.10gb+me": 2}
    assert explain_limits(H100, layout) == (
        "they need 2 of 1 ofa engines and 2 of 1 instances of 1g.10gb+me"
    )
    assert nearest(H100, layout)[0] == {"1g.10gb+me": 1, "1g.10gb": 6}


def test_an_instance_with_all_engines_leaves_none() -> None:
    """RTX PRO 6000: beside `+me.all` only `-me` instances fit (MIG User Guide)."""
    assert feasible(PRO, {"1g.24gb+me.all": 1, "1g.24gb-me": 3})
    layout = {"1g.24gb+me.all": 1, "1g.24gb": 1}
    assert not feasible(PRO, layout)
    assert explain_limits(PRO, layout).startswith("they need 5 of 4 dec engines")
    assert {"1g.24gb+me.all": 1, "1g.24gb-me": 3} in nearest(PRO, layout)


def test_twelve_memory_slices() -> None:
    assert place(PRO, {"2g.48gb": 1, "1g.24gb": 2}) == {"2g.48gb": (0,), "1g.24gb": (6, 9)}
    assert not feasible(PRO, {"2g.48gb": 1, "1g.24gb": 3})


def test_groups_of_profiles_have_a_cap_together() -> None:
    """The integrated GPU takes one compute and one graphics instance."""
    card = mig("jetson-thor")
    assert feasible(card, {"1g.0gb": 1, "2g.0gb+gfx": 1})
    assert not feasible(card, {"1g.0gb": 1, "2g.0gb": 1})
    assert "2 of 1 instances of 1g.0gb or 1g.0gb+me or 2g.0gb or 3g.0gb" in explain_limits(
        card, {"1g.0gb": 1, "2g.0gb": 1}
    )


def test_a_card_without_a_profile_list() -> None:
    card = mig("b100")
    assert feasible_layouts(card) == ()
    assert nearest_profile(card, "1g.10gb") is None


def test_counts_for_the_catalogue() -> None:
    assert [max_count(H100, p.name) for p in H100.profiles] == [7, 1, 4, 3, 2, 1, 1]
    layouts = feasible_layouts(A30)
    assert len(layouts) == 19
    assert {"2g.12gb": 1, "1g.6gb": 2} in maximal_layouts(A30)
    assert {"2g.12gb": 1, "1g.6gb": 1} not in maximal_layouts(A30)


def test_results_do_not_depend_on_the_order_of_the_layout() -> None:
    one = {"3g.40gb": 2, "1g.10gb": 1}
    other = dict(reversed(one.items()))
    assert nearest(H100, one) == nearest(H100, other)
    assert smallest_conflict(H100, one) == smallest_conflict(H100, other)
    assert explain_limits(H100, one) == explain_limits(H100, other)
    assert place(H100, {"2g.20gb": 2, "3g.40gb": 1}) == place(H100, {"3g.40gb": 1, "2g.20gb": 2})


def test_what_can_be_built_needs_no_advice() -> None:
    fine = {"3g.40gb": 2}
    assert nearest(H100, fine) == (fine,)
    assert explain_limits(H100, fine) == ""
