from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpupolicy.targets.priority import emit
from tests.targets import plans
from tests.targets.written import objects
from tests.targets.written import written

CLASSES = (
    plans.priority("realtime", 1000000, description="online inference"),
    plans.priority("training", 500000, global_default=True),
    plans.priority("batch", -5, preempts=False),
)


@pytest.mark.parametrize("holder", ["kueue", "volcano", "resourceQuota"])
def test_writes(holder: Any, snapshot: Any) -> None:
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    plan = plans.plan(quota_holder=holder, priorities=CLASSES)
    snapshot.assert_match_dir(written(emit(plan)), holder)


@pytest.mark.parametrize(
    ("version", "api"),
    [
        ("0.19", "kueue.x-k8s.io/v1beta2"),
        ("0.15", "kueue.x-k8s.io/v1beta2"),
        ("0.14", "kueue.x-k8s.io/v1beta1"),
    ],
)
def test_the_api_version_is_the_one_that_kueue_serves(version: str, api: str) -> None:
    platform = plans.platform(components={"kueue": version})
    found = objects(
        emit(plans.plan(platform=platform, priorities=CLASSES)), "WorkloadPriorityClass"
    )
    assert {data["apiVersion"] for data in found} == {api}


def test_behind_kueue_the_scheduler_never_preempts_and_the_numbers_agree() -> None:
    found = objects(emit(plans.plan(priorities=CLASSES)))
    classes = [data for data in found if data["kind"] == "PriorityClass"]
    assert {data["preemptionPolicy"] for data in classes} == {"Never"}
    numbers = [(data["metadata"]["name"], data["value"]) for data in classes]
    queued = [d for d in found if d["kind"] == "WorkloadPriorityClass"]
    assert [(data["metadata"]["name"], data["value"]) for data in queued] == numbers


def test_without_kueue_the_policy_is_what_the_user_said() -> None:
    plan = plans.plan(quota_holder="resourceQuota", priorities=CLASSES)
    policies = [data["preemptionPolicy"] for data in objects(emit(plan))]
    assert policies == ["PreemptLowerPriority", "PreemptLowerPriority", "Never"]
