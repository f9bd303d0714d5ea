from __future__ import annotations

from textwrap import dedent

from gpupolicy.checks.tenant_tree import check
from tests.checks.subject import codes
from tests.checks.subject import findings

POOL = "nodePools: [{name: a, gpu: A10, nodes: 4, gpusPerNode: 4}]\n"


def test_a_tree_is_silent() -> None:
    text = """
    tenants:
      - {name: org, quotas: [{pool: a, guaranteed: 4}]}
      - {name: unit, parent: org}
      - {name: team, parent: unit, namespaces: [team], quotas: [{pool: a}]}
    """
    assert findings(check, POOL + dedent(text)) == []


def test_a_cycle_is_one_finding_and_shows_every_link() -> None:
    text = """
    tenants:
      - {name: below, parent: a, namespaces: [n], quotas: [{pool: a}]}
      - {name: a, parent: b}
      - {name: b, parent: c}
      - {name: c, parent: a}
      - {name: self, parent: self}
    """
    found = findings(check, POOL + dedent(text), "GP417")
    assert [one.message for one in found] == [
        "the parents of tenant 'a' lead back to it: 'a' -> 'b' -> 'c' -> 'a'",
        "tenant 'self' is its own parent",
    ]
    assert [place.path for place in found[0].related] == [
        ("spec", "tenants", 2, "parent"),
        ("spec", "tenants", 3, "parent"),
    ]


def test_a_parent_has_no_work_of_its_own() -> None:
    text = """
    tenants:
      - {name: org, namespaces: [n], members: {users: [u]}, workloads: [{name: w}]}
      - {name: team, parent: org, namespaces: [m], quotas: [{pool: a}]}
    """
    found = findings(check, POOL + dedent(text))
    assert codes(found) == ["GP418"] * 3
    assert [one.path[-1] for one in found] == ["namespaces", "members", "workloads"]
    assert found[0].related[0].path == ("spec", "tenants", 1, "parent")


def test_a_tenant_that_nobody_can_use() -> None:
    (found,) = findings(check, POOL + "tenants: [{name: t, quotas: [{pool: a, guaranteed: 4}]}]")
    assert (found.code, found.hint) == ("GP419", "write 'namespaces: [t]'")


def test_a_tenant_without_quota_is_a_warning() -> None:
    (found,) = findings(check, POOL + "tenants: [{name: t, namespaces: [n]}]")
    assert (found.code, found.severity.value) == ("GP423", "warning")


def test_a_long_chain_of_parents_is_walked_once() -> None:
    rows = ", ".join(f"{{name: t{i}, parent: t{i + 1}}}" for i in range(5000))
    text = f"tenants: [{rows}, {{name: t5000, parent: t0}}]"
    assert codes(findings(check, text, "GP417")) == ["GP417"]
