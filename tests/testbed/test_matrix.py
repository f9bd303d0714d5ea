"""Older releases take what is compiled for them: Kueue 0.14 (v1beta1) and Volcano 1.14.

A bed of its own with their CRDs, webhooks and controllers; the newest releases are the other
tests'. Volcano 1.13 is not in the Go module proxy; 1.14 is the nearest release that is, and says
other words than 1.15 (`gpupolicy/facts/components/volcano.yaml`).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator

import pytest

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.read import read_sources
from gpupolicy.source.load import SourceText
from tests.blueprints import ALL
from tests.blueprints import Blueprint
from tests.conftest import ROOT
from tests.generated import generated
from tests.testbed.api import RefusedError
from tests.testbed.bed import Bed
from tests.testbed.conftest import PROGRAMS
from tests.testbed.conftest import started
from tests.testbed.test_accepted import _POLICIES
from tests.testbed.test_accepted import _changes

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
