from __future__ import annotations

import pytest

from gpupolicy.checks.workload_gangs import check
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import findings

POLICY = """
nodePools:
  - name: train
    gpu: H100-SXM5-80GB
    nodes: 16
    gpusPerNode: 8
    topology:
      levels:
        - {name: block, nodeLabel: example.com/block, nodes: 16}
        - {name: rack, nodeLabel: example.com/rack, nodes: 8}
tenants:
  - name: team
    namespaces: [team]
    quotas: [{pool: train, guaranteed: %d}]
    workloads: [{name: w, pool: train, gpusPerPod: 8, %s}]
  - {name: other, namespaces: [other], quotas: [%s]}
"""


def _found(workload: str, guaranteed: int = 64, other: str = "") -> list[Diagnostic]:
    return findings(check, POLICY % (guaranteed, workload, other))


@pytest.mark.parametrize(
    ("pods", "guaranteed", "expected"),
    [
        (7, 64, []),
        (8, 64, [("GP637", Severity.NOTE)]),
        (9, 64, [("GP636", Severity.WARNING)]),
        (8, 0, []),
        (17, 64, []),
    ],
)
def test_gangs_against_the_guarantee(
    pods: int, guaranteed: int, expected: list[tuple[str, Severity]]
) -> None:
    found = _found(f"pods: {pods}, gang: true", guaranteed)
    assert [(one.code, one.severity) for one in found] == expected


def test_the_least_number_of_a_gang_counts() -> None:
    assert codes(_found("pods: 9, gang: 7")) == []
    (found,) = _found("pods: 12, gang: 9")
    assert found.message == (
        "the gang of workload 'w' needs 72 devices > guaranteed 64: it lives on borrowed devices "
        "and is evicted as a whole"
    )


@pytest.mark.parametrize(
    ("pods", "level", "expected"),
    [
        (8, "required: rack", []),
        (9, "required: rack", [("GP638", Severity.ERROR)]),
        (9, "preferred: rack", [("GP638", Severity.WARNING)]),
        (16, "required: block", []),
        (1, "required: host", []),
        (2, "required: host", [("GP638", Severity.ERROR)]),
    ],
)
def test_domains(pods: int, level: str, expected: list[tuple[str, Severity]]) -> None:
    found = _found(f"pods: {pods}, topology: {{{level}}}")
    assert [(one.code, one.severity) for one in found] == expected


def test_a_wider_level_is_named() -> None:
    (found,) = _found("pods: 9, topology: {required: rack}")
    assert found.message == "one 'rack' of pool 'train' holds 8 pods < 9 of workload 'w'"
    assert found.hint == "a 'block' holds it"
    (found,) = _found("pods: 17, topology: {required: block}")
    assert found.hint == "no level below the pool holds it"


@pytest.mark.parametrize(
    ("level", "other", "expected"),
    [
        ("required: rack", "{pool: train}", ["GP639"]),
        ("required: rack", "", []),
        ("preferred: rack", "{pool: train}", []),
        ("required: block", "{pool: train}", []),
    ],
)
def test_a_guarantee_counts_devices_and_not_places(
    level: str, other: str, expected: list[str]
) -> None:
    assert codes(_found(f"pods: 4, topology: {{{level}}}", other=other)) == expected


def test_nobody_places() -> None:
    head = 'platform: {kubernetes: "1.34", kueue: {}}\nscheduling: {gang: none}\n'
    text = POLICY % (64, "pods: 9, topology: {required: rack}", "")
    assert findings(check, head + text) == []


def test_a_level_wider_than_the_pool_holds_no_more_than_the_pool() -> None:
    """The hint must not send a workload to a block whose other nodes are in another pool."""
    text = POLICY.replace("nodes: 16\n    gpus", "nodes: 12\n    gpus").replace(
        "block, nodeLabel: example.com/block, nodes: 16",
        "block, nodeLabel: example.com/block, nodes: 32",
    )
    (found,) = findings(check, text % (64, "pods: 13, topology: {required: rack}", ""), "GP638")
    assert found.hint == "no level below the pool holds it"
    (found,) = findings(check, text % (64, "pods: 12, topology: {required: rack}", ""), "GP638")
    assert found.hint == "a 'block' holds it"
