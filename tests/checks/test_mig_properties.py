"""What the MIG checks accept has a placement on every GPU, and what they refuse has none."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from gpupolicy.checks import mig_geometry
from gpupolicy.checks import mig_indices
from gpupolicy.checks import mig_profiles
from gpupolicy.diagnostics.model import Severity
from gpupolicy.facts.catalog import facts
from gpupolicy.facts.model import MigFacts
from gpupolicy.facts.model import MigProfile
from tests.checks.subject import context

GPUS = 2
MODELS = [
    model
    for model in (facts().load(name) for name in facts().names())
    if model.mig is not None and model.mig.profiles
]
Layout = dict[str, int]


def can_be_built(mig: MigFacts, layout: Mapping[str, int]) -> bool:
    """Try every start of every instance, one by one: slow, and nothing is shared with the code."""
    instances = [mig.profile(name) for name, count in layout.items() for _ in range(count)]
    wanted = [profile for profile in instances if profile is not None]
    if len(wanted) != len(instances) or len(wanted) > mig.max_instances:
        return False
    if sum(profile.compute_slices for profile in wanted) > mig.compute_slices:
        return False
    for engine, total in (mig.media_engines_total or {}).items():
        if sum((profile.media or {}).get(engine, 0) for profile in wanted) > total:
            return False
    if any(wanted.count(profile) > profile.max_instances for profile in wanted):
        return False
    for cap in mig.caps:
        if sum(profile.name in cap.profiles for profile in wanted) > cap.max_instances:
            return False
    return _fits(mig, wanted, [False] * mig.memory_slices)


def _fits(mig: MigFacts, wanted: list[MigProfile], taken: list[bool]) -> bool:
    if not wanted:
        return True
    first, rest = wanted[0], wanted[1:]
    for start in first.placements.starts:
        block = range(start, start + first.placements.size)
        if all(slot < mig.memory_slices and not taken[slot] for slot in block):
            trial = [slot in block or used for slot, used in enumerate(taken)]
            if _fits(mig, rest, trial):
                return True
    return False


@st.composite
def policies(draw: st.DrawFn) -> tuple[MigFacts, list[tuple[list[int], Layout]], str]:
    model = draw(st.sampled_from(MODELS))
    assert model.mig is not None
    names = st.sampled_from([profile.name for profile in model.mig.profiles])
    layout = st.dictionaries(names, st.integers(1, 4), max_size=3)
    if draw(st.booleans()):
        groups = [(list(range(GPUS)), draw(layout))]
        written = _flow(groups[0][1])
    else:
        groups = [([gpu], draw(layout)) for gpu in range(GPUS)]
        written = "[" + ", ".join(
            f"{{gpus: {gpus}, layout: {_flow(profiles)}}}" for gpus, profiles in groups
        ) + "]"  # fmt: skip
    text = (
        f"nodePools: [{{name: p, gpu: {model.display}, nodes: 1, gpusPerNode: {GPUS}, "
        f"sharing: {{mig: {written}}}}}]"
    )
    return model.mig, groups, text


def _flow(layout: Layout) -> str:
    return "{" + ", ".join(f"{name}: {count}" for name, count in layout.items()) + "}"


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(policies())
def test_accepted_is_what_can_be_built(
    subject: tuple[MigFacts, list[tuple[list[int], Layout]], str],
) -> None:
    mig, groups, text = subject
    checks = (mig_profiles.check, mig_indices.check, mig_geometry.check)
    what = context(text)
    found = [one for check in checks for one in check(what)]
    errors = [one for one in found if one.severity is Severity.ERROR]
    impossible = [layout for _, layout in groups if not can_be_built(mig, layout)]
    assert [one.code for one in errors] == ["GP203"] * len(impossible)
    assert what.capacity.pools["p"].broken == bool(impossible)
    for one in errors:
        for nearest in (one.hint or "").partition(": ")[2].replace(" or {", ", {").split("}, "):
            assert can_be_built(mig, _read(nearest)), nearest


def _read(text: str) -> Layout:
    rows = (row.split(": ") for row in text.strip("{} ").split(", "))
    return {name: int(count) for name, count in rows}
