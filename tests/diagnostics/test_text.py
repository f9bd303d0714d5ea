"""The text form, byte for byte."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.model import Span
from gpupolicy.diagnostics.render.snippet import WIDTH
from gpupolicy.diagnostics.render.snippet import escape
from gpupolicy.diagnostics.render.snippet import quote
from gpupolicy.diagnostics.render.text import count_line
from gpupolicy.diagnostics.render.text import render_text

FILE = "policy.yaml"
POLICY = """\
spec:
  nodePools:
    - name: train
      gpu: H100-SXM5-80GB
      nodes: 8
      gpusPerNode: 8
  tenants:
    - name: research
      # the budget
      quotas: [{pool: train, guaranteed: 72}]
"""


def at(line: int, column: int, end: int, file: str = FILE) -> Span:
    return Span(file, line, column, line, end)


def test_an_error_with_everything() -> None:
    found = Diagnostic(
        "GP401",
        "guaranteed 72 > capacity 64, over by 8",
        span=at(10, 42, 44),
        hint="guarantee at most 64",
        notes=("8 nodes x 8 GPUs",),
        related=(Related("capacity comes from here", span=at(5, 14, 15)),),
    )
    assert (
        render_text([found], {FILE: POLICY})
        == """\
error[GP401]: guaranteed 72 > capacity 64, over by 8
  --> policy.yaml:10:42
   |
10 |       quotas: [{pool: train, guaranteed: 72}]
   |                                          ^^
   |
   = note: 8 nodes x 8 GPUs
   = help: guarantee at most 64
note: capacity comes from here
  --> policy.yaml:5:14
   |
 5 |       nodes: 8
   |              ^

found 1 error
"""
    )


def test_findings_are_parted_by_blank_lines_and_counted() -> None:
    found = [
        Diagnostic("GP101", "unknown key 'gpuu'", span=at(4, 7, 10), hint="did you mean 'gpu'?"),
        Diagnostic("GP301", "odd", severity=Severity.WARNING, span=at(5, 14, 15)),
        Diagnostic("GP302", "fyi", severity=Severity.NOTE, span=at(6, 20, 21)),
    ]
    assert (
        render_text(found, {FILE: POLICY})
        == """\
error[GP101]: unknown key 'gpuu'
 --> policy.yaml:4:7
  |
4 |       gpu: H100-SXM5-80GB
  |       ^^^
  |
  = help: did you mean 'gpu'?

warning[GP301]: odd
 --> policy.yaml:5:14
  |
5 |       nodes: 8
  |              ^

note[GP302]: fyi
 --> policy.yaml:6:20
  |
6 |       gpusPerNode: 8
  |                    ^

found 1 error, 1 warning and 1 note
"""
    )


def test_nothing_found_shows_nothing() -> None:
    assert render_text([], {FILE: POLICY}) == ""
    assert count_line([]) == "found nothing"


def test_a_file_that_is_not_at_hand_is_named_but_not_quoted() -> None:
    found = Diagnostic("GP401", "m", span=at(10, 42, 44), hint="h")
    assert (
        render_text([found], {})
        == """\
error[GP401]: m
  --> policy.yaml:10:42
   = help: h

found 1 error
"""
    )


def test_without_a_place_the_path_is_shown() -> None:
    found = Diagnostic("GP401", "m", ("spec", "tenants", 0, "quotas", 1), hint="h")
    assert (
        render_text([found], {})
        == """\
error[GP401]: m
 --> tenants[0].quotas[1]
  = help: h

found 1 error
"""
    )


def test_without_place_and_path_only_the_message_is_shown() -> None:
    assert render_text([Diagnostic("GP900", "m")], {}) == "error[GP900]: m\n\nfound 1 error\n"


def test_a_place_past_the_end_is_named_but_not_quoted() -> None:
    found = Diagnostic("GP001", "m", span=at(99, 1, 2))
    assert (
        render_text([found], {FILE: POLICY})
        == """\
error[GP001]: m
  --> policy.yaml:99:1

found 1 error
"""
    )


def test_a_place_of_several_lines_is_marked_to_the_end_of_the_first() -> None:
    found = Diagnostic("GP401", "m", span=Span(FILE, 3, 7, 6, 21))
    assert (
        render_text([found], {FILE: POLICY})
        == """\
error[GP401]: m
 --> policy.yaml:3:7
  |
3 |     - name: train
  |       ^^^^^^^^^^^

found 1 error
"""
    )


def test_an_empty_place_has_one_caret() -> None:
    found = Diagnostic("GP001", "m", span=at(1, 6, 6))
    assert "1 | spec:\n  |      ^\n" in render_text([found], {FILE: POLICY})


def test_related_places_in_another_file_are_quoted_from_it() -> None:
    other = Related("laid over by", span=at(1, 1, 4, "prod.yaml"))
    found = Diagnostic("GP401", "m", span=at(1, 1, 5), related=(other,))
    assert (
        render_text([found], {FILE: POLICY, "prod.yaml": "abc: 1"})
        == """\
error[GP401]: m
 --> policy.yaml:1:1
  |
