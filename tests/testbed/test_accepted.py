"""Every object that the blueprints compile to is accepted by the real API server and webhooks."""

from __future__ import annotations

import pytest

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.read import read_sources
from gpupolicy.manifest.model import Manifest
from tests.blueprints import ALL
from tests.blueprints import Blueprint
from tests.conftest import ROOT
from tests.testbed.bed import Bed

_POLICIES = tuple(
    Blueprint(f"policies/{path.stem}", path.relative_to(ROOT).as_posix())
    for path in sorted((ROOT / "tests" / "testbed" / "policies").glob("*.yaml"))
)
# The policies of the scenarios are no blueprints, but they have what no blueprint has.
every_blueprint = pytest.mark.parametrize("blueprint", ALL + _POLICIES, ids=lambda one: one.name)


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def compiled(blueprint: Blueprint) -> Compiled:
    overlays = [one for one in blueprint.overlays if one != "--overlay"]
    made = compile_policy(
        read_sources([blueprint.path]), read_sources(overlays), today="2026-01-01"
    )
    assert made.bundle is not None
    assert made.bundle.manifests
    return made


def _version(bed: Bed, manifest: Manifest) -> tuple[str, int | None]:
    meta = bed.api.call("GET", bed.api.path_to(dict(manifest.data))).data["metadata"]
    return meta["resourceVersion"], meta.get("generation")


def _changes(bed: Bed, manifest: Manifest) -> str | None:
    """Apply again; gives what moved. Controllers write statuses in between, so try a few times."""
    for _ in range(5):
        before = _version(bed, manifest)
        meta = bed.apply(manifest)["metadata"]
        if (meta["resourceVersion"], meta.get("generation")) == before:
            return None
    return f"{manifest.key}: {before} -> {meta['resourceVersion']}, {meta.get('generation')}"


@every_blueprint
def test_every_object_is_accepted_and_the_second_time_changes_nothing(
    blueprint: Blueprint, bed: Bed
) -> None:
    made = compiled(blueprint)
    assert made.bundle is not None
    bed.lay(made)
    changed = [_changes(bed, manifest) for manifest in made.bundle.manifests]
    assert [one for one in changed if one] == []


@every_blueprint
def test_kueue_says_that_every_queue_is_active(blueprint: Blueprint, bed: Bed) -> None:
    made = compiled(blueprint)
    assert made.bundle is not None
    bed.lay(made)
    bed.wait_for_queues()
    for one in made.bundle.manifests:
        if one.key.kind == "ClusterQueue":
            status = bed.api.call("GET", bed.api.path_to(dict(one.data))).data["status"]
            flavors = one.data["spec"]["resourceGroups"][0]["flavors"]
            assert [f["name"] for f in status["flavorsReservation"]] == [f["name"] for f in flavors]
