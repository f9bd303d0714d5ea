from __future__ import annotations

import pytest

from gpupolicy.checks.workload_resources import check
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import findings

POOLS = """
nodePools:
  - name: train
    gpu: A10
    nodes: 4
    gpusPerNode: 8
    allocatable: {cpu: "180", memory: 800Gi}
  - {name: bare, gpu: T4, nodes: 4, gpusPerNode: 8}
  - {name: cpu, nodes: 2, allocatable: {cpu: "60", memory: 240Gi}}
tenants:
  - {name: team, namespaces: [team], quotas: [%s], workloads: [{name: w, %s}]}
"""


def _found(quotas: str, workload: str, head: str = "") -> list[Diagnostic]:
    return findings(check, head + POOLS % (quotas, workload))


@pytest.mark.parametrize(
    ("quota", "workload"),
    [
        ("{pool: train, guaranteed: 8}", "pool: train, gpusPerPod: 8, cpu: 180, memory: 800Gi"),
        ("{pool: train, guaranteed: 8}", "pool: train, cpu: 22500m"),
        ("{pool: train, guaranteed: 8, cpu: 184}", "pool: train, cpu: 23"),
        ("{pool: train, guaranteed: 0}", "pool: train, cpu: 60"),
        ("{pool: bare, guaranteed: 8}", "pool: bare, cpu: 60"),
        ("{pool: train, guaranteed: 8}", "pool: train"),
    ],
)
def test_what_goes_with_the_devices(quota: str, workload: str) -> None:
    assert _found(quota, workload) == []


def test_more_than_goes_with_the_devices_needs_fair_sharing() -> None:
    (found,) = _found("{pool: train, guaranteed: 8}", "pool: train, gpusPerPod: 4, cpu: 91")
    assert (found.code, found.severity) == ("GP640", Severity.WARNING)
    assert found.message == (
        "a pod of workload 'w' asks for 91 cpu > 90 that go with its devices: it needs fair "
        "sharing to get its guarantee back"
    )
    assert "'cpu: 90'" in (found.hint or "")


def test_more_than_the_tenant_can_have() -> None:
    quota = "{pool: train, guaranteed: 4, limit: 8}"
    assert codes(_found(quota, "pool: train, pods: 8, cpu: 22")) == []
    (found,) = _found(quota, "pool: train, pods: 8, cpu: 23")
    assert found.message == (
        "workload 'w' needs 184 cpu > 180 that tenant 'team' can have on pool 'train'"
    )
    assert (found.code, found.path[-1]) == ("GP641", "cpu")
    assert codes(_found("{pool: train, guaranteed: 4}", "pool: train, pods: 8, cpu: 23")) == [
        "GP640"
    ]


@pytest.mark.parametrize(
    ("quotas", "workload", "expected"),
    [
        ("{pool: train}", "gpusPerPod: 0", Severity.WARNING),
        ("{pool: train}, {pool: cpu, cpu: 4}", "gpusPerPod: 0", Severity.NOTE),
        ("{pool: train}, {pool: cpu, cpu: 4}", "gpusPerPod: 0, pool: cpu", None),
        ("{pool: cpu, cpu: 4}", "gpusPerPod: 0", None),
        ("{pool: train}", "gpusPerPod: 1", None),
    ],
)
def test_work_without_gpus(quotas: str, workload: str, expected: Severity | None) -> None:
    found = _found(quotas, workload)
    assert [(one.code, one.severity) for one in found] == (
        [("GP642", expected)] if expected else []
    )


def test_other_holders_do_not_count_both() -> None:
    head = 'platform: {kubernetes: "1.34", volcano: {}}\n'
    assert _found("{pool: train, guaranteed: 8}", "pool: train, cpu: 91", head) == []
