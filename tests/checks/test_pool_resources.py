from __future__ import annotations

import pytest

from gpupolicy.checks.pool_resources import check
from gpupolicy.diagnostics.model import Diagnostic
from tests.checks.subject import findings

POOLS = """
nodePools:
  - name: train
    gpu: A10
    nodes: 3
    gpusPerNode: 8
    reserve: {nodes: 1}
    allocatable: {cpu: "80", memory: 800Gi, rdma/ib: 8}
  - {name: cpu, nodes: 2, allocatable: {cpu: "60", memory: 240Gi, ephemeral-storage: 1Ti}}
tenants:
"""


def _found(*lines: str) -> list[Diagnostic]:
    rows = (
        f"  - {{name: t{i}, namespaces: [n{i}], quotas: [{line}]}}\n"
        for i, line in enumerate(lines)
    )
    return findings(check, POOLS + "".join(rows))


@pytest.mark.parametrize(
    "lines",
    [
        ("{pool: train, guaranteed: 16}",),
        ("{pool: train, guaranteed: 8, cpu: 100}", "{pool: train, guaranteed: 6}"),
        ("{pool: cpu, cpu: 60, memory: 240Gi}", "{pool: cpu, cpu: 60, memory: 240Gi}"),
    ],
)
def test_what_the_nodes_have(lines: tuple[str, ...]) -> None:
    assert _found(*lines) == []


def test_own_cpu_is_summed_with_what_goes_with_devices() -> None:
    (found,) = _found("{pool: train, guaranteed: 8, cpu: 100}", "{pool: train, guaranteed: 8}")
    assert found.message == "cpu 180 > 160 of pool 'train', over by 20: 100 for 't0' + 80 for 't1'"
    assert found.hint == "'cpu: 80' fits here"
    assert found.path == ("spec", "tenants", 0, "quotas", 0, "cpu")
    assert [place.message for place in found.related] == [
        "3 nodes, less 1 in reserve, each with 80 cpu",
        "'t0' has 100 cpu",
        "'t1' has 80 cpu",
    ]
    assert found.related[1].path[-1] == "cpu"


def test_a_cpu_pool() -> None:
    found = _found("{pool: cpu, cpu: 100, memory: 400Gi}", "{pool: cpu, cpu: 40, memory: 90Gi}")
    assert [one.message for one in found] == [
        "cpu 140 > 120 of pool 'cpu', over by 20: 100 for 't0' + 40 for 't1'",
        "memory 490Gi > 480Gi of pool 'cpu', over by 10Gi: 400Gi for 't0' + 90Gi for 't1'",
    ]


def test_guarantees_over_capacity_are_not_said_twice() -> None:
    assert _found("{pool: train, guaranteed: 17, cpu: 400}") == []


TREE = """
  - {name: org, quotas: [{pool: train, guaranteed: 8%s}]}
  - {name: a, parent: org, namespaces: [a], quotas: [{pool: train, guaranteed: 8, cpu: 90}]}
"""


def test_a_budget_of_cpu() -> None:
    (found,) = findings(check, POOLS + TREE % "")
    assert found.code == "GP434"
    assert found.message == (
        "the children of tenant 'org' have 90 cpu > its own 80 on pool 'train', over by 10"
    )
    assert findings(check, POOLS + TREE % ", cpu: 90") == []


def test_a_parent_without_a_budget_holds_what_its_children_hold() -> None:
    text = """
  - {name: org, quotas: [{pool: train}]}
  - {name: a, parent: org, namespaces: [a], quotas: [{pool: train, guaranteed: 8, cpu: 90}]}
  - {name: b, namespaces: [b], quotas: [{pool: train, guaranteed: 8}]}
"""
    (found,) = findings(check, POOLS + text)
    assert found.message == "cpu 170 > 160 of pool 'train', over by 10: 90 for 'org' + 80 for 'b'"
