"""Older releases take what is compiled for them: Kueue 0.14 (v1beta1) and Volcano 1.14.

A bed of its own with their CRDs, webhooks and controllers, on which the promises of a pool are
kept as well; the newest releases are the other tests'. Volcano 1.13 is not in the Go module proxy;
1.14 is the nearest release that is, and says other words than 1.15
(`gpupolicy/facts/components/volcano.yaml`).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.read import read_sources
from gpupolicy.source.load import SourceText
from tests.blueprints import ALL
from tests.blueprints import Blueprint
from tests.conftest import ROOT
from tests.generated import generated
from tests.testbed import scenarios
from tests.testbed.api import RefusedError
from tests.testbed.bed import Bed
from tests.testbed.bed import compiled
from tests.testbed.conftest import PROGRAMS
from tests.testbed.conftest import started
from tests.testbed.scenarios import Scenario
from tests.testbed.test_accepted import _POLICIES
from tests.testbed.test_accepted import _changes
from tests.testbed.test_scenarios import Stage
from tests.testbed.test_scenarios import perform

KUEUE, VOLCANO = "0.14", "1.14"
_RELEASES = {"kueue": KUEUE, "volcano": VOLCANO}
_OLD_PROGRAMS = (
    f"kueue-{KUEUE}/kueue",
    f"volcano-{VOLCANO}/vc-controller-manager",
    f"volcano-{VOLCANO}/vc-scheduler",
    f"volcano-{VOLCANO}/vc-webhook-manager",
)
_GENERATED = 25


@pytest.fixture(scope="module")
def running_old_bed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bed]:
    programs = [*PROGRAMS, *_OLD_PROGRAMS]
    releases = {name: f"{name}-{release}" for name, release in _RELEASES.items()}
    yield from started(request, tmp_path_factory, programs, **releases)


@pytest.fixture
def old_bed(running_old_bed: Bed) -> Iterator[Bed]:
    running_old_bed.check()
    yield running_old_bed
    running_old_bed.check()
    running_old_bed.clear()


def _installed(blueprint: Blueprint) -> dict[str, dict[str, str]]:
    """Give the older releases of what a policy has installed."""
    made = compile_policy(read_sources([str(ROOT / blueprint.path)]), today="2026-01-01")
    assert made.plan is not None
    there = made.plan.platform.components
    return {name: {"version": of} for name, of in _RELEASES.items() if name in there}


def _compiled(blueprint: Blueprint) -> Compiled:
    overlays = [str(ROOT / one) for one in blueprint.overlays if one != "--overlay"]
    platform = json.dumps({"spec": {"platform": _installed(blueprint)}})
    made = compile_policy(
        read_sources([str(ROOT / blueprint.path)]),
        [*read_sources(overlays), SourceText("matrix.yaml", platform.encode())],
        today="2026-01-01",
    )
    assert made.bundle is not None, [one.message for one in made.diagnostics]
    return made


_WITH_QUEUES = [one for one in ALL + _POLICIES if _installed(one)]


def _lay_twice(bed: Bed, made: Compiled) -> None:
    assert made.bundle is not None
    bed.lay(made)
    changed = [_changes(bed, manifest) for manifest in made.bundle.manifests]
    assert [one for one in changed if one] == []
    bed.wait_for_queues()


@pytest.mark.parametrize("blueprint", _WITH_QUEUES, ids=lambda one: one.name)
def test_every_object_is_accepted_and_its_queues_are_active(
    blueprint: Blueprint, old_bed: Bed
) -> None:
    _lay_twice(old_bed, _compiled(blueprint))


@pytest.mark.parametrize("name", _RELEASES)
def test_every_object_of_generated_policies_is_accepted(name: str, old_bed: Bed) -> None:
    asked = json.dumps({name: {"version": _RELEASES[name]}})
    other = next(one for one in _RELEASES if one != name)
    alone = []
    for one in generated(4 * _GENERATED, seed=31, platform=asked):
        assert one.made.plan is not None
        if one.made.plan.platform.component(other) is None:
            alone.append(one.made)
    assert len(alone) >= _GENERATED
    for made in alone[:_GENERATED]:
        _lay_twice(old_bed, made)
        old_bed.clear()


def _older(scenario: Scenario) -> str:
    """Give the overlay that sets the older releases of what a scenario's policy has installed."""
    made = compiled(scenario.policy_text(), *scenario.overlays())
    assert made.plan is not None
    there = made.plan.platform.components
    platform = {name: {"version": of} for name, of in _RELEASES.items() if name in there}
    return json.dumps({"spec": {"platform": platform}})


