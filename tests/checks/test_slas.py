from __future__ import annotations

import pytest

from gpupolicy.checks.slas import check
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import findings

KUEUE = 'platform: {kubernetes: "1.34", prometheus: {}, kueue: {version: "%s"}}\n'
PLAIN = 'platform: {kubernetes: "1.34"}\n'
VOLCANO = 'platform: {kubernetes: "1.34", volcano: {}}\n'


def _sla(text: str, head: str = KUEUE % "0.19") -> list[Diagnostic]:
    return findings(check, f"{head}slas: [{{name: a, {text}}}]\ntenants: [{{name: t, sla: a}}]")


def test_an_sla_that_nobody_names() -> None:
    text = "slas: [{name: a}, {name: b}, {name: c}]\n"
    (found,) = findings(
        check, text + "tenants: [{name: t, sla: a, workloads: [{name: w, sla: b}]}]"
    )
    assert (found.code, found.path) == ("GP600", ("spec", "slas", 2, "name"))


@pytest.mark.parametrize("within", ["40s", "1s", "2500ms", "11h22m40s", "10240s"])
def test_edges_of_waiting_times_are_exact(within: str) -> None:
    assert _sla(f"queueWait: {{objective: 99%, within: {within}}}") == []


def test_a_wait_between_edges_is_interpolated() -> None:
    (found,) = _sla("queueWait: {objective: 99%, within: 5h}")
    assert (found.code, found.severity) == ("GP604", Severity.NOTE)
    assert found.hint == "exact are 2h50m40s and 5h41m20s"


@pytest.mark.parametrize(
    ("version", "last"), [("0.19", "11h22m40s"), ("0.14", "2h50m40s"), ("0.13", "2h50m40s")]
)
def test_a_wait_beyond_the_last_bucket(version: str, last: str) -> None:
    (found,) = _sla("queueWait: {objective: 99%, within: 12h}", KUEUE % version)
    assert (found.code, found.severity) == ("GP603", Severity.WARNING)
    assert found.hint == f"write 'within: {last}' or less"


def test_a_wait_below_the_first_bucket_is_not_interpolated() -> None:
    assert _sla("queueWait: {objective: 99%, within: 500ms}") == []


def test_no_queue_no_wait() -> None:
    wait = "queueWait: {objective: 99%, within: 40s}"
    assert codes(_sla(wait, PLAIN)) == ["GP609"]
    assert _sla(wait, VOLCANO) == []


LATENCY = "latency: {metric: %s, objective: 99%%, within: %s}"


@pytest.mark.parametrize(
    ("within", "hint"),
    [
        ("500ms", None),
        ("250ms", None),
        ("300ms", "the nearest edges are 250ms and 500ms"),
        ("1us", "the nearest edge is 1ms"),
        ("2h", "the nearest edge is 42m40s"),
    ],
)
def test_latency_must_be_an_edge(within: str, hint: str | None) -> None:
    found = _sla(LATENCY % ('"vllm:time_to_first_token_seconds"', within))
    assert [(one.code, one.hint) for one in found] == ([("GP605", hint)] if hint else [])


def test_an_unknown_histogram_is_taken_as_written() -> None:
    (found,) = _sla(LATENCY % ("my_seconds", "3s"))
    assert (found.code, found.severity, found.hint) == (
        "GP606",
        Severity.NOTE,
        "see that the bound is one of its 'le' labels",
    )
    (found,) = _sla(LATENCY % ('"vllm:time_to_first_token_seconds_bucket"', "3s"))
    assert found.hint == "did you mean 'vllm:time_to_first_token_seconds'?"


def test_the_place_of_one_latency_and_of_a_list() -> None:
    one = "{metric: my_seconds, objective: 100%, within: 3s}"
    assert _sla(f"latency: {one}")[0].path == ("spec", "slas", 0, "latency", "objective")
    assert _sla(f"latency: [{one}, {one}]")[2].path == (
        "spec",
        "slas",
        0,
        "latency",
        1,
        "objective",
    )


def test_an_objective_of_everything_has_no_budget() -> None:
    assert codes(_sla("queueWait: {objective: 100%, within: 40s}")) == ["GP610"]


@pytest.mark.parametrize(
    ("time", "head", "count"),
    [
        ("72h", KUEUE % "0.19", 0),
        ("500ms", KUEUE % "0.19", 1),
        ("1500ms", KUEUE % "0.19", 1),
        ("72h", VOLCANO, 1),
        ("72h", PLAIN, 1),
    ],
)
def test_only_kueue_stops_jobs(time: str, head: str, count: int) -> None:
    assert codes(_sla(f"maxRunTime: {time}", head)) == ["GP608"] * count


LATE = 'latency: {metric: "vllm:time_to_first_token_seconds", objective: 99%, within: 500ms}'
WAIT = "queueWait: {objective: 99%, within: 40s}"


@pytest.mark.parametrize(
    ("text", "component", "parts"),
    [
        (WAIT, 'kueue: {version: "0.19"}', "queueWait"),
        (f"{WAIT}, {LATE}", 'kueue: {version: "0.19"}', "queueWait and latency"),
        (LATE, "volcano: {}", "latency"),
        (WAIT, "volcano: {}", None),
        ("maxRunTime: 1h, preemptible: false", 'kueue: {version: "0.19"}', None),
    ],
)
def test_an_objective_that_only_alerts_keep_needs_them(
    text: str, component: str, parts: str | None
) -> None:
    without = f'platform: {{kubernetes: "1.34", {component}}}\n'
    found = [one for one in _sla(text, without) if one.code == "GP613"]
    assert [f"nothing enforces {parts}," in one.message for one in found] == [True] * bool(parts)
    watched = f'platform: {{kubernetes: "1.34", prometheus: {{}}, {component}}}\n'
    assert "GP613" not in codes(_sla(text, watched))
