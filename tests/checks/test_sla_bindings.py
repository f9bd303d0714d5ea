from __future__ import annotations

import pytest

from gpupolicy.checks.sla_bindings import check
from tests.checks.subject import codes
from tests.checks.subject import findings

BASE = """
nodePools:
  - {name: train, gpu: A10, nodes: 4, gpusPerNode: 4}
  - {name: dev, gpu: T4, nodes: 4, gpusPerNode: 4, sharing: {timeSlicing: 4}}
  - {name: mps, gpu: L4, nodes: 4, gpusPerNode: 4, sharing: {mps: 4}}
priorityClasses: [{name: realtime, value: 100}, {name: batch, value: 10}]
slas:
  - {name: safe, preemptible: false, queueWait: {objective: 99%, within: 40s}}
  - {name: slow, queueWait: {objective: 95%, within: 80s}}
  - {name: fast, latency: {metric: x_seconds, objective: 99%, within: 1s}}
tenants:
"""


def _found(tenant: str) -> list[str]:
    return codes(findings(check, BASE + f"  - {{name: t, namespaces: [t], {tenant}}}\n"))


@pytest.mark.parametrize(
    ("classes", "workload", "count"),
    [
        ("", "priorityClass: realtime", 0),
        ("", "priorityClass: batch", 1),
        ("", "sla: slow, priorityClass: batch", 0),
        ("", "kind: Job", 1),
        ("priorityClasses: [batch], ", "priorityClass: batch", 0),
        ("priorityClasses: [batch, realtime], ", "priorityClass: batch", 1),
    ],
)
def test_protected_work_has_the_highest_class(classes: str, workload: str, count: int) -> None:
    tenant = f"{classes}sla: safe, workloads: [{{name: w, {workload}}}]"
    assert _found(tenant) == ["GP601"] * count


def test_the_message_has_both_values() -> None:
    text = "  - {name: t, workloads: [{name: w, sla: safe, priorityClass: batch}]}\n"
    (found,) = findings(check, BASE + text)
    assert found.message == (
        "workload 'w' must not be evicted, and class 'batch' (10) is outranked by 'realtime' (100) "
        "of the same tenant"
    )
    assert found.path[-1] == "priorityClass"


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("priorityClass: batch", "priorityClass: batch", []),
        ("priorityClass: batch", "priorityClass: batch, sla: safe", ["GP602"]),
        ("priorityClass: realtime, sla: safe", "priorityClass: batch", []),
        ("sla: fast", "sla: slow", []),
        ("kind: Job", "sla: safe, kind: Job", ["GP602"]),
    ],
)
def test_one_wait_for_a_tenant_and_class(one: str, two: str, expected: list[str]) -> None:
    tenant = f"sla: slow, workloads: [{{name: a, {one}}}, {{name: b, {two}}}]"
    found = [code for code in _found(tenant) if code != "GP601"]
    assert found == expected


@pytest.mark.parametrize(
    ("tenant", "expected"),
    [
        ("sla: fast, quotas: [{pool: train}, {pool: dev}]", ["GP607"]),
        ("sla: fast, quotas: [{pool: train}, {pool: mps}]", []),
        ("sla: slow, quotas: [{pool: dev}]", []),
        ("sla: fast, quotas: [{pool: dev}], workloads: [{name: w, pool: dev}]", ["GP607"]),
        (
            "sla: fast, quotas: [{pool: dev}, {pool: train}], workloads: [{name: w, pool: train}]",
            [],
        ),
        ("quotas: [{pool: dev}], workloads: [{name: w, sla: fast}]", ["GP607"]),
    ],
)
def test_latency_on_time_sliced_gpus(tenant: str, expected: list[str]) -> None:
    assert _found(tenant) == expected


def test_an_sla_of_a_parent_binds_nothing() -> None:
    text = "  - {name: p, sla: slow}\n  - {name: c, parent: p, namespaces: [c], sla: slow}\n"
    (found,) = findings(check, BASE + text)
    assert (found.code, found.path) == ("GP612", ("spec", "tenants", 0, "sla"))
