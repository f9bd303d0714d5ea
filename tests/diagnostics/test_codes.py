"""The table of codes and the manual behind it."""

from __future__ import annotations

import re

import pytest

from gpupolicy.diagnostics.codes import _ROWS
from gpupolicy.diagnostics.codes import CODES
from gpupolicy.diagnostics.codes import Code
from gpupolicy.diagnostics.explain import find_code
from gpupolicy.diagnostics.explain import manual_page
from gpupolicy.diagnostics.model import Severity

ROWS = [pytest.param(row, id=row.number) for row in CODES.values()]


def test_numbers_and_slugs_are_given_once_and_sorted() -> None:
    numbers = [row[0] for row in _ROWS]
    assert numbers == sorted(set(numbers))
    assert len({row.slug for row in CODES.values()}) == len(_ROWS)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_well_formed(row: Code) -> None:
    assert re.fullmatch(r"GP[0-79][0-9]{2}", row.number)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", row.slug)
    assert row.title
    assert not row.title.endswith(".")


@pytest.mark.parametrize("row", ROWS)
def test_every_code_has_a_manual_page_that_says_something(row: Code) -> None:
    heading, blank, *body = manual_page(row).splitlines()
    assert heading == f"{row.number} {row.slug} ({row.severity.value}): {row.title}"
    assert blank == ""
    assert len(" ".join(body)) > 60, "the page says too little"
    assert not any(re.match(r"GP[0-9]{3} ", line) for line in body), "it runs into the next"


def test_a_code_is_found_by_number_and_slug_in_any_case() -> None:
    row = CODES["GP051"]
    assert find_code("gp051") is row
    assert find_code("Suppression-Unused") is row
    assert find_code("GP000") is None


def test_a_page_ends_where_the_next_begins() -> None:
    page = manual_page(CODES["GP050"])
    assert "Several codes are separated by commas" in page
    assert "GP051" not in page
    assert "        timeSlicing: 1" not in page, "the page is not indented"
    assert "    timeSlicing: 1" in page


def test_a_missing_page_is_our_bug() -> None:
    row = Code("GP998", "no-such", Severity.ERROR, "t", "gpupolicy.diagnostics.suppress")
    with pytest.raises(LookupError, match="GP998"):
        manual_page(row)
