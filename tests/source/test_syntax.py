from __future__ import annotations

import pytest

from tests.source.loading import POLICY
from tests.source.loading import document
from tests.source.loading import finding
from tests.source.loading import load_texts
from tests.source.loading import place
from tests.source.loading import spec_of

SPEC = POLICY + "spec:\n"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("\ta: 1\n", 4, 1),
        ("  a: 1\n\tb: 2\n", 5, 1),
        ("  a: 1\n  \tb: 2\n", 5, 3),
        ("  a:\n\t  b: 2\n", 5, 1),
        ("  - a\n\t- b\n", 5, 1),
        ("  a:\n    - b: 1\n\t  c: 2\n", 6, 1),
        ("  a:\n  \t\tb: 2\n", 5, 3),
    ],
)
def test_a_072_tabs_are_called_tabs(text: str, line: int, column: int) -> None:
    found = finding(SPEC + text)
    assert (found.code, place(found.span)) == ("GP005", ("a.yaml", line, column))
    assert "tab" in found.message


def test_a_072_a_tab_at_the_very_start() -> None:
    found = finding("\tapiVersion: x\n")
    assert (found.code, place(found.span)) == ("GP005", ("a.yaml", 1, 1))


def test_tabs_between_values_are_no_indentation() -> None:
    assert spec_of("  a:\t1\t# tab\n  b: 'x\ty'\n  c: {\n\td: 2}\n") == {
        "a": "1",
        "b": "x\ty",
        "c": {"d": "2"},
    }


def test_a_no_break_space_is_no_indentation() -> None:
    found = finding(SPEC + "  a:\n    - b: 1\n  \u00a0c: x: y\n")
    assert (found.code, place(found.span)) == ("GP005", ("a.yaml", 6, 3))
    assert "U+00A0" in found.message


def test_a_no_break_space_on_the_line_before_is_named() -> None:
    found = finding(SPEC + "  \u00a0a: 1\n  b: 2\n   c: 3\n  d: e: f\n")
    assert "line 4" not in found.hint
    found = finding(SPEC + "   \u00a0a: 1\n  b: 2\n")
    assert "U+00A0" in found.hint


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("  a: b: c\n", 4, 7, "':' cannot stand here"),
        ("  a: b\n    c: d\n", 5, 6, "':' cannot stand here"),
        ("  a: - b\n", 4, 6, "list item cannot begin"),
        ("  a: ? b\n", 4, 6, "'?' cannot stand here"),
        ("  a: 1\n  b\n  c: 1\n", 5, 3, "no ': '"),
        ("  a: [1, 2\n  b: 1\n", 5, 4, "list that begins on line 4"),
        ("  a: {b: 1, c: 2\nd: 1\n", 5, 2, "map that begins on line 4"),
        ("  a: 'x\n  b: 1\n", 4, 6, "quotation mark is never closed"),
        ('  a: "x\n---\n', 4, 6, "quotation mark is never closed"),
        ('  a: "\\q"\n', 4, 7, "no escape"),
        ('  a: "\\x4"\n', 4, 9, "no escape"),
        ('  a: "\\ud800"\n', 4, 9, "names no character"),
        ("  a: @x\n", 4, 6, "cannot begin with '@'"),
        ("  a: `x`\n", 4, 6, "cannot begin with '`'"),
        ("  a: %x\n", 4, 6, "cannot begin with '%'"),
        ("  a: &\n", 4, 7, "no name follows"),
        ("  a: * x\n", 4, 7, "no name follows"),
        ("  a: !<x\n", 4, 9, "begins a tag"),
        ("  a: !x!y z\n", 4, 6, "begins a tag"),
        ("  a: |x\n   y\n", 4, 7, "after '|'"),
        ("  a: }\n", 4, 6, "'}' is none"),
        ("  a: {b: ]}\n", 4, 10, "']' is none"),
        ("  - a\n  b: 1\n", 5, 3, "list that begins on line 4"),
        ("    a: 1\n  b: 2\n", 5, 3, "map that begins on line 1"),
        ("  a: 'b' c\n", 4, 10, "map that begins on line 4"),
        ("...\na: 1\n", 5, 1, "document has ended"),
    ],
)
def test_syntax_errors_have_a_place_and_advice(
    text: str, line: int, column: int, said: str
) -> None:
    loaded, (found,) = load_texts(SPEC + text)
    assert loaded is None
    assert (found.code, place(found.span)) == ("GP006", ("a.yaml", line, column))
    assert said in found.message
    assert found.hint


def test_an_open_bracket_is_shown_where_it_was_opened() -> None:
    found = finding(SPEC + "  a: [1,\n  b\n  c: d\n")
    assert place(found.related[0].span) == ("a.yaml", 4, 6)


def test_typographic_quotes_are_pointed_out() -> None:
    found = finding(SPEC + "  a: \u201cx: y\u201d\n")
    assert "\u201c is not" in found.hint


def test_a_key_over_1024_characters_is_explained() -> None:
    found = finding(SPEC + "  " + "k" * 1100 + ": 1\n")
    assert (found.code, place(found.span)) == ("GP006", ("a.yaml", 4, 1103))
    assert "1,024" in found.hint


@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_yaml_directives_change_nothing(version: str) -> None:
    assert document(f"%YAML {version}\n---\n{SPEC}  a: [no, 010]\n").data["spec"] == {
        "a": ["no", "010"]
    }


@pytest.mark.parametrize(
    "line", ["%YAML 1.3", "%YAML 2.0", "%YAML x", "%FOO bar", "%YAML 1.2\n%YAML 1.2"]
)
def test_other_directives_are_refused(line: str) -> None:
    found = finding(f"{line}\n---\n{SPEC}")
    assert found.code == "GP008"


def test_a_tag_directive_gives_no_new_tags() -> None:
    text = f"%TAG !e! tag:example.com,2024:\n---\n{SPEC}  a: !e!x 1\n"
    assert "tag:example.com,2024:x" in finding(text).message


def test_the_first_file_is_read_although_the_second_has_an_error() -> None:
    loaded, found = load_texts(
        SPEC + "  a: 1\n  a: 2\n", SPEC + "  b: [\n", SPEC + "  c: 1\n\td: 1\n"
    )
    assert loaded is not None
    assert loaded.is_incomplete
    assert [(one.code, one.span.file) for one in found][:3] == [
        ("GP010", "a.yaml"),
        ("GP006", "b.yaml"),
        ("GP005", "c.yaml"),
    ]
