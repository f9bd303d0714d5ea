from __future__ import annotations

import pytest

from gpupolicy.checks.limits import check
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import findings

KUEUE = 'platform: {kubernetes: "1.34", kueue: {version: "%s"}}\n'
PLAIN = 'platform: {kubernetes: "1.34"}\n'


def _found(*lines: str, head: str = KUEUE % "0.19", extra: str = "") -> list[Diagnostic]:
    pool = "{name: train, gpu: A10, nodes: 17, gpusPerNode: 8, reserve: {nodes: 1}}"
    tenants = ", ".join(
        f"{{name: t{i}, namespaces: [n{i}], quotas: [{{pool: train, {line}}}]{extra}}}"
        for i, line in enumerate(lines)
    )
    return findings(check, f"{head}nodePools: [{pool}]\ntenants: [{tenants}]")


def test_a_limit_that_can_be_reached_is_silent() -> None:
    assert _found("guaranteed: 56, limit: 136", "guaranteed: 64") == []
    assert _found("guaranteed: 56, limit: 104", "guaranteed: 64, lend: 32") == []


def test_a_limit_out_of_reach_shows_the_sum() -> None:
    (found,) = _found("guaranteed: 56, limit: 112", "guaranteed: 64, lend: 32")
    assert (found.code, found.severity) == ("GP428", Severity.WARNING)
    assert found.message == (
        "limit 112 of tenant 't0' on pool 'train' can never be used, 104 can: 56 own + 32 lent by "
        "'t1' + 16 of nobody"
    )
    assert found.hint == "write 'limit: 104', or leave it out for no ceiling"


def test_the_reserve_is_lent_only_where_its_borrower_goes_again() -> None:
    lines = ("guaranteed: 56, limit: 104", "guaranteed: 64, lend: 32")
    head = KUEUE % "0.18"
    assert "96 can: 56 own + 32 lent by 't1' + 8 of nobody" in _found(*lines, head=head)[0].message
    assert codes(_found(*lines, head=head + "scheduling: {gang: none}\n")) == ["GP428"]


def test_a_037_a_lone_tenant_borrows_what_nobody_has() -> None:
    assert _found("guaranteed: 8, limit: 12") == []
    (found,) = _found("guaranteed: 128, limit: 140")
    assert found.message.endswith("136 can: 128 own + 8 of nobody")


def test_many_lenders_are_not_named() -> None:
    (found,) = _found("guaranteed: 8, limit: 200", *["guaranteed: 8"] * 6)
    assert "48 lent by the others" in found.message


TREE = """
nodePools: [{name: train, gpu: A10, nodes: 16, gpusPerNode: 8}]
tenants:
  - {name: org, quotas: [{pool: train, guaranteed: 80, limit: %d, lend: 40}]}
  - {name: a, parent: org, namespaces: [a], quotas: [{pool: train, guaranteed: 40, limit: %d}]}
  - {name: b, parent: org, namespaces: [b], quotas: [{pool: train, guaranteed: 24, lend: 8}]}
  - {name: out, namespaces: [c], quotas: [{pool: train, guaranteed: 48}]}
"""


@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [(96, 80, []), (96, 81, ["GP428"]), (128, 112, []), (129, 112, ["GP428"])],
)
def test_limits_in_a_tree(parent: int, child: int, expected: list[str]) -> None:
    assert codes(findings(check, TREE % (parent, child))) == expected


def test_the_reach_of_a_child_comes_from_its_parent() -> None:
    (found,) = findings(check, TREE % (96, 100))
    assert found.message == (
        "limit 100 of tenant 'a' on pool 'train' can never be used, 80 can: 40 own + 40 from its "
        "parent 'org'"
    )


def test_with_resource_quota_nothing_is_borrowed() -> None:
    assert _found("guaranteed: 8", "guaranteed: 8, limit: 8", head=PLAIN) == []
    (found,) = _found("guaranteed: 8, limit: 12", head=PLAIN)
    assert found.message == (
        "limit 12 > guaranteed 8 of tenant 't0' on pool 'train', and with ResourceQuota nothing is "
        "borrowed"
    )
    assert codes(_found("guaranteed: 8, lend: 4", head=PLAIN, extra=", weight: 3")) == [
        "GP462",
        "GP462",
    ]


def test_with_resource_quota_a_tenant_has_one_namespace() -> None:
    text = "tenants: [{name: a, namespaces: [x, y]}]"
    assert codes(findings(check, PLAIN + text)) == ["GP460"]
    assert findings(check, (KUEUE % "0.19") + text) == []


def test_devices_for_vms_are_always_held() -> None:
    text = """
    nodePools: [{name: vm, gpu: A40, nodes: 1, gpusPerNode: 4, sharing: {passthrough: true}}]
    tenants: [{name: a, namespaces: [a], quotas: [{pool: vm, guaranteed: 2, limit: 4}]}]
    """
    (found,) = findings(check, text)
    assert found.message == (
        "limit 4 > guaranteed 2 of tenant 'a' on pool 'vm', and devices for VMs are not borrowed"
    )


def test_weights() -> None:
    text = (
        "tenants: [{name: a, weight: %d}, {name: b, weight: %d}, {name: c, parent: b, weight: %d}]"
    )
    assert findings(check, text % (1, 1, 7)) == []
    assert codes(findings(check, text % (0, 0, 0))) == ["GP464"] * 3
    (found,) = findings(check, text % (3, 1, 1))
    assert (found.code, found.severity) == ("GP465", Severity.WARNING)
    assert "files/kueue-manager-config.yaml" in (found.hint or "")
    assert findings(check, (KUEUE % "0.16") + text % (3, 1, 1)) == []
