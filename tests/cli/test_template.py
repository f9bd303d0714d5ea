"""`template`: the manifest of one workload, or why there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from gpupolicy.cli.main import main
from tests.cli.command import BLUEPRINTS
from tests.cli.command import run

FIELD = os.path.join(BLUEPRINTS, "field-800-a100.yaml")
RAY = """
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {name: rays}
spec:
  platform: {kubernetes: "1.34", kueue: {version: "0.19"}}
  nodePools:
    - {name: train, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8,
       allocatable: {cpu: "180", memory: 1900Gi, ephemeral-storage: 2Ti}}
  tenants:
    - name: vision
      namespaces: [vision]
      quotas: [{pool: train, guaranteed: 16}]
      workloads: [{name: tune, kind: RayJob, pods: 2}]
"""


def test_it_is_what_compile_writes(tmp_path: Path) -> None:
    assert main(["compile", FIELD, "--out", str(tmp_path / "out")]) == 0
    done = run("template", "foundation/pretrain-70b", FIELD)
    assert done.code == 0
    path = tmp_path / "out" / "files" / "workloads" / "foundation" / "pretrain-70b.yaml"
    assert done.out == path.read_text(encoding="utf-8")
    kinds = [one["kind"] for one in yaml.safe_load_all(done.out)]
    assert kinds == ["PersistentVolumeClaim", "JobSet"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("foundation/pretrain", "did you mean 'foundation/pretrain-70b'?"),
        ("zzz", "it declares foundation/pretrain-70b, search/ranker, research/notebook"),
        ("a\x1b[31m\n", "it declares"),
    ],
)
def test_a_workload_that_is_not_there(name: str, hint: str) -> None:
    done = run("template", name, FIELD)
    assert (done.code, done.out) == (2, "")
    assert hint in done.err
    assert "\x1b" not in done.err


def test_a_policy_without_workloads() -> None:
    done = run("template", "a/b", os.path.join(BLUEPRINTS, "lab.yaml"))
    assert done.code == 2
    assert "it declares none" in done.err


def test_a_kind_without_a_template_says_why(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(RAY)
    done = run("template", "vision/tune", "policy.yaml", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "'tune' has no template: there are templates of" in done.err


def test_a_policy_with_errors_has_no_templates(tmp_path: Path) -> None:
    broken = RAY.replace("guaranteed: 16", "guaranteed: 17").replace("RayJob", "Job")
    (tmp_path / "policy.yaml").write_text(broken)
    done = run("template", "vision/tune", "policy.yaml", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "error[GP" in done.err
    fine = broken.replace("guaranteed: 17", "guaranteed: 16")
    (tmp_path / "policy.yaml").write_text(fine)
    assert run("template", "vision/tune", "policy.yaml", cwd=tmp_path).code == 0
