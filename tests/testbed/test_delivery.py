"""`diff --cluster` on a real API server: what an apply would change, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.command import BLUEPRINTS
from tests.cli.command import run
from tests.testbed.bed import Bed
from tests.testbed.bed import compiled

POLICY = (Path(BLUEPRINTS) / "university-mig.yaml").read_text()


def diff(bed: Bed, folder: Path, policy: str) -> tuple[int, list[dict[str, Any]]]:
    (folder / "policy.yaml").write_text(policy)
    config = str(bed.plane._kubeconfig)
    path = str(folder / "policy.yaml")
    done = run("diff", path, "--cluster", "--kubeconfig", config, "-o", "json")
    assert done.code in (0, 1), done.err
    return done.code, json.loads(done.out)["changes"]


def names(changes: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    return {(one["operation"], one["kind"], one["name"]) for one in changes}


def test_what_was_applied_does_not_differ_and_a_change_does(bed: Bed, tmp_path: Path) -> None:
    made = compiled(POLICY)
    assert made.bundle is not None
    bed.lay(made)
    bed.wait_for_queues()
    assert diff(bed, tmp_path, POLICY) == (0, [])

    queue = next(one for one in made.bundle.manifests if one.key.kind == "ClusterQueue")
    label = json.dumps({"metadata": {"labels": {"example.com/other": "manager"}}}).encode()
    path = f"{bed.api.path_to(dict(queue.data))}?fieldManager=other"
    bed.api.call("PATCH", path, label, "merge-patch+json")
    assert diff(bed, tmp_path, POLICY) == (0, [])

    lower = POLICY.replace("guaranteed: 96", "guaranteed: 92")
    code, changes = diff(bed, tmp_path, lower)
    assert code == 1
    assert {("update", "ClusterQueue", "courses"), ("update", "Cohort", "university-mig")} <= names(
        changes
    )
    assert {one["operation"] for one in changes} == {"update"}

    fewer = POLICY.replace("[course-ml, course-vision]", "[course-ml]")
    code, changes = diff(bed, tmp_path, fewer)
    gone = {one["kind"] for one in changes if one["operation"] == "delete"}
    assert {"Namespace", "LocalQueue"} <= gone
    assert all(
        "vision" in f"{one['namespace']}{one['name']}"
        for one in changes
        if one["operation"] == "delete"
    )