# One for each promise; the rest of the table is the newest releases'.
_PLAYED = (
    "a limit is never passed",
    "what is not lent is kept idle",
    "a tenant gets its guarantee back from a borrower",
    "inside a tenant a higher class preempts a lower one, and an equal one waits",
    "guard rails refuse workloads that go round the policy",
    "every pool takes what is its own, and a gang takes back its guarantee",
    "Volcano never passes a limit",
    "Volcano keeps idle what is not lent",
    "Volcano gives a guarantee back from a borrower",
    "Volcano starts a gang whole or not at all",
    "a budget in Volcano's tree is shared inside before outside",
)


def _played() -> Iterator[Scenario]:
    """Give those scenarios as the older releases play them."""
    by_name = {one.scenario: one for one in scenarios.ALL}
    for name in _PLAYED:
        *before, last = by_name[name].steps
        last = replace(last, **_OTHERWISE.get(name, {}))
        yield replace(by_name[name], steps=(*before, last))


# Kueue 0.14 does not take the borrower of a reserve off its node when one is lost, so the reserve,
# here one node, is not lent.
_OTHERWISE: dict[str, dict[str, Any]] = {
    "every pool takes what is its own, and a gang takes back its guarantee": {
        "expect": {"gang": {"running": 1}, "prod": {"running": 7, "waiting": 5, "evicted": 4}},
        "used": {
            "algorithm": {"train/nvidia.com/gpu": 64},
            "product": {"train/nvidia.com/gpu": 56},
        },
    }
}


@pytest.mark.parametrize("scenario", list(_played()), ids=lambda one: one.scenario)
def test_scenario(scenario: Scenario, old_bed: Bed) -> None:
    perform(scenario, Stage(old_bed, scenario, _older(scenario)))


def test_the_objects_are_of_the_older_version(old_bed: Bed) -> None:
    made = _compiled(_POLICIES[0])
    assert made.bundle is not None
    kinds = {
        one.data["apiVersion"] for one in made.bundle.manifests if "kueue" in one.data["apiVersion"]
    }
    assert kinds == {"kueue.x-k8s.io/v1beta1"}
    old_bed.lay(made)
    assert not old_bed.api.knows("kueue.x-k8s.io/v1beta2", "ClusterQueue")


def test_what_is_compiled_for_the_newest_is_refused(old_bed: Bed) -> None:
    """The bed can fail: fields of v1beta2 are none of v1beta1."""
    old_bed.lay(_compiled(_POLICIES[0]))
    newest = compile_policy(read_sources([str(ROOT / _POLICIES[0].path)]), today="2026-01-01")
    assert newest.bundle is not None
    queue = next(
        dict(one.data)
        for one in newest.bundle.manifests
        if one.key.kind == "ClusterQueue" and "cohortName" in one.data["spec"]
    )
    with pytest.raises(RefusedError, match="404"):
        old_bed.api.apply(queue, dry_run=True)
    spoiled = copy.deepcopy(queue) | {"apiVersion": "kueue.x-k8s.io/v1beta1"}
    with pytest.raises(RefusedError, match="cohortName"):
        old_bed.api.apply(spoiled, dry_run=True, force=True)
