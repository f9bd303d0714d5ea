from __future__ import annotations

import pytest

from gpupolicy.checks.empty_quotas import check
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import findings

POOL = """
nodePools:
  - name: train
    gpu: A10
    nodes: 2
    gpusPerNode: 4
    allocatable: {cpu: "64", memory: 256Gi}
"""
PLAIN = 'platform: {kubernetes: "1.34"}\n'


def _tenants(*quotas: str) -> str:
    rows = (f"  - {{name: t{i}, namespaces: [t{i}], quotas: [{q}]}}" for i, q in enumerate(quotas))
    return POOL + "tenants:\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("head", "quotas", "said"),
    [
        ("", ["{pool: train, guaranteed: 0, limit: 0}"], "'limit: 0' of tenant 't0'"),
        ("", ["{pool: train, limit: 0}"], "'limit: 0' of tenant 't0'"),
        (
            "",
            ["{pool: train, guaranteed: 0}", "{pool: train, guaranteed: 8, lend: 0}"],
            "0 devices are guaranteed, and nobody lends any of the 8 devices",
        ),
        (PLAIN, ["{pool: train, guaranteed: 0}"], "guaranteed, and nothing is borrowed"),
        (PLAIN, ["{pool: train}"], "guaranteed, and nothing is borrowed"),
        (
            "",
            ['{pool: train, guaranteed: 8, cpu: "0"}'],
            "8 devices on pool 'train' without any cpu",
        ),
        (
            "",
            ["{pool: train, guaranteed: 1, memory: 0}"],
            "1 device on pool 'train' without any mem",
        ),
    ],
)
def test_quotas_of_nothing(head: str, quotas: list[str], said: str) -> None:
    (found,) = findings(check, head + _tenants(*quotas))
    assert found.code == "GP463"
    assert found.severity is Severity.WARNING
    assert said in found.message
    assert found.hint


@pytest.mark.parametrize(
    ("head", "quotas"),
    [
        ("", ["{pool: train, guaranteed: 0}"]),
        ("", ["{pool: train, guaranteed: 0, limit: 1}"]),
        ("", ["{pool: train, guaranteed: 0}", "{pool: train, guaranteed: 8, lend: 1}"]),
        # These say more of themselves: a share that rounds to nothing, a limit out of reach.
        ("", ["{pool: train, limit: 1%}"]),
        (PLAIN, ["{pool: train, guaranteed: 0, limit: 4}"]),
        ("", ['{pool: train, guaranteed: 0, cpu: "0"}']),
        ("", ["{pool: train, guaranteed: 9}", "{pool: train, guaranteed: 0}"]),
    ],
)
def test_quotas_of_something(head: str, quotas: list[str]) -> None:
    assert findings(check, head + _tenants(*quotas)) == []


def test_a_pool_without_nodes_is_said_as_such() -> None:
    empty = _tenants("{pool: train, limit: 0}").replace("nodes: 2", "nodes: 0")
    assert findings(check, empty) == []


def test_of_a_tree_the_widest_quota_of_nothing_is_said() -> None:
    text = POOL + (
        "tenants:\n"
        "  - {name: top, quotas: [{pool: train, guaranteed: 0, limit: 0}]}\n"
        "  - {name: a, parent: top, namespaces: [a], quotas: [{pool: train, guaranteed: 0}]}\n"
        "  - {name: b, parent: top, namespaces: [b], quotas: [{pool: train, limit: 0}]}\n"
    )
    (found,) = findings(check, text)
    assert "of tenant 'top'" in found.message


def test_a_cpu_pool_of_nothing_with_resource_quota() -> None:
    text = """
platform: {kubernetes: "1.34"}
nodePools: [{name: cpu, nodes: {count: 1, selector: {a: b}}, allocatable: {cpu: "4", memory: 4Gi}}]
tenants: [{name: t, namespaces: [t], quotas: [{pool: cpu, cpu: "%s", memory: %s}]}]
"""
    assert codes(findings(check, text % ("4", "4Gi"))) == []
    assert codes(findings(check, text % ("0", "0"))) == ["GP463", "GP463"]
