from __future__ import annotations

import pytest

from gpupolicy.checks.workload_places import check
from gpupolicy.diagnostics.model import Diagnostic
from tests.checks.subject import codes
from tests.checks.subject import findings

POOLS = """
nodePools:
  - name: train
    gpu: A10
    nodes: 4
    gpusPerNode: 8
    allocatable: {cpu: "80", memory: 800Gi}
  - name: infer
    gpu: A100-SXM4-80GB
    nodes: 1
    gpusPerNode: 8
    sharing: {mig: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}}
  - {name: cpu, nodes: 2, allocatable: {cpu: "60", memory: 240Gi}}
tenants:
  - {name: other, namespaces: [other], quotas: [{pool: train, guaranteed: 16, lend: 8}]}
  - name: team
    namespaces: [team]
    quotas: [%s]
    workloads: [{name: w, %s}]
"""
QUOTAS = (
    "{pool: train, guaranteed: 8, limit: 20}, {pool: infer, device: 2g.20gb, guaranteed: 8}, "
    "{pool: cpu, cpu: 40, memory: 40Gi}"
)
KUEUE = 'platform: {kubernetes: "1.34", kueue: {}}\n'


def _found(workload: str, quotas: str = QUOTAS, head: str = KUEUE) -> list[Diagnostic]:
    return findings(check, head + POOLS % (quotas, workload))


@pytest.mark.parametrize(
    "workload",
    [
        "pool: train, pods: 2, gpusPerPod: 8",
        "pool: train, pods: 20",
        "pool: train, pods: 4, gpusPerPod: 5",
        "pool: train, pods: 2, gpusPerPod: 8, cpu: 80, memory: 800Gi",
        "pool: infer, device: 2g.20gb, pods: 8",
        "pool: cpu, pods: 2, cpu: 60",
        "pool: train, pods: 8, gpusPerPod: 0, cpu: 40",
        "device: 2g.20gb, pods: 8",
        "pods: 12",
    ],
)
def test_what_fits_is_silent(workload: str) -> None:
    assert _found(workload) == []


@pytest.mark.parametrize(
    ("workload", "code", "message"),
    [
        (
            "pool: infer, device: 1g.10gb",
            "GP630",
            "tenant 'team' has no quota on '1g.10gb' of pool 'infer', where workload 'w' runs",
        ),
        (
            "pool: train, gpusPerPod: 16",
            "GP632",
            "a pod of workload 'w' asks for 16 > 8 devices of a node of pool 'train'",
        ),
        (
            "pool: train, cpu: 100",
            "GP632",
            "a pod of workload 'w' asks for 100 cpu > 80 of a node of pool 'train'",
        ),
        (
            "pool: cpu, memory: 241Gi",
            "GP632",
            "a pod of workload 'w' asks for 241Gi memory > 240Gi of a node of pool 'cpu'",
        ),
        (
            "pool: train, pods: 5, gpusPerPod: 5",
            "GP633",
            "workload 'w' has 5 pods > 4 that pool 'train' holds: 4 nodes, 1 on each",
        ),
        (
            "pool: cpu, pods: 5, cpu: 30",
            "GP633",
            "workload 'w' has 5 pods > 4 that pool 'cpu' holds: 2 nodes, 2 on each",
        ),
        (
            "pool: train, pods: 3, gpusPerPod: 8",
            "GP634",
            "workload 'w' needs 24 devices > limit 20 of tenant 'team' on pool 'train'",
        ),
    ],
)
def test_what_does_not_fit(workload: str, code: str, message: str) -> None:
    (found,) = _found(workload)
    assert (found.code, found.message) == (code, message)


def test_a_pool_without_quota() -> None:
    (found,) = _found("pool: train", "{pool: cpu, cpu: 4}")
    assert found.message == "tenant 'team' has no quota on pool 'train', where workload 'w' runs"
    assert found.hint == "it has quotas on 'cpu'"


