from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gpupolicy.check_base import CheckContext
from gpupolicy.checks import guarantees
from gpupolicy.checks import unused_devices
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import findings


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """What is guaranteed, and what is guaranteed to nobody."""
    yield from guarantees.check(context)
    yield from unused_devices.check(context)


POOL = "name: train, gpu: A10, gpusPerNode: 8, "


def _found(*lines: str, pool: str = "nodes: 2", more: str = "") -> list[Diagnostic]:
    tenants = ", ".join(
        f"{{name: t{i}, namespaces: [n{i}], quotas: [{{pool: train, {line}}}]}}"
        for i, line in enumerate(lines)
    )
    return findings(check, f"nodePools: [{{{POOL}{pool}}}]\ntenants: [{tenants}]\n{more}")


def _errors(found: list[Diagnostic]) -> list[str]:
    return [one.code for one in found if one.severity is not Severity.NOTE]


def test_a_043_supply_demand_and_the_tenants_in_the_sum() -> None:
    (found,) = _found("guaranteed: 12", "guaranteed: 12")
    assert found.code == "GP431"
    assert found.message == (
        "guaranteed 24 > capacity 16 of pool 'train', over by 8: 12 for 't0' + 12 for 't1'"
    )
    assert found.path == ("spec", "tenants", 1, "quotas", 0, "guaranteed")
    assert [place.message for place in found.related] == [
        "capacity 16: 2 nodes, 8 on each node",
        "'t0' is guaranteed 12",
        "'t1' is guaranteed 12",
    ]
    assert found.hint == "'guaranteed: 4' fits here, and a 'limit' above it lets the tenant borrow"


def test_a_053_three_tenants_and_the_exact_fit() -> None:
    (found,) = _found(*["guaranteed: 6"] * 3)
    assert found.message == (
        "guaranteed 18 > capacity 16 of pool 'train', over by 2: "
        "6 for 't0' + 6 for 't1' + 6 for 't2'"
    )
    assert _errors(_found("guaranteed: 6", "guaranteed: 6", "guaranteed: 4")) == []


def test_the_sum_of_many_names_the_first() -> None:
    (found,) = _found(*["guaranteed: 4"] * 6)
    assert found.message.endswith("4 for 't0' + 4 for 't1' + 4 for 't2' + 12 for 3 others")


def test_a_056_an_exact_fit_is_noted_once_and_more_is_an_error() -> None:
    (note,) = _found("guaranteed: 8, limit: 16", "guaranteed: 8")
    assert (note.code, note.severity) == ("GP435", Severity.NOTE)
    assert codes(_found("guaranteed: 8, limit: 8", "guaranteed: 8, limit: 8")) == []
    assert codes(_found("guaranteed: 9, limit: 16", "guaranteed: 8")) == ["GP431"]


def test_a_047_nothing_guaranteed_is_no_demand() -> None:
    assert _errors(_found("guaranteed: 16", "guaranteed: 0, limit: 4", "limit: 4")) == []


def test_the_reserve_and_percentages_count() -> None:
    pool = "nodes: 3, reserve: {nodes: 1}"
    assert _errors(_found("guaranteed: 50%", "guaranteed: 8", pool=pool)) == []
    (found,) = _found("guaranteed: 51%", "guaranteed: 9", pool=pool)
    assert found.message == (
        "guaranteed 17 > capacity 16 of pool 'train', over by 1: 8 for 't0' + 9 for 't1'"
    )
    assert found.related[0].message == "capacity 16: 3 nodes, less 1 in reserve, 8 on each node"


def test_the_hint_when_no_single_guarantee_can_mend_it() -> None:
    (found,) = _found("guaranteed: 40", "guaranteed: 2")
    assert found.path == ("spec", "tenants", 0, "quotas", 0, "guaranteed")
    assert "'guaranteed: 14' fits here" in (found.hint or "")
    (found,) = _found("guaranteed: 17", "guaranteed: 17")
    assert (found.hint or "").startswith("take 18 devices from these guarantees")


TREE = """
nodePools: [{name: train, gpu: A10, nodes: 2, gpusPerNode: 8}]
tenants:
  - {name: org, quotas: [%s]}
  - {name: a, parent: org, namespaces: [a], quotas: [{pool: train, guaranteed: %s}]}
  - {name: b, parent: org, namespaces: [b], quotas: [{pool: train, guaranteed: %s}]}
"""


@pytest.mark.parametrize(
    ("parent", "a", "b", "expected"),
    [
        ("{pool: train, guaranteed: 16}", 8, 8, []),
        ("{pool: train, guaranteed: 16}", 8, 4, []),
        ("{pool: train, guaranteed: 12}", 8, 8, ["GP432"]),
        ("{pool: train, guaranteed: 0}", 8, 8, ["GP432"]),
        ("{pool: train}", 8, 8, []),
        ("", 8, 8, []),
        ("", 8, 9, ["GP431"]),
        ("{pool: train, guaranteed: 17}", 8, 8, ["GP431"]),
    ],
)
def test_budgets(parent: str, a: int, b: int, expected: list[str]) -> None:
    assert _errors(findings(check, TREE % (parent, a, b))) == expected


def test_a_budget_shows_the_parent_and_the_children() -> None:
    (found,) = findings(check, TREE % ("{pool: train, guaranteed: 12}", 8, 8))
    assert found.message == (
        "the children of tenant 'org' are guaranteed 16 > its own 12 on pool 'train', over by 4"
    )
    assert found.path == ("spec", "tenants", 2, "quotas", 0, "guaranteed")
    assert [place.path[2] for place in found.related] == [0, 1, 2]


