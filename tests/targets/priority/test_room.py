from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpupolicy.targets.priority import emit
from gpupolicy.targets.priority import unsupported
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


def never(*names: str) -> tuple[Any, ...]:
    values = {"high": 3, "middle": 2, "low": 1}
    return tuple(plans.priority(n, v, preempts=n not in names) for n, v in values.items())


ALL = ("high", "middle", "low")


@pytest.mark.parametrize(
    ("priorities", "classes", "all_never", "expected"),
    [
        (never("low"), ALL, False, None),
        (never("middle"), ("high", "middle"), False, None),
        (never(*ALL), ALL, True, None),
        (never("middle"), ALL, False, "class 'middle' (2) may stop work of class 'low'"),
        (never("high", "middle"), ("high", "low"), False, "class 'high' (3) may stop"),
    ],
    ids=["lowest", "lowest of the tenant", "all", "middle", "highest"],
)
def test_never_for_one_class(priorities: Any, classes: Any, all_never: bool, expected: Any) -> None:
    tenant = plans.tenant(priority_classes=classes, never_preempts=all_never)
    plan = plans.plan(priorities=priorities, tenants=(tenant,))
    found = list(unsupported(plan))
    assert [f.code for f in found] == (["GP514"] if expected else [])
    assert all(expected in f.message for f in found)
    assert (
        list(
            unsupported(
                plans.plan(quota_holder="volcano", priorities=priorities, tenants=(tenant,))
            )
        )
        == []
    )


def test_the_finding_points_at_the_class_once() -> None:
    tenants = tuple(plans.tenant(name, priority_classes=ALL) for name in ("a", "b"))
    (found,) = unsupported(plans.plan(priorities=never("middle"), tenants=tenants))
    assert found.path == ("spec", "priorityClasses", 1, "preemptionPolicy")
