"""A flood of findings is cut, and no error is lost in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpupolicy.diagnostics.limit import limited
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.model import has_errors


def warning(number: int) -> Diagnostic:
    return Diagnostic("GP301", f"w{number}", severity=Severity.WARNING)


def error(number: int) -> Diagnostic:
    return Diagnostic("GP302", f"e{number}")


def codes(found: list[Diagnostic]) -> list[str]:
    return [one.code for one in found]


def test_what_is_within_the_limit_passes() -> None:
    found = [warning(number) for number in range(3)]
    assert list(limited(found, 3)) == found


def test_what_is_above_the_limit_is_cut_and_said() -> None:
    found = list(limited([warning(number) for number in range(9)], 3))
    assert codes(found) == ["GP301", "GP301", "GP301", "GP059"]
    assert found[-1].severity is Severity.NOTE


@pytest.mark.parametrize("at", range(9))
def test_an_error_is_never_cut_for_warnings(at: int) -> None:
    found = [warning(number) for number in range(9)]
    found[at] = error(at)
    assert error(at) in list(limited(found, 3))


def test_of_many_errors_the_first_are_kept() -> None:
    found = list(limited([error(number) for number in range(9)], 3))
    assert found[:3] == [error(0), error(1), error(2)]
    assert codes(found[3:]) == ["GP059"]
    assert has_errors(found)


def test_a_flood_of_errors_is_not_read_to_its_end() -> None:
    def endless() -> Iterator[Diagnostic]:
        number = 0
        while True:
            yield error(number)
            number += 1

    assert len(list(limited(endless(), 100))) == 101
