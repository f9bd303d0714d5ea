from __future__ import annotations

import codecs

import pytest

from gpupolicy.source.load import SourceText
from gpupolicy.source.load import quotable
from gpupolicy.source.text import quote
from tests.source.loading import POLICY
from tests.source.loading import document
from tests.source.loading import finding
from tests.source.loading import load_texts
from tests.source.loading import place
from tests.source.loading import written

TEXT = (
    POLICY
    + "metadata: {name: lab}\nspec:\n  # Größe 🦄\n"
    + "  a:   \n    - b: 'ü'  \n      c: |\n        x\n  d: 1\n"
)
PATHS = [
    ("spec", "a", 0, "b"),
    ("spec", "a", 0, "c"),
    ("spec", "d"),
    ("metadata", "name"),
    ("kind",),
]


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_077_byte_order_mark_and_line_ends_change_nothing(mark: bytes, newline: str) -> None:
    plain = document(TEXT)
    other = document(mark + TEXT.replace("\n", newline).encode())
    assert other.data == plain.data
    assert other.digest_input == plain.digest_input
    assert other.texts == plain.texts
    for path in PATHS:
        assert other.span_of(path) == plain.span_of(path)


def test_a_077_trailing_blanks_are_no_part_of_values() -> None:
    loaded = document(TEXT)
    assert loaded.data["spec"] == {"a": [{"b": "ü", "c": "x\n"}], "d": "1"}
    assert written(loaded, loaded.span_of(("spec", "a", 0, "b"))) == "'ü'"
    assert written(loaded, loaded.span_of(("spec", "a", 0, "c"))) == "|\n        x"


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_invalid_utf8_has_line_and_column(newline: bytes) -> None:
    text = POLICY.encode().replace(b"\n", newline) + "spec: {größe: ".encode() + b"\xfc}\n"
    found = finding(text)
    assert (found.code, place(found.span)) == ("GP001", ("a.yaml", 3, 15))
    assert "0xFC" in found.message


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_utf16_and_utf32_are_named(encoding: str) -> None:
    found = finding(("\ufeff" + TEXT).encode(encoding))
    assert found.code == "GP002"
    assert encoding[:6].upper() in found.message


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\x00", "U+0000"),
        ("\x07", "U+0007"),
        ("\x1b", "U+001B"),
        ("\x7f", "U+007F"),
        ("\x85", "U+0085"),
        ("\u2028", "U+2028"),
        ("\ufeff", "U+FEFF"),
        ("\uffff", "U+FFFF"),
    ],
)
def test_invisible_characters_are_refused_with_their_place(character: str, name: str) -> None:
    found = finding(POLICY + f"spec:\n  a: 'ö{character}'\n")
    assert (found.code, place(found.span)) == ("GP003", ("a.yaml", 4, 8))
    assert name in found.message


def test_they_may_be_written_as_escapes() -> None:
    assert document(POLICY + 'spec: "\\a\\u2028\\N"\n').data["spec"] == "\a\u2028\x85"


def test_eight_mebibytes_are_the_end() -> None:
    filler = "# " + "x" * (4 * 1024 * 1024) + "\n"
    assert load_texts(POLICY + filler, POLICY.replace("Cluster", "X"))[1][0].code == "GP023"
    found = finding(POLICY + filler, filler)
    assert (found.code, found.span.file) == ("GP004", "b.yaml")
    assert "8,388,608" in found.message


def test_more_than_a_mebibyte_is_read() -> None:
    assert document(POLICY + "spec:\n" + "  # comment\n" * 100_000 + "  a: 1\n").data["spec"] == {
        "a": "1"
    }


@pytest.mark.parametrize(
    "data", [b"a\r\nb\xff\n", "\ufeffa\nb".encode("utf-16-le"), b"\xff\xfe\x00"]
)
def test_there_is_always_text_to_quote(data: bytes) -> None:
    text = quotable([SourceText("a", data)])["a"]
    assert "\r" not in text


def test_users_text_is_quoted_on_one_short_line() -> None:
    assert quote("a\nb\x1b") == "'a\\nb\\x1b'"
    assert len(quote("x" * 1_000_000)) == 62
