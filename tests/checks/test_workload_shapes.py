from __future__ import annotations

import pytest

from gpupolicy.checks.workload_shapes import check
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import findings

BASE = """
nodePools: [{name: train, gpu: A10, nodes: 16, gpusPerNode: 8}]
priorityClasses: [{name: high, value: 2}, {name: low, value: 1}]
tenants:
  - name: team
    namespaces: [team]
    %s
    quotas: [{pool: train, guaranteed: 8}]
    workloads: [{name: w, %s}]
"""
PLAIN = 'platform: {kubernetes: "1.34"}\n'


def _found(workload: str, head: str = "", tenant: str = "labels: {}") -> list[Diagnostic]:
    return findings(check, head + BASE % (tenant, workload))


@pytest.mark.parametrize(
    "workload",
    [
        "kind: Job",
        "pods: 8, gang: true",
        "pods: 8, gang: 8",
        "pods: 8, gang: 6, kind: JobSet",
        "pods: 2, topology: {required: host}",
        "gpusPerPod: 0",
        "gpusPerPod: 2.0",
        "kind: Deployment, pods: 4, priorityClass: low",
    ],
)
def test_sensible_workloads_are_silent(workload: str) -> None:
    assert _found(workload) == []


def test_a_051_a_gang_larger_than_the_job() -> None:
    (found,) = _found("pods: 4, gang: 8")
    assert (found.code, found.path[-1]) == ("GP622", "gang")
    assert found.message == "gang 8 > 4 pods of workload 'w'"
    assert found.hint == "write 'gang: 4' or 'gang: true', or more pods"
    assert _found("pods: 4, gang: 4") == []


@pytest.mark.parametrize("workload", ["pods: 0", "pods: -1", "gpusPerPod: 50%"])
def test_numbers_that_count_nothing(workload: str) -> None:
    assert codes(_found(workload)) == ["GP620"]


def test_a_054_a_pod_takes_no_part_of_a_device() -> None:
    (found,) = _found("gpusPerPod: 0.5")
    assert found.message == "workload 'w' has 0.5 devices in a pod"
    assert all(way in (found.hint or "") for way in ("mig", "mps", "timeSlicing"))
    kai = 'platform: {kubernetes: "1.34", kai: {}}\n'
    shared = BASE.replace("gpusPerNode: 8", "gpusPerNode: 8, sharing: {fractions: true}")
    assert findings(check, kai + shared % ("labels: {}", "gpusPerPod: 0.5")) == []


def test_topology_and_gangs_need_somebody_who_places() -> None:
    head = 'platform: {kubernetes: "1.34", kueue: {}}\nscheduling: {gang: none}\n'
    assert codes(_found("pods: 2, gang: true", head)) == ["GP625"]
    assert codes(_found("gang: true", head)) == []
    assert codes(_found("topology: {preferred: host}", head)) == ["GP623"]
    assert codes(_found("pods: 2, gang: true, topology: {required: host}", PLAIN)) == [
        "GP625",
        "GP623",
    ]


def test_one_level_only() -> None:
    assert codes(_found("topology: {required: host, preferred: host}")) == ["GP624"]


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("job", "did you mean 'Job'?"),
        ("RayJobs", "did you mean 'RayJob'?"),
        ("DaemonSet", None),
        ("ReplicaSet", None),
    ],
)
def test_kinds_that_kueue_does_not_queue(kind: str, hint: str | None) -> None:
    (found,) = _found(f"kind: {kind}")
    assert (found.code, found.severity) == ("GP626", Severity.WARNING)
    assert hint is None or found.hint == hint
    assert _found(f"kind: {kind}", PLAIN) == []


def test_the_pods_of_a_deployment_are_no_gang() -> None:
    assert codes(_found("kind: Deployment, pods: 2, gang: true")) == ["GP628"]
    assert codes(_found("kind: StatefulSet, pods: 2, gang: true")) == []


@pytest.mark.parametrize(
    ("classes", "name", "expected"),
    [
        ("priorityClasses: [low]", "low", []),
        ("priorityClasses: [low]", "high", ["GP627"]),
        ("priorityClasses: []", "high", ["GP627"]),
        ("labels: {}", "high", []),
        ("labels: {}", "nobody", []),
        ("priorityClasses: [lwo]", "low", []),
    ],
)
def test_classes_of_the_tenant(classes: str, name: str, expected: list[str]) -> None:
    assert codes(_found(f"priorityClass: {name}", tenant=classes)) == expected
