from __future__ import annotations

import pytest

from gpupolicy.checks.alerts import check
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.facts.alerts import alerts
from tests.checks.subject import codes
from tests.checks.subject import findings

RATIO = next(a.name for a in alerts().values() if a.threshold and a.threshold.unit == "ratio")
COUNT = next(a.name for a in alerts().values() if a.threshold and a.threshold.unit != "ratio")
NONE = next(a.name for a in alerts().values() if a.threshold is None)


def _found(text: str) -> list[Diagnostic]:
    return findings(check, f"monitoring: {{alerts: [{{{text}}}]}}")


@pytest.mark.parametrize(
    "text",
    [
        f"name: {RATIO}, threshold: 20%, for: 1h, severity: critical",
        f"name: {RATIO}, threshold: 0.2",
        f"name: {COUNT}, threshold: 3",
        f"name: {NONE}, enabled: false",
        'name: mine, expr: "up == 0", for: 5m, summary: "{{ $labels.node }} is at {{ $value }}"',
        'name: mine, expr: "up == 0", for: 90m',
    ],
)
def test_sensible_alerts_are_silent(text: str) -> None:
    assert _found(text) == []


def test_an_unknown_name_suggests_the_nearest() -> None:
    (found,) = _found(f"name: {RATIO[:-1]}, threshold: 20%")
    assert (found.code, found.hint) == ("GP650", f"did you mean '{RATIO}'?")
    (found,) = _found("name: zzzzzz")
    assert found.hint == "an alert of your own has an 'expr'"


def test_a_065_an_expression_with_a_typo_has_name_and_position() -> None:
    (found,) = _found('name: mine, expr: "sum(rate(x[5m]) > 5"')
    assert (found.code, found.path[-1]) == ("GP651", "expr")
    assert found.message == (
        "the expression of alert 'mine' is wrong at character 4, before '(rate(x[5m]) > 5': '(' is "
        "never closed"
    )


def test_a_065_a_threshold_with_a_unit() -> None:
    (found,) = _found('name: mine, expr: "x > 20%"')
    assert found.hint == "a percentage is a part of one: 0.2, or 20 where 100 is the whole"
    (found,) = _found('name: mine, expr: "x > 5m"')
    assert "a number has no unit: '5m'" in found.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"name: {RATIO}, enabled: false, threshold: 20%, for: 1h", ["GP652", "GP652"]),
        (f"name: {NONE}, threshold: 3", ["GP652"]),
        (f"name: {NONE}, summary: look here", ["GP652"]),
        ('name: mine, expr: "up == 0", threshold: 3', ["GP652"]),
        (f"name: {RATIO}, threshold: 20", ["GP653"]),
        (f"name: {RATIO}, threshold: -0.5", ["GP653"]),
        (f"name: {COUNT}, threshold: 20%", ["GP653"]),
        (f"name: {RATIO}, for: 100us", ["GP654"]),
    ],
)
def test_fields_that_do_not_go_with_the_alert(text: str, expected: list[str]) -> None:
    assert codes(_found(text)) == expected


def test_twenty_for_twenty_percent() -> None:
    (found,) = _found(f"name: {RATIO}, threshold: 20")
    assert found.hint == "did you mean '20%'?"


@pytest.mark.parametrize(
    ("summary", "fault"),
    [
        ("{{ $labels.node }}", None),
        ("{{ $value | humanize }} on {{- .Labels.node -}}", None),
        ("{{ range query `up` }}{{ .Labels.x }}{{ end }}", None),
        ("plain } and { braces", None),
        ("{{ $labels.node }", "'{{' at character 1 is never closed"),
        ("node }}", "'}}' at character 6 does not match"),
        ("{{ {{ $value }}", "'{{' at character 4 does not match"),
        ("{{ }}", "there is nothing between '{{' and '}}'"),
        ("{{ $label.node }}", "an alert has no '$label'"),
    ],
)
def test_a_065_templates(summary: str, fault: str | None) -> None:
    found = _found(f'name: mine, expr: "up == 0", summary: "{summary}"')
    assert codes(found) == ([] if fault is None else ["GP655"])
    assert fault is None or found[0].message.endswith(fault)


def test_a_threshold_below_zero_is_not_made_a_percentage_below_zero() -> None:
    (found,) = _found(f"name: {RATIO}, threshold: -5")
    assert (found.code, found.hint) == ("GP653", "write a percentage, such as 20%")
