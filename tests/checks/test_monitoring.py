from __future__ import annotations

import pytest

from gpupolicy.checks.monitoring import check
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import findings

HEAD = 'platform: {kubernetes: "1.34", prometheus: {write: %s, labels: {release: stack}}}\n'
SECRET = "urlSecret: {name: s, key: url}"
FILE = "urlFile: /etc/url"


@pytest.mark.parametrize(
    ("write", "webhook", "where"),
    [
        ("objects", SECRET, None),
        ("files", FILE, None),
        ("objects", "", "webhook"),
        ("objects", f"{SECRET}, {FILE}", "webhook"),
        ("objects", FILE, "urlFile"),
        ("files", SECRET, "urlSecret"),
    ],
)
def test_receivers(write: str, webhook: str, where: str | None) -> None:
    text = f"monitoring: {{receivers: [{{name: r, webhook: {{{webhook}}}}}]}}"
    found = findings(check, HEAD % write + text)
    assert codes(found) == ([] if where is None else ["GP656"])
    assert where is None or found[0].path[-1] == where


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        ("{severity: critical, receiver: a}, {receiver: b}", []),
        ("{receiver: b}, {severity: critical, receiver: a}", ["GP657"]),
        ("{severity: critical, receiver: a}, {severity: critical, receiver: b}", ["GP657"]),
        ("{severity: critical, receiver: a}, {severity: warning, receiver: a}", []),
    ],
)
def test_routes(routes: str, expected: list[str]) -> None:
    found = findings(check, HEAD % "objects" + f"monitoring: {{routes: [{routes}]}}")
    assert codes(found) == expected


def test_a_062_nobody_says_what_prometheus_selects() -> None:
    (found,) = findings(check, 'platform: {kubernetes: "1.34", prometheus: {}}')
    assert (found.code, found.severity) == ("GP658", Severity.WARNING)
    assert found.path == ("spec", "platform", "prometheus")
    assert findings(check, HEAD % "objects") == []
    assert findings(check, 'platform: {kubernetes: "1.34", prometheus: {write: files}}') == []


def test_monitoring_without_prometheus() -> None:
    assert codes(findings(check, "monitoring: {dashboards: true}")) == ["GP659"]
    assert findings(check, "monitoring: {}") == []


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("{example.org/team: a, cost-centre: 0042}", []),
        ("{a.b: x, a-b: y}", [("GP660", Severity.ERROR)]),
        ("{severity: x}", [("GP660", Severity.WARNING)]),
    ],
)
def test_a_063_labels_on_alerts(labels: str, expected: list[tuple[str, Severity]]) -> None:
    found = findings(check, HEAD % "objects" + f"tenants: [{{name: t, labels: {labels}}}]")
    assert [(one.code, one.severity) for one in found] == expected