1 | spec:
  | ^^^^
note: laid over by
 --> prod.yaml:1:1
  |
1 | abc: 1
  | ^^^

found 1 error
"""
    )


def test_a_tab_is_four_blanks_and_the_carets_follow() -> None:
    assert quote("\tgpu:\tA10", 7, 10) == ("    gpu:    A10", 12, 3)
    assert quote("\tgpu:\tA10", 6, 7) == ("    gpu:    A10", 8, 4)


def test_wide_characters_move_the_carets_by_two_columns() -> None:
    assert quote("名前: A10", 5, 8) == ("名前: A10", 6, 3)
    assert quote("名前: A10", 1, 3) == ("名前: A10", 0, 4)


def test_an_emoji_is_two_columns_wide() -> None:
    assert quote("\U0001f680: A10", 4, 7) == ("\U0001f680: A10", 4, 3)
    assert quote("❤\ufe0f: A10", 5, 8) == ("❤\ufe0f: A10", 4, 3)


def test_a_combining_mark_takes_no_column() -> None:
    assert quote("e\u0301: A10", 5, 8) == ("e\u0301: A10", 3, 3)


def test_what_a_terminal_obeys_is_shown_by_its_number() -> None:
    assert quote("a\x1b[2Jb", 6, 7) == ("a\\x1b[2Jb", 8, 1)
    assert quote("a\u202eb", 3, 4) == ("a\\u202eb", 7, 1)
    assert escape("a\nb\rc\td\x07\x9b\u200b\U000e0001\udc80") == (
        "a\\nb\\rc\\td\\x07\\x9b\\u200b\\U000e0001\\udc80"
    )


def test_a_long_line_is_cut_around_the_place() -> None:
    line = "a" * 500 + "BAD" + "c" * 500
    text, offset, carets = quote(line, 501, 504)
    assert text.startswith("...a")
    assert text.endswith("c...")
    assert text[offset : offset + carets] == "BAD"
    assert len(text) == WIDTH + 6


def test_a_long_line_is_cut_at_its_end_only_if_the_place_is_near_its_beginning() -> None:
    text, offset, carets = quote("k: " + "v" * 500, 1, 2)
    assert (offset, carets) == (0, 1)
    assert text == "k: " + "v" * (WIDTH - 3) + "..."


def test_a_place_longer_than_the_line_that_is_shown_keeps_its_beginning() -> None:
    text, offset, carets = quote("k" * 20 + "v" * 5000, 21, 5021)
    assert text[offset] == "v"
    assert text[offset - 1] == "k"
    assert carets <= WIDTH


def test_a_long_message_is_cut() -> None:
    found = Diagnostic("GP101", "unknown key '" + "x" * 1_000_000 + "'")
    text = render_text([found], {})
    assert len(text) < 2200
    assert "998014 more characters" in text


def test_lines_are_counted_as_yaml_counts_them() -> None:
    text = "a: 1\r\nb: 2\rc: 3\u2028\x0c\x85\nd: 4\n"
    shown = render_text([Diagnostic("GP001", "m", span=at(4, 1, 2))], {FILE: text})
    assert "4 | d: 4\n" in shown


def test_colour_changes_nothing_but_colour() -> None:
    found = Diagnostic(
        "GP401",
        "m",
        span=at(10, 42, 44),
        hint="h",
        notes=("n",),
        related=(Related("r", span=at(5, 14, 15)),),
    )
    plain = render_text([found], {FILE: POLICY})
    colored = render_text([found], {FILE: POLICY}, color=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31merror[GP401]\x1b[0m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain


ANY_TEXT = st.text(max_size=300)


@given(
    ANY_TEXT, ANY_TEXT, st.integers(1, 400), st.integers(1, 400), st.integers(1, 9), st.booleans()
)
def test_any_text_is_harmless_and_every_line_has_its_shape(
    message: str, source: str, column: int, end: int, line: int, multiline: bool
) -> None:
    """Law: whatever the policy says, the output has only printable characters and line breaks."""
    span = Span(message, line, column, line + multiline, end)
    found = Diagnostic("GP401", message, span=span, hint=message, notes=(source,))
    text = render_text([found], {message: source})
    assert all(one.isprintable() or one == "\n" for one in text)
    assert len(text.splitlines()) <= 12


@given(
    st.text(alphabet=st.characters(blacklist_categories=("C", "Z", "M")), max_size=200), st.data()
)
def test_the_carets_stand_under_the_place(line: str, data: st.DataObject) -> None:
    """Law: cutting the shown line by columns at the carets gives the characters of the span."""
    if not line:
        return
    column = data.draw(st.integers(1, len(line)))
    end = data.draw(st.integers(column + 1, min(len(line) + 1, column + 40)))
    text, offset, carets = quote(line, column, end)
    columns = [one for one in text for _ in range(_width(one))]
    shown = "".join(columns[offset : offset + carets])
    assert shown == "".join(one * _width(one) for one in line[column - 1 : end - 1])


def _width(one: str) -> int:
    return 2 if unicodedata.east_asian_width(one) in "WF" else 1
