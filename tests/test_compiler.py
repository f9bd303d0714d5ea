"""The pipeline: what comes of a policy, phase after phase, and how it is asked from Python."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import gpupolicy
from gpupolicy import SourceText
from gpupolicy import check_policy
from gpupolicy import compile_policy
from gpupolicy.diagnostics.model import Diagnostic

LAB = """\
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {name: lab}
spec:
  platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}}
  nodePools:
    - {name: lab, gpu: RTX-4090, nodes: 1, gpusPerNode: 1, sharing: {timeSlicing: 4}}
"""


def sources(text: str) -> list[SourceText]:
    return [SourceText("policy.yaml", text.encode())]


def codes(found: list[Diagnostic]) -> list[str]:
    return [one.code for one in found]


def test_a_sound_policy_gives_everything() -> None:
    compiled = compile_policy(sources(LAB))
    assert compiled.diagnostics == []
    assert compiled.document is not None
    assert compiled.policy is not None
    assert compiled.plan is not None
    assert compiled.bundle
    assert compiled.texts == {"policy.yaml": LAB}


def test_checking_lowers_and_emits_nothing() -> None:
    compiled = check_policy(sources(LAB))
    assert compiled.policy is not None
    assert (compiled.plan, compiled.bundle) == (None, None)


def test_text_that_cannot_be_read_gives_no_document_but_can_be_quoted() -> None:
    compiled = compile_policy(sources(LAB + "  : ["))
    assert (compiled.document, compiled.policy, compiled.bundle) == (None, None, None)
    assert compiled.diagnostics
    assert compiled.diagnostics[0].span is not None
    assert compiled.diagnostics[0].span.file in compiled.texts


def test_a_policy_that_is_not_valid_is_not_checked() -> None:
    compiled = compile_policy(sources(LAB.replace("nodes: 1", "nodez: 1")))
    assert compiled.document is not None
    assert compiled.policy is None
    assert {code[:3] for code in codes(compiled.diagnostics)} == {"GP1"}


def test_findings_of_reading_do_not_keep_the_checks_from_running() -> None:
    text = LAB.replace("metadata:", "metadata: {name: x}\nmetadata:").replace("RTX-4090", "Q9")
    found = codes(check_policy(sources(text)).diagnostics)
    assert "GP010" in found
    assert "GP440" in found


def test_a_policy_with_an_error_gives_no_manifests() -> None:
    compiled = compile_policy(sources(LAB.replace("RTX-4090", "Q9")))
    assert compiled.policy is not None
    assert codes(compiled.diagnostics) == ["GP440"]
    assert (compiled.plan, compiled.bundle) == (None, None)


def test_every_finding_has_its_place() -> None:
    (found,) = compile_policy(sources(LAB.replace("RTX-4090", "Q9"))).diagnostics
    assert found.span is not None
    assert (found.span.file, found.span.line, found.span.column) == ("policy.yaml", 7, 24)


def test_what_no_target_writes_yet_is_refused_at_compile_and_not_at_check() -> None:
    text = LAB.replace("{timeSlicing: 4}", "{passthrough: true}")
    assert check_policy(sources(text)).diagnostics == []
    compiled = compile_policy(sources(text))
    assert codes(compiled.diagnostics) == ["GP500"]
    assert compiled.plan is not None
    assert compiled.bundle is None


def test_targets_are_chosen_by_name() -> None:
    compiled = compile_policy(sources(LAB), targets=["device_plugin", "device_plugin"])
    assert compiled.bundle is not None
    assert {manifest.target for manifest in compiled.bundle.manifests} == {"device_plugin"}


def test_a_target_that_does_not_exist_is_the_callers_fault() -> None:
    with pytest.raises(KeyError, match="slurm"):
        compile_policy(sources(LAB), targets=["slurm"])


def test_nothing_to_write_is_an_error() -> None:
    compiled = compile_policy(sources(LAB), targets=["volcano"])
    assert codes(compiled.diagnostics) == ["GP750"]
    assert compiled.bundle is None


ONE_REPLICA = LAB.replace("timeSlicing: 4}}", "timeSlicing: 1}}")


def test_a_comment_suppresses_a_warning_of_a_check() -> None:
    assert codes(check_policy(sources(ONE_REPLICA)).diagnostics) == ["GP306"]
    accepted = ONE_REPLICA.rstrip() + "  # gpupolicy: ignore[GP306] it will grow\n"
    assert check_policy(sources(accepted)).diagnostics == []
    assert compile_policy(sources(accepted)).diagnostics == []


def test_the_end_of_a_suppression_is_judged_by_the_day_given() -> None:
    text = ONE_REPLICA.rstrip() + "  # gpupolicy: ignore[GP306] until=2027-03-01\n"
    assert check_policy(sources(text), today="2027-03-01").diagnostics == []
    late = check_policy(sources(text), today="2027-03-02").diagnostics
    assert codes(late) == ["GP306", "GP052"]


def test_a_suppression_of_what_only_compile_looks_for_is_not_unused_in_check() -> None:
    text = LAB.rstrip() + "  # gpupolicy: ignore[GP520] for Kueue\n"
    assert check_policy(sources(text)).diagnostics == []
    assert compile_policy(sources(text), targets=["nodes"]).diagnostics == []
    assert codes(compile_policy(sources(text)).diagnostics) == ["GP051"]


def test_overlays_point_into_the_file_that_said_it() -> None:
    overlay = SourceText("prod.yaml", b"spec: {nodePools: [{name: lab, gpu: Q9}]}\n")
    (found,) = check_policy(sources(LAB), [overlay]).diagnostics
    assert found.span is not None
    assert found.span.file == "prod.yaml"


def test_what_is_public_is_there_and_documented() -> None:
    for name in gpupolicy.__all__:
        assert getattr(gpupolicy, name) is not None
        assert name == "__version__" or getattr(gpupolicy, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gpupolicy.nothing  # noqa: B018


def test_the_example_of_the_package_runs(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(LAB)
    example = (gpupolicy.__doc__ or "").split("\n\n", 1)[1].rpartition("\n\n")[0]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(example)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "ObjectKey(" in done.stdout
