"""`init`: a blueprint with the user's values becomes a policy."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from gpupolicy.cli import blueprint
from gpupolicy.cli.blueprint import BlueprintError
from gpupolicy.compiler import check_policy
from gpupolicy.diagnostics.model import Severity
from gpupolicy.source.load import SourceText
from tests.cli.command import ARGUMENTS
from tests.cli.command import BLUEPRINTS
from tests.cli.command import environment
from tests.cli.command import run

NAMES = blueprint.names()


@pytest.mark.parametrize("name", NAMES)
def test_every_blueprint_becomes_a_policy_that_validates(name: str, tmp_path: Path) -> None:
    done = run("init", name, "--out", "start", cwd=tmp_path)
    assert done.code == 0, done.err
    base = "start/base" if (tmp_path / "start" / "base").exists() else "start"
    assert run("validate", base, cwd=tmp_path).code == 0
    wrote = [line.removeprefix("wrote ") for line in done.err.splitlines() if "wrote" in line]
    assert wrote
    assert all((tmp_path / path).is_file() for path in wrote)


@pytest.mark.parametrize("name", NAMES)
def test_the_policy_is_the_blueprint_without_what_speaks_of_the_blueprint(name: str) -> None:
    chosen = blueprint.find(name)
    files = chosen.filled({})
    for source in (*chosen.sources, *chosen.overlays):
        before = source.text.decode().splitlines()
        after = files[source.name].splitlines()
        ours = ("# param ", "# yaml-language-server:")
        assert not any(line.startswith(ours) for line in after)
        assert after[0].startswith("# ")
        assert [line for line in after if line != "#"] == [
            line for line in before if line != "#" and not line.startswith(ours)
        ]


@pytest.mark.parametrize("name", NAMES)
def test_the_defaults_of_parameters_are_what_stands_there(name: str) -> None:
    chosen = blueprint.find(name)
    defaults = {one.name: one.default for one in chosen.parameters}
    assert len(defaults) == len(chosen.parameters), "two parameters of one name"
    assert chosen.filled(defaults) == chosen.filled({})


def test_values_take_the_place_of_defaults_and_nothing_else_changes(tmp_path: Path) -> None:
    done = run("init", "lab", "--set", "gpu=L4", "--set", "replicas=3", cwd=tmp_path)
    assert done.code == 0
    with open(os.path.join(BLUEPRINTS, "lab.yaml"), encoding="utf-8") as file:
        kept = [line for line in file if not line.startswith("# param ")]
    expected = "".join(kept).replace("RTX-4090", "L4").replace("timeSlicing: 4", "timeSlicing: 3")
    assert (tmp_path / "policy.yaml").read_text() == expected


def test_a_value_may_be_set_by_its_path(tmp_path: Path) -> None:
    by_name = run("init", "lab", "--set", "nodePools[lab].nodes=3", "--out", "-", cwd=tmp_path)
    by_number = run("init", "lab", "--set", "spec.nodePools[0].nodes=3", "--out", "-", cwd=tmp_path)
    assert "nodes: 3," in by_name.out
    assert by_number.out == by_name.out
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("lab-2", "lab-2"),
        ("null", '"null"'),
        ("", '""'),
        ("~", '"~"'),
        ("a: b", '"a: b"'),
        ("a, b", '"a, b"'),
        ("x # y", '"x # y"'),
        ('q"\n', '"q\\"\\n"'),
        ("]", '"]"'),
        ("{{x}}", '"{{x}}"'),
        ("true", "true"),
        ("1e3", "1e3"),
        ("- a", '"- a"'),
    ],
)
def test_a_value_is_quoted_where_yaml_would_read_something_else(value: str, written: str) -> None:
    text = blueprint.find("lab").filled({"metadata.name": value})["lab.yaml"]
    assert f"metadata: {{name: {written}}}\n" in text


def test_a_value_in_quotes_stays_in_quotes() -> None:
    text = blueprint.find("lab").filled({"platform.kubernetes": "1.33"})["lab.yaml"]
    assert 'kubernetes: "1.33"' in text


@pytest.mark.parametrize(
    "path", ["nodePools", "nodePools[lab]", "nodePools[9].gpu", "nodePools[lab]..gpu", "x", "[", ""]
)
def test_what_is_no_single_value_cannot_be_set(path: str) -> None:
    with pytest.raises(BlueprintError, match="is no value of blueprint 'lab'"):
        blueprint.find("lab").filled({path: "1"})


def test_an_unknown_name_is_refused_with_the_names_there_are(tmp_path: Path) -> None:
    done = run("init", "lab", "--set", "gpus=L4", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "its parameters are gpu, replicas" in done.err
    assert os.listdir(tmp_path) == []


def test_an_unknown_blueprint_is_refused_with_the_names_there_are(tmp_path: Path) -> None:
    done = run("init", "labs", cwd=tmp_path)
    assert done.code == 2
    assert all(name in done.err for name in NAMES)


def test_a_policy_that_does_not_fit_is_shown_and_not_written(tmp_path: Path) -> None:
    done = run("init", "lab", "--set", "gpu=No-Such-GPU", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "--> policy.yaml:8:24" in done.err
    assert "nothing is written" in done.err
    assert os.listdir(tmp_path) == []


def test_a_file_that_exists_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("mine")
    done = run("init", "lab", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "'policy.yaml' exists and is not overwritten" in done.err
    assert (tmp_path / "policy.yaml").read_text() == "mine"


def test_a_dangling_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").symlink_to("elsewhere.yaml")
    assert run("init", "lab", cwd=tmp_path).code == 2
    assert not (tmp_path / "elsewhere.yaml").exists()


def test_one_file_that_exists_keeps_the_whole_folder_from_being_written(tmp_path: Path) -> None:
    taken = tmp_path / "policy" / "tenants"
    taken.mkdir(parents=True)
    (taken / "lidar.yaml").write_text("mine")
    done = run("init", "org-tree", cwd=tmp_path)
    assert done.code == 2
    assert os.listdir(tmp_path / "policy") == ["tenants"]
    assert os.listdir(taken) == ["lidar.yaml"]


def test_a_folder_that_cannot_be_made_is_code_2(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("init", "lab", "--out", "file/policy.yaml", cwd=tmp_path)
    assert done.code == 2
    assert "cannot write 'file/policy.yaml': " in done.err


def test_several_files_do_not_go_to_standard_output(tmp_path: Path) -> None:
    done = run("init", "org-tree", "--out", "-", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")


def test_overlays_are_checked_and_written_too(tmp_path: Path) -> None:
    done = run("init", "environments", "--out", "envs", cwd=tmp_path)
    assert done.code == 0
    overlay = "envs/overlays/prod.yaml"
    assert run("validate", "envs/base", "--overlay", overlay, cwd=tmp_path).code == 0


def test_an_overlay_that_no_longer_fits_keeps_everything_from_being_written(tmp_path: Path) -> None:
    setting = "nodePools[serve].name=other"
    done = run("init", "environments", "--set", setting, "--out", "envs", cwd=tmp_path)
    assert done.code == 1
    assert os.listdir(tmp_path) == []


def test_the_list_names_every_blueprint_and_for_whom_it_is() -> None:
    done = run("init", "--list")
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == NAMES
    assert all(" For " in line for line in lines[1:])


def test_the_list_of_one_blueprint_is_its_parameters() -> None:
    rows = run("init", "lab", "--list").out.splitlines()
    assert rows[0].split() == ["PARAMETER", "DEFAULT", "MEANS"]
    assert [row.split()[:2] for row in rows[1:]] == [["gpu", "RTX-4090"], ["replicas", "4"]]


def test_nothing_is_asked_without_a_terminal(tmp_path: Path) -> None:
    done = run("init", "lab", "--interactive", cwd=tmp_path, stdin=b"L4\n3\n")
    assert (done.code, done.out) == (2, "")
    assert "--interactive needs a terminal" in done.err


def test_interactive_asks_for_what_is_not_set(tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*ARGUMENTS, "init", "lab", "--interactive", "--set", "gpu=L4"],
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(),
    ) as process:
        os.close(follower)
        os.write(leader, b"6\n")
        _, err = process.communicate(timeout=60)
    os.close(leader)
    assert process.returncode == 0
    assert err.startswith(b"replicas (how many share the card) [4]: ")
    text = (tmp_path / "policy.yaml").read_text()
    assert "gpu: L4," in text
    assert "timeSlicing: 6" in text


_ODD = (
    "-2",
    "0",
    "1",
    "1000001",
    "9" * 30,
    "abc",
    "",
    "1.5",
    "null",
    "[1]",
    "a: b",
    "#x",
    '"',
    "-",
)


@pytest.mark.parametrize("value", _ODD)
@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, one.name) for name in NAMES for one in blueprint.find(name).parameters],
)
def test_every_parameter_takes_or_refuses_any_value(name: str, parameter: str, value: str) -> None:
    """A refusal points at the value that was set, and says what is wrong with the value."""
    chosen = blueprint.find(name)
    files = chosen.filled({parameter: value})
    overlays = {overlay.name for overlay in chosen.overlays}
    sources = [SourceText(n, text.encode()) for n, text in files.items() if n not in overlays]
    compiled = check_policy(sources, today="2026-11-30")
    assert compiled.document is not None
    errors = [one for one in compiled.diagnostics if one.severity is Severity.ERROR]
    for one in errors:
        assert one.hint, one
        assert "without quotes" not in one.hint
        if value.lstrip("-").isdecimal() and len(value) < 9:
            assert "is text" not in one.message


def test_a_key_that_is_no_parameter_is_named_by_its_path() -> None:
    done = run("init", "lab", "--set", "nodes=-2", "--out", "-")
    assert done.code == 2
    assert "by its path it is nodePools[lab].nodes" in done.err
    done = run("init", "lab", "--set", "nodePools[lab].nodes=-2", "--out", "-")
    assert done.code == 1
    assert "nodes.count -2 is negative" in done.err
    assert "help: write from 0" in done.err