def test_the_sum_of_children_is_said_to_be_one() -> None:
    (found,) = findings(check, TREE % ("", 8, 9))
    assert found.path == ("spec", "tenants", 0, "name")
    assert found.related[1].message == "'org' is guaranteed 17 (the sum of its children)"


@pytest.mark.parametrize(("version", "expected"), [("0.12", ["GP466"]), ("0.13", [])])
def test_an_old_kueue_takes_no_buffer_back(version: str, expected: list[str]) -> None:
    head = f'platform: {{kubernetes: "1.34", kueue: {{version: "{version}"}}}}\n'
    text = head + TREE % ("{pool: train, guaranteed: 12}", 4, 4)
    assert codes(findings(check, text)) == expected


def test_slices_are_counted_by_kind() -> None:
    text = """
    nodePools:
      - name: infer
        gpu: A100-SXM4-80GB
        nodes: 1
        gpusPerNode: 8
        sharing: {mig: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}}
    tenants:
      - name: a
        namespaces: [a]
        quotas:
          - {pool: infer, device: 1g.10gb, guaranteed: 16}
          - {pool: infer, device: 2g.20gb, guaranteed: 9}
    """
    found = findings(check, text)
    assert codes(found) == ["GP431", "GP438"]
    assert found[0].message == (
        "guaranteed 9 > capacity 8 of '2g.20gb' of pool 'infer', over by 1: 9 for 'a'"
    )
    assert "8 devices of '3g.40gb' of pool 'infer'" in found[1].message


def test_autoscaled_pools_count_at_their_maximum() -> None:
    pool = "nodes: {min: 1, max: 4}"
    assert _errors(_found("guaranteed: 8", pool=pool)) == []
    (found,) = _found("guaranteed: 20", pool=pool)
    assert (found.code, found.severity) == ("GP436", Severity.WARNING)
    assert found.hint == "'min: 3' holds all guarantees at once"
    assert _errors(_found("guaranteed: 33", pool=pool)) == ["GP431"]


def test_spot_nodes_guarantee_nothing() -> None:
    pool = "nodes: {min: 1, max: 4, spot: true}"
    assert _errors(_found("guaranteed: 20", pool=pool)) == ["GP437"]
    assert _errors(_found("guaranteed: 0, limit: 12", pool=pool)) == []


def test_devices_without_a_quota() -> None:
    pools = "nodePools: [{name: train, gpu: A10, nodes: 1, gpusPerNode: 2}]\n"
    tenant = "tenants: [{name: a, namespaces: [a]}]"
    assert codes(findings(check, pools + tenant)) == ["GP438"]
    assert findings(check, pools) == []
    misspelt = tenant.replace("]}]", "], quotas: [{pool: tain}]}]")
    assert findings(check, pools + misspelt) == []


def test_many_contributors_are_cut_short() -> None:
    (found,) = _found(*["guaranteed: 1"] * 40)
    assert len(found.related) == 13
    assert found.related[-1].message == "and 29 more like the one above"


def test_growth_is_linear() -> None:
    import time

    def seconds(tenants: int) -> float:
        from tests.checks.subject import context

        rows = ", ".join(
            f"{{name: t{i}, namespaces: [n{i}], quotas: [{{pool: train, guaranteed: 1}}]}}"
            for i in range(tenants)
        )
        subject: Any = context(f"nodePools: [{{{POOL}nodes: {tenants}}}]\ntenants: [{rows}]")
        best = 1e9
        for _ in range(3):
            subject.__dict__.pop("trees", None)
            started = time.perf_counter()
            assert list(check(subject)) == []
            best = min(best, time.perf_counter() - started)
        return best

    assert seconds(4000) < 40 * seconds(500)  # 8 times the tenants, 64 times if quadratic


def test_a_reserve_of_all_nodes_says_nothing_of_guarantees() -> None:
    assert _found("guaranteed: 1", pool="nodes: 2, reserve: {nodes: 2}") == []


def test_a_budget_without_a_child_on_the_pool_is_used_by_nobody() -> None:
    pools = f"nodePools: [{{{POOL}nodes: 2}}, {{name: b, gpu: A10, nodes: 1, gpusPerNode: 1}}]\n"
    parent = "{name: p, quotas: [{pool: train, guaranteed: 8}]}"
    child = "{name: c, parent: p, namespaces: [c], quotas: [{pool: b, guaranteed: 1}]}"
    (found,) = findings(check, f"{pools}tenants: [{parent}, {child}]")
    assert found.code == "GP438"
    assert "16 devices of pool 'train'" in found.message


def test_unused_devices_are_said_once_for_a_pool() -> None:
    text = """
nodePools:
- name: infer
  gpu: A100-SXM4-80GB
  nodes: 1
  gpusPerNode: 8
  sharing: {mig: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}}
- {name: train, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 8}
tenants:
- name: a
  namespaces: [a]
  quotas: [{pool: infer, device: 2g.20gb, guaranteed: 1}, {pool: train, guaranteed: 1}]
"""
    (found,) = findings(check, text, "GP438")
    assert found.message == (
        "no tenant has a quota on the 16 devices of '1g.10gb' and 8 devices of '3g.40gb' of pool "
        "'infer': nobody can use them"
    )
    assert found.hint == (
        "give a tenant 'quotas: [{pool: infer, device: 1g.10gb, guaranteed: 0}, "
        "{pool: infer, device: 3g.40gb, guaranteed: 0}]'"
    )
