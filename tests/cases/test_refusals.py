"""A refusal as a process sees it: exit code 1, nothing written, the finding in every form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases.outcome import policy
from tests.cases.outcome import unmark
from tests.cli.command import run

_POOL = "nodePools: [{name: train, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8%s}]\n"
_TENANT = "tenants: [{name: a, namespaces: [a], quotas: [{pool: train, guaranteed: %s}]}]\n"
# One for each phase that refuses: reading, validating, hardware, quota, targets.
_REFUSED = {
    "GP010": _POOL % ", nodes: 3",
    "GP101": _POOL % ", gpuCount: 8",
    "GP203": _POOL % ", sharing: {mig: {3g.40gb: 2, 1g.10gb: 1}}",
    "GP322": _POOL % ", sharing: {timeSlicing: 4}"
    + (_TENANT % "4, cpu: 4")
    .replace("}]}]", "}], workloads: [{name: w, pods: 4, gpuMemory: 40Gi}]}]")
    .replace(", cpu: 4", ""),
    "GP431": _POOL % "" + _TENANT % "17",
    "GP470": _POOL % "" + "priorityClasses: [{name: top, value: 2000000000}]\n",
    "GP500": _POOL % ", sharing: {passthrough: true}",
}


@pytest.mark.parametrize("code", _REFUSED)
def test_nothing_is_written_and_the_exit_code_says_so(code: str, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(policy(_REFUSED[code]))
    done = run("compile", "policy.yaml", "--out", "deploy", cwd=tmp_path)
    assert (done.code, done.out) == (1, ""), done.err
    assert f"error[{code}]: " in done.err
    assert "found 1 error\n" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["policy.yaml"]


@pytest.mark.parametrize("code", _REFUSED)
def test_what_was_written_before_stays(code: str, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(policy(_POOL % ""))
    assert run("compile", "policy.yaml", "--out", "deploy", cwd=tmp_path).code == 0
    before = _content(tmp_path / "deploy")
    (tmp_path / "policy.yaml").write_text(policy(_REFUSED[code]))
    assert run("compile", "policy.yaml", "--out", "deploy", cwd=tmp_path).code == 1
    assert _content(tmp_path / "deploy") == before


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("code", _REFUSED)
def test_machines_read_the_same(code: str, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(policy(_REFUSED[code]))
    done = run("compile", "policy.yaml", "-o", "json", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    (found,) = [one for one in json.loads(done.err) if one["severity"] == "error"]
    assert found["code"] == code
    assert found["file"] == "policy.yaml"
    assert found["range"]["start"]["line"] > 4
    assert found["message"]


def test_a_warning_is_in_both_forms_and_stops_nothing(tmp_path: Path) -> None:
    text, ((line, column, _, _),) = unmark(policy(_POOL % ", sharing: {timeSlicing: «1»}"))
    (tmp_path / "policy.yaml").write_text(text)
    done = run("compile", "policy.yaml", "--out", "deploy", cwd=tmp_path)
    assert done.code == 0
    assert "warning[GP306]: " in done.err
    assert f"policy.yaml:{line}:{column}" in done.err
    assert (tmp_path / "deploy" / "manifest.lock").exists()
    found = json.loads(run("validate", "policy.yaml", "-o", "json", cwd=tmp_path).out)
    assert [(one["code"], one["severity"]) for one in found] == [("GP306", "warning")]
    assert run("validate", "policy.yaml", "--strict", cwd=tmp_path).code == 1
