"""Every blueprint compiles to the bytes in output/. `make output` writes them anew.

`output/` is the showcase and the end-to-end snapshot at once: a review sees what a change does as
a difference of manifests. `test_tools.py` proves that it is also right.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gpupolicy.cli import exits
from gpupolicy.cli.main import main
from tests import schema_check
from tests.blueprints import ALL
from tests.blueprints import OUTPUT
from tests.blueprints import Blueprint
from tests.blueprints import read_tree
from tests.conftest import ROOT

every_blueprint = pytest.mark.parametrize("blueprint", ALL, ids=lambda one: one.name)


def _compile(blueprint: Blueprint, to: Path, *arguments: str) -> None:
    code = main(["compile", blueprint.path, *blueprint.overlays, "--out", str(to), *arguments])
    assert code == exits.OK, f"{blueprint.path} has errors"


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_there_are_blueprints() -> None:
    assert len(ALL) >= 8


@every_blueprint
def test_compiles_to_its_output(blueprint: Blueprint, golden_update: bool, tmp_path: Path) -> None:
    if golden_update:
        _compile(blueprint, blueprint.output, "--force")
    _compile(blueprint, tmp_path / "out")
    made, kept = read_tree(tmp_path / "out"), blueprint.files()
    assert made, "nothing was written"
    assert sorted(kept) == sorted(made), "make output writes output/ anew"
    assert [path for path in made if made[path] != kept[path]] == [], "make output"


def test_output_has_nothing_else() -> None:
    expected = {f"{one.name}/{path}" for one in ALL for path in one.files()}
    assert set(read_tree(OUTPUT)) == expected


@every_blueprint
def test_api_servers_know_every_field(blueprint: Blueprint) -> None:
    versions = blueprint.versions()
    faults = {
        path: found
        for path, data in blueprint.objects().items()
        if (found := schema_check.validate_object(data, versions))
    }
    assert blueprint.objects()
    assert faults == {}
