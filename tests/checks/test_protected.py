from __future__ import annotations

import pytest

from gpupolicy.checks.protected import check
from gpupolicy.diagnostics.model import Diagnostic
from tests.checks.subject import codes
from tests.checks.subject import findings

BASE = """
nodePools:
  - name: train
    gpu: A10
    nodes: 4
    gpusPerNode: 8
    allocatable: {cpu: "80", memory: 800Gi}
  - {name: spot, gpu: T4, gpusPerNode: 4, nodes: {min: 0, max: 4, spot: true}}
  - {name: cpu, nodes: 2, allocatable: {cpu: "60", memory: 240Gi}}
slas: [{name: safe, preemptible: false}, {name: any}]
tenants:
  - name: team
    namespaces: [team]
    sla: %s
    quotas:
      - {pool: train, guaranteed: 16}
      - {pool: spot, guaranteed: 4}
      - {pool: cpu, cpu: 40, memory: 40Gi}
    workloads: [%s]
"""


def _found(workloads: str, sla: str = "safe") -> list[Diagnostic]:
    return findings(check, BASE % (sla, workloads))


@pytest.mark.parametrize(
    ("workloads", "sla", "expected"),
    [
        ("{name: a, pool: train, pods: 16}", "safe", []),
        ("{name: a, pool: train, pods: 17}", "safe", ["GP643"]),
        ("{name: a, pool: train, pods: 17}", "any", []),
        ("{name: a, pool: train, pods: 17, sla: safe}", "any", ["GP643"]),
        ("{name: a, pool: train, pods: 8}, {name: b, pool: train, pods: 8}", "safe", []),
        ("{name: a, pool: train, pods: 8}, {name: b, pool: train, pods: 9}", "safe", ["GP643"]),
        (
            "{name: a, pool: train, pods: 8}, {name: b, pool: train, pods: 9, sla: any}",
            "safe",
            [],
        ),
    ],
)
def test_protected_work_fits_the_guarantee_together(
    workloads: str, sla: str, expected: list[str]
) -> None:
    assert codes(_found(workloads, sla)) == expected


def test_the_smallest_set_that_is_too_large_is_shown() -> None:
    rows = ", ".join(f"{{name: w{n}, pool: train, pods: {n}}}" for n in (2, 9, 1, 8, 3))
    (found,) = _found(rows)
    assert found.message == (
        "must not be evicted: 2 workloads need 17 devices > guaranteed 16 of tenant 'team' on pool "
        "'train'"
    )
    assert [place.message for place in found.related] == [
        "the guarantee",
        "'w9' needs 9",
        "'w8' needs 8",
    ]
    assert found.hint == "'guaranteed: 23' holds all that is protected"


def test_cpu_and_memory_count_too() -> None:
    """16 GPUs go with 160 cpu; what a workload does not write is its share."""
    one = "{name: a, pool: train, pods: 8}"
    assert codes(_found(f"{one}, {{name: b, pool: train, pods: 8, cpu: 10}}")) == []
    (found,) = _found(f"{one}, {{name: b, pool: train, pods: 8, cpu: 11}}")
    assert found.code == "GP644"
    assert found.message == (
        "must not be evicted: 168 cpu > 160 that tenant 'team' is guaranteed on pool 'train'"
    )
    assert found.path[-2:] == (1, "cpu")


def test_a_cpu_pool() -> None:
    assert codes(_found("{name: a, pool: cpu, pods: 4, cpu: 10}")) == []
    assert codes(_found("{name: a, pool: cpu, pods: 4, cpu: 11}")) == ["GP644"]


def test_spot_nodes_protect_nothing() -> None:
    assert codes(_found("{name: a, pool: spot}")) == ["GP645"]
    assert codes(_found("{name: a, pool: spot}", "any")) == []