def test_a_quota_on_the_same_pool_that_could_not_be_read_is_reported_alone() -> None:
    assert _found("pool: infer, device: 2g.20gb", "{pool: infer}") == []
    assert _found("pool: train", "{pool: trian}") == []


def test_beyond_all_that_can_be_borrowed() -> None:
    """Own 8, lent 8 by the other, 8 of nobody."""
    quota = "{pool: train, guaranteed: 8}"
    assert _found("pool: train, pods: 3, gpusPerPod: 8", quota) == []
    (found,) = _found("pool: train, pods: 25", quota)
    assert found.code == "GP635"
    assert found.message == (
        "workload 'w' needs 25 devices of pool 'train', and 24 can ever be had: 8 of its own + 16 "
        "borrowed"
    )


def test_with_resource_quota_the_guarantee_is_all() -> None:
    head = 'platform: {kubernetes: "1.34"}\n'
    (found,) = _found("pool: train, pods: 9", "{pool: train, guaranteed: 8}", head)
    assert found.message == (
        "workload 'w' needs 9 devices of pool 'train', and 8 are guaranteed, and nothing is "
        "borrowed: 8 of its own"
    )


def test_without_pool_another_pool_may_do() -> None:
    quotas = "{pool: infer, device: 2g.20gb, guaranteed: 8}, {pool: train, guaranteed: 8}"
    assert _found("pods: 2, gpusPerPod: 4", quotas) == []
    (found,) = _found("pods: 10, gpusPerPod: 4", quotas)
    assert (found.code, found.path[-1]) == ("GP631", "name")
    assert [place.message for place in found.related] == [
        "not on pool 'infer': workload 'w' has 10 pods > 2 that pool 'infer' holds: 1 node, 2 on "
        "each",
        "not on pool 'train': workload 'w' has 10 pods > 8 that pool 'train' holds: 4 nodes, 2 on "
        "each",
    ]


def test_memory_that_no_device_has_is_said_in_numbers() -> None:
    quotas = "{pool: infer, device: 2g.20gb, guaranteed: 8}, {pool: train, guaranteed: 8}"
    (found,) = _found("gpuMemory: 30Gi", quotas)
    assert found.code == "GP631"
    assert [place.message for place in found.related] == [
        "not on pool 'infer': it needs 30720 MiB > 19968 MiB of one '2g.20gb', over by 10752 MiB",
        "not on pool 'train': it needs 30720 MiB > 23028 MiB of one 'gpu', over by 7692 MiB",
    ]
    assert found.hint == "give the tenant a quota on a pool with larger devices"
    (found,) = _found("gpusPerPod: 100, gpuMemory: 1Gi", quotas)
    assert (found.hint or "").startswith("on pool 'infer': ")


def test_without_pool_and_one_candidate_the_reason_is_the_finding() -> None:
    assert codes(_found("pods: 9", "{pool: train, guaranteed: 8, limit: 8}")) == ["GP634"]


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        ("device: 7g.80gb", "tenant 'team' has no quota on a device '7g.80gb'"),
        ("gpusPerPod: 1", "tenant 'team' has no quota on GPUs for workload 'w'"),
    ],
)
def test_no_quota_that_could_do(workload: str, message: str) -> None:
    (found,) = _found(workload, "{pool: cpu, cpu: 4}")
    assert (found.code, found.message) == ("GP631", message)


@pytest.mark.parametrize(("pods", "faults"), [(200, []), (201, ["GP633"])])
def test_a_node_runs_the_pods_that_allocatable_says(pods: int, faults: list[str]) -> None:
    pool = "{name: a, gpu: A10, nodes: 4, gpusPerNode: 8, sharing: {timeSlicing: 20}, "
    text = f"""
nodePools: [{pool}allocatable: {{pods: 50}}}}]
tenants:
  - name: team
    namespaces: [team]
    quotas: [{{pool: a, guaranteed: 640}}]
    workloads: [{{name: w, pods: {pods}}}]
"""
    assert codes(findings(check, KUEUE + text)) == faults
