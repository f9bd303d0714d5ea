"""Comments in the policy that accept a warning."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from gpupolicy.diagnostics import suppress
from gpupolicy.diagnostics.codes import CODES
from gpupolicy.diagnostics.codes import Code
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.model import Span
from gpupolicy.diagnostics.settle import settle
from gpupolicy.diagnostics.suppression import Suppression

TODAY = "2027-01-15"


@pytest.fixture(autouse=True)
def codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a warning of each phase and an error, so that no real code is leant on."""
    for number, severity in (("GP398", "warning"), ("GP598", "warning"), ("GP399", "error")):
        row = Code(number, "test", Severity(severity), "for tests", "none")
        monkeypatch.setitem(CODES, number, row)


def span(line: int) -> Span:
    return Span("policy.yaml", line, 3, line, 9)


def comment(line: int, *names: str, until: str | None = None, alone: bool = False) -> Suppression:
    place = Span("policy.yaml", line, 20, line, 60)
    return Suppression("policy.yaml", line, names, "because", until, place, alone)


def warning(line: int, code: str = "GP398", message: str = "w") -> Diagnostic:
    return Diagnostic(code, message, severity=Severity.WARNING, span=span(line))


def codes_of(found: list[Diagnostic]) -> list[str]:
    return [one.code for one in found]


def run(
    found: list[Diagnostic], *comments: Suppression, today: str | None = TODAY, phases: str = "0123"
) -> list[Diagnostic]:
    return settle(found, None, comments, today, phases=phases)


def test_a_comment_on_the_line_of_a_warning_suppresses_it() -> None:
    assert run([warning(4)], comment(4, "GP398")) == []


def test_a_note_is_suppressed_too() -> None:
    note = replace(warning(4), severity=Severity.NOTE)
    assert run([note], comment(4, "GP398")) == []


def test_a_comment_alone_on_its_line_speaks_of_the_next() -> None:
    assert run([warning(5)], comment(4, "GP398", alone=True)) == []


def test_several_comments_alone_speak_of_the_first_line_after_them() -> None:
    both = (comment(4, "GP398", alone=True), comment(5, "GP598", alone=True))
    found = [warning(6), warning(6, "GP598")]
    assert run(found, *both, phases="012345") == []


def test_a_comment_after_a_value_does_not_speak_of_the_next_line() -> None:
    found = run([warning(5)], comment(4, "GP398"))
    assert codes_of(found) == ["GP051", "GP398"]


def test_a_comment_in_another_file_suppresses_nothing() -> None:
    other = replace(comment(4, "GP398"), file="other.yaml")
    assert codes_of(run([warning(4)], other)) == ["GP398", "GP051"]


def test_other_codes_on_the_line_are_shown() -> None:
    found = run([warning(4), warning(4, "GP301")], comment(4, "GP398"))
    assert codes_of(found) == ["GP301"]


def test_an_unused_suppression_is_a_warning_at_the_comment() -> None:
    (found,) = run([], comment(4, "GP398"))
    assert (found.code, found.severity, found.span) == (
        "GP051",
        Severity.WARNING,
        comment(4).span,
    )
    assert "GP398" in found.message


def test_what_this_run_did_not_look_for_is_not_called_unused() -> None:
    assert run([], comment(4, "GP598"), phases="0123") == []
    assert codes_of(run([], comment(4, "GP598"), phases="01235")) == ["GP051"]


def test_nothing_is_called_unused_while_there_are_errors() -> None:
    error = Diagnostic("GP399", "e", span=span(9))
    assert run([error], comment(4, "GP398")) == [error]


def test_errors_cannot_be_suppressed() -> None:
    error = Diagnostic("GP399", "e", span=span(4))
    assert codes_of(run([error], comment(4, "GP399"))) == ["GP399", "GP053"]


def test_naming_an_error_is_a_finding_even_if_it_is_not_there() -> None:
    assert codes_of(run([], comment(4, "GP399"))) == ["GP053"]


def test_an_unknown_code_is_a_finding() -> None:
    assert codes_of(run([], comment(4, "GP999"))) == ["GP054"]


def test_a_comment_that_cannot_be_read_is_a_finding_and_suppresses_nothing() -> None:
    assert codes_of(run([warning(4)], comment(4))) == ["GP398", "GP050"]


@pytest.mark.parametrize("until", ["tomorrow", "2027-13-01", "2027-1-1", "", "2027-03-01 x"])
def test_an_end_that_is_no_date_is_a_finding_and_suppresses_nothing(until: str) -> None:
    found = run([warning(4)], comment(4, "GP398", until=until))
    assert codes_of(found) == ["GP398", "GP050"]


def test_a_suppression_holds_on_its_last_day() -> None:
    assert run([warning(4)], comment(4, "GP398", until=TODAY)) == []


def test_an_expired_suppression_is_a_finding_and_suppresses_nothing() -> None:
    found = run([warning(4)], comment(4, "GP398", until="2027-01-14"))
    assert codes_of(found) == ["GP398", "GP052"]


def test_an_expired_suppression_is_not_called_unused_as_well() -> None:
    assert codes_of(run([], comment(4, "GP398", until="2027-01-14"))) == ["GP052"]


def test_the_clock_is_not_asked_if_nothing_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def clock() -> str:
        raise AssertionError("the clock was asked")

    monkeypatch.setattr(suppress, "_utc_date", clock)
    assert run([warning(4)], comment(4, "GP398"), today=None) == []
    with pytest.raises(AssertionError, match="clock"):
        run([warning(4)], comment(4, "GP398", until=TODAY), today=None)


def test_without_a_date_the_clock_says_what_is_expired(monkeypatch: pytest.MonkeyPatch) -> None:
    one = comment(4, "GP398", until="2030-01-01")
    monkeypatch.setattr(time, "gmtime", lambda: time.struct_time((2029, 12, 31, 0, 0, 0, 0, 1, 0)))
    assert run([warning(4)], one, today=None) == []
    monkeypatch.setattr(time, "gmtime", lambda: time.struct_time((2030, 1, 2, 0, 0, 0, 0, 1, 0)))
    assert codes_of(run([warning(4)], one, today=None)) == ["GP398", "GP052"]


def test_one_comment_may_name_several_codes() -> None:
    found = run([warning(4), warning(4, "GP598")], comment(4, "GP398", "GP598"))
    assert found == []


def test_suppressing_the_cause_does_not_bring_its_consequences_back() -> None:
    cause = replace(warning(4), group="g")
    effect = replace(warning(6), group="g")
    assert run([cause, effect], comment(4, "GP398")) == []


def test_a_comment_on_a_consequence_is_not_called_unused() -> None:
    cause = replace(warning(4), group="g")
    effect = replace(warning(6, "GP398", "other"), group="g")
    assert run([cause, effect], comment(6, "GP398")) == [cause]
