from __future__ import annotations

import pytest

from gpupolicy.checks.names import check
from tests.checks.subject import codes
from tests.checks.subject import findings

POOL = "{name: a, gpu: A10, nodes: 1, gpusPerNode: 1}"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"nodePools: [{POOL}, {POOL}]", ("nodePools", 1, "name")),
        (
            "priorityClasses: [{name: a, value: 1}, {name: a, value: 2}]",
            ("priorityClasses", 1, "name"),
        ),
        ("slas: [{name: a}, {name: a}]", ("slas", 1, "name")),
        (
            "slas: [{name: a, latency: [{metric: m, objective: 99%, within: 1s}, "
            "{metric: m, objective: 90%, within: 1s}]}]",
            ("slas", 0, "latency", 1, "metric"),
        ),
        ("tenants: [{name: a}, {name: b}, {name: a}]", ("tenants", 2, "name")),
        ("monitoring: {alerts: [{name: a}, {name: a}]}", ("monitoring", "alerts", 1, "name")),
        (
            "monitoring: {receivers: [{name: a, webhook: {}}, {name: a, webhook: {}}]}",
            ("monitoring", "receivers", 1, "name"),
        ),
        (
            "tenants: [{name: a, workloads: [{name: w}, {name: w}]}]",
            ("tenants", 0, "workloads", 1, "name"),
        ),
    ],
)
def test_a_second_thing_of_one_name_shows_the_first(text: str, path: tuple[str | int, ...]) -> None:
    (found,) = findings(check, text)
    assert (found.code, found.path) == ("GP410", ("spec", *path))
    assert found.related[0].path[:-2] == found.path[:-2]
    assert found.related[0].path != found.path


def test_same_names_of_different_things_are_fine() -> None:
    text = """
    nodePools: [{name: a, gpu: A10, nodes: 1, gpusPerNode: 1}]
    priorityClasses: [{name: a, value: 1}]
    tenants: [{name: a, workloads: [{name: w}]}, {name: b, workloads: [{name: w}]}]
    """
    assert findings(check, text) == []


QUOTAS = """
nodePools:
  - {name: a, gpu: A10, nodes: 1, gpusPerNode: 4}
  - name: b
    gpu: A100-SXM4-80GB
    nodes: 1
    gpusPerNode: 8
    sharing: {mig: {1g.10gb: 2, 2g.20gb: 2}}
tenants: [{name: t, quotas: [%s]}]
"""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("{pool: a}, {pool: a}", ["GP411"]),
        ("{pool: a}, {pool: a, device: gpu}", ["GP411"]),
        ("{pool: b, device: 1g.10gb}, {pool: b, device: 2g.20gb}", []),
        ("{pool: b, device: 1g.10gb}, {pool: a}, {pool: b, device: 1g.10gb}", ["GP411"]),
    ],
)
def test_a_071_a_quota_given_twice_shows_both(lines: str, expected: list[str]) -> None:
    found = findings(check, QUOTAS % lines)
    assert codes(found) == expected
    assert all(one.related[0].path == ("spec", "tenants", 0, "quotas", 0) for one in found)


@pytest.mark.parametrize(("name", "refused"), [("default", 1), ("root", 1), ("ai", 1), ("ai-2", 0)])
def test_reserved_tenant_names(name: str, refused: int) -> None:
    assert codes(findings(check, f"tenants: [{{name: {name}}}]")) == ["GP412"] * refused


def test_a_pool_called_default_only_where_the_device_plugin_reads_it() -> None:
    pool = "nodePools: [{name: default, gpu: A10, nodes: 1, gpusPerNode: 1}]"
    operator = 'platform: {kubernetes: "1.34", gpuOperator: {}}\n'
    assert codes(findings(check, operator + pool)) == ["GP412"]
    assert findings(check, pool) == []


def test_names_that_grow_too_long() -> None:
    pool = "nodePools: [{name: %s, gpu: A100-SXM4-80GB, nodes: 1, gpusPerNode: 8%s}]"
    mig = ", sharing: {mig: {1g.10gb: 7}}"
    assert codes(findings(check, pool % ("a" * 55, mig))) == ["GP413"]
    assert findings(check, pool % ("a" * 54, mig)) == []
    assert findings(check, pool % ("a" * 63, "")) == []
    row = "priorityClasses: [{name: %s, value: 1}]"
    assert codes(findings(check, row % ("a" * 64))) == ["GP413"]
    assert findings(check, 'platform: {kubernetes: "1.34"}\n' + row % ("a" * 64)) == []


def test_a_second_change_of_an_alert_is_not_told_to_take_another_name() -> None:
    (found,) = findings(check, "monitoring: {alerts: [{name: a}, {name: a}]}")
    assert found.hint == "merge them into one"
