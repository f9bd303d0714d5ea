"""`diff`: against a folder and a git revision, its forms, its exit codes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import BLUEPRINTS
from tests.cli.command import run

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is missing")


def policy(folder: Path, name: str = "university-mig") -> Path:
    path = folder / "policy.yaml"
    shutil.copyfile(Path(BLUEPRINTS) / f"{name}.yaml", path)
    return path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run([str(GIT), *who, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")


def test_against_its_own_output_nothing_differs(tmp_path: Path) -> None:
    policy(tmp_path)
    assert run("compile", "policy.yaml", "--out", "out", cwd=tmp_path).code == 0
    done = run("diff", "policy.yaml", "--against", "out", cwd=tmp_path)
    assert (done.code, done.out) == (0, "no differences\n")


def test_against_output_of_some_targets_only_these_are_compared(tmp_path: Path) -> None:
    policy(tmp_path)
    run("compile", "policy.yaml", "--out", "out", "--target", "kueue", cwd=tmp_path)
    assert run("diff", "policy.yaml", "--against", "out", cwd=tmp_path).code == 0


def test_a_file_changed_by_hand_and_one_that_is_gone_are_seen(tmp_path: Path) -> None:
    policy(tmp_path)
    run("compile", "policy.yaml", "--out", "out", cwd=tmp_path)
    edit(tmp_path / "out/priority/priorityclass-course.yaml", "value: 1000", "value: 7")
    (tmp_path / "out/kueue/cohort-university-mig.yaml").unlink()
    done = run("diff", "policy.yaml", "--against", "out", "-o", "json", cwd=tmp_path)
    assert done.code == 1
    whole = json.loads(done.out)
    assert whole["counts"] == {"create": 1, "update": 1, "delete": 0}
    assert whole["risks"] is None
    found = {(one["operation"], one["kind"], one["name"]) for one in whole["changes"]}
    assert found == {("update", "PriorityClass", "course"), ("create", "Cohort", "university-mig")}


def test_without_a_lock_or_a_side_it_is_a_usage_error(tmp_path: Path) -> None:
    policy(tmp_path)
    done = run("diff", "policy.yaml", "--against", ".", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "has no manifest.lock" in done.err
    assert run("diff", "policy.yaml", cwd=tmp_path).code == 2
    wrong = run("diff", "policy.yaml", "--against", ".", "--max-risk", "low", cwd=tmp_path)
    assert wrong.code == 2
    assert "--max-risk needs --base" in wrong.err


def test_errors_of_the_policy_are_no_difference(tmp_path: Path) -> None:
    path = policy(tmp_path)
    run("compile", "policy.yaml", "--out", "out", cwd=tmp_path)
    edit(path, "guaranteed: 96", "guaranteed: 9600")
    done = run("diff", "policy.yaml", "--against", "out", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "error[GP431]" in done.err


@needs_git
def test_a_revision_shows_changes_and_risks(tmp_path: Path) -> None:
    path = policy(tmp_path)
    commit(tmp_path)
    assert run("diff", "policy.yaml", "--base", "HEAD", cwd=tmp_path).code == 0
    edit(path, "name: course, value: 1000", "name: course, value: 1001")
    done = run("diff", "policy.yaml", "--base", "HEAD", cwd=tmp_path)
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0].split() == ["OPERATION", "KIND", "NAMESPACE", "NAME"]
    assert lines[1].split() == ["update", "PriorityClass", "course"]
    assert "0 to create, 2 to update, 0 to delete" in lines
    assert any(line.startswith("risk high: priority class course: value 1000") for line in lines)
    assert "-value: 1000" in lines
    assert "+value: 1001" in lines


@needs_git
def test_a_level_of_risk_stops_a_pipeline_only_above_it(tmp_path: Path) -> None:
    path = policy(tmp_path)
    commit(tmp_path)
    edit(path, "name: course, value: 1000", "name: course, value: 1001")
    codes = [
        run("diff", "policy.yaml", "--base", "HEAD", "--max-risk", level, cwd=tmp_path).code
        for level in ("low", "medium", "high")
    ]
    assert codes == [1, 1, 0]


@needs_git
def test_a_folder_is_read_at_the_revision_from_anywhere(tmp_path: Path) -> None:
    shutil.copytree(Path(BLUEPRINTS) / "org-tree", tmp_path / "deep/policy")
    commit(tmp_path)
    again = run("diff", str(tmp_path / "deep/policy"), "--base", "HEAD", cwd="/")
    assert (again.code, again.out) == (0, "no differences\n")
    # A hook's variables name another repository.
    hook = run("diff", "deep/policy", "--base", "HEAD", cwd=tmp_path, GIT_DIR="/nowhere")
    assert hook.code == 0


@needs_git
def test_what_is_not_in_the_revision_is_new(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("nothing yet\n")
    commit(tmp_path)
    policy(tmp_path, "lab")
    done = run("diff", "policy.yaml", "--base", "HEAD", "-o", "json", cwd=tmp_path)
    assert done.code == 1
    assert "all of it is new" in done.err
    assert {one["operation"] for one in json.loads(done.out)["changes"]} == {"create"}


@needs_git
def test_a_revision_that_is_missing_or_an_option_is_refused(tmp_path: Path) -> None:
    policy(tmp_path)
    outside = run("diff", "policy.yaml", "--base", "HEAD", cwd=tmp_path)
    assert outside.code == 2
    assert "not a git repository" in outside.err
    commit(tmp_path)
    for name in ("nope", "--all", "HEAD:policy.yaml"):
        done = run("diff", "policy.yaml", f"--base={name}", cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert f"git knows no revision '{name}'" in done.err


@needs_git
def test_a_base_with_errors_is_said_to_be_the_base(tmp_path: Path) -> None:
    path = policy(tmp_path)
    edit(path, "guaranteed: 96", "guaranteed: 9600")
    commit(tmp_path)
    edit(path, "guaranteed: 9600", "guaranteed: 96")
    done = run("diff", "policy.yaml", "--base", "HEAD", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "the policy at 'HEAD' does not compile:\nerror[GP431]" in done.err


@needs_git
def test_markdown_folds_each_change_and_stays_within_a_comment(tmp_path: Path) -> None:
    path = policy(tmp_path, "field-800-a100")
    commit(tmp_path)
    edit(path, "name: field-800-a100", "name: other")
    done = run("diff", "policy.yaml", "--base", "HEAD", "-o", "markdown", cwd=tmp_path)
    assert done.code == 1
    assert len(done.out) < 65_536
    assert "more are not shown here." in done.out
    assert done.out.count("<details>") == done.out.count("</details>") > 10
