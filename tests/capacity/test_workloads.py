from __future__ import annotations

from typing import Any

import pytest

from gpupolicy.capacity.reach import reaches
from gpupolicy.capacity.resolve import resolve
from gpupolicy.capacity.workloads import choose
from gpupolicy.facts.catalog import facts
from gpupolicy.spec.v1alpha1.policy import Policy

POOLS: list[dict[str, Any]] = [
    {"name": "small", "gpu": "A10", "nodes": 2, "gpusPerNode": 2},
    {"name": "large", "gpu": "H100-SXM5-80GB", "nodes": 4, "gpusPerNode": 8},
    {"name": "cpu", "nodes": 2, "allocatable": {"cpu": "60", "memory": "240Gi"}},
]
ALL = [{"pool": "small"}, {"pool": "large", "guaranteed": 8}, {"pool": "cpu", "cpu": "10"}]


def _pool(workload: dict[str, Any], quotas: list[dict[str, Any]] = ALL) -> str | None:
    tenant = {"name": "t", "quotas": quotas, "workloads": [{"name": "w", **workload}]}
    other = {"name": "o", "quotas": [{"pool": "large", "guaranteed": 16, "lend": 0}]}
    spec = {
        "platform": {"kubernetes": "1.34"},
        "nodePools": POOLS,
        "tenants": [tenant, other],
    }
    policy = Policy.model_validate({"metadata": {"name": "p"}, "spec": spec})
    capacity = resolve(policy, facts())
    subject = capacity.tenants["t"]
    place = choose(subject.spec.workloads[0], subject, capacity, reaches(capacity))
    return place.pool.name if place else None


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        ({}, "small"),
        ({"pool": "large"}, "large"),
        ({"gpusPerPod": 4}, "large"),
        ({"pods": 5}, "large"),
        ({"pods": 16}, "large"),
        ({"pods": 17}, None),
        ({"gpuMemory": "40Gi"}, "large"),
        ({"gpusPerPod": 0}, "cpu"),
        ({"gpusPerPod": 0, "cpu": "61"}, "small"),
        ({"device": "gpu"}, "small"),
        ({"device": "1g.10gb"}, None),
        ({"pool": "nowhere"}, None),
    ],
)
def test_the_first_pool_that_holds_a_workload(
    workload: dict[str, Any], expected: str | None
) -> None:
    """The other tenant keeps 16 of the 32 large GPUs, so that 16 can be had."""
    assert _pool(workload) == expected


def test_a_limit_holds_back_too() -> None:
    quotas = [{"pool": "large", "guaranteed": 2, "limit": 4}, {"pool": "small"}]
    assert _pool({"pods": 4}, quotas) == "large"
    assert _pool({"pods": 4, "gpusPerPod": 2}, quotas) is None
    assert _pool({"pods": 2, "gpusPerPod": 2}, quotas) == "large"


def test_a_tenant_without_gpus_has_work_without_gpus() -> None:
    quotas = [{"pool": "cpu", "cpu": "10"}]
    assert _pool({}, quotas) == "cpu"
    assert _pool({"gpuMemory": "1Gi"}, quotas) is None
    assert _pool({"gpusPerPod": 1}, quotas) is None
