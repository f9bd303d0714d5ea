r"""Bytes -> text: encoding, and characters that no policy may have.

GP001 text-not-utf8
    The file is not UTF-8. A byte stands there that no UTF-8 text has, often an umlaut that an
    editor saved as Latin-1. Save the file as UTF-8; the finding names the first such byte.

GP002 text-utf16
    The file begins with the mark of UTF-16 or UTF-32, as PowerShell's `>` writes it. Save it as
    UTF-8: `Get-Content policy.yaml | Set-Content -Encoding utf8 policy-utf8.yaml`.

GP003 text-character
    A character stands there that cannot be seen and has no meaning in YAML: a control character,
    NUL, a byte-order mark inside the text, or a line separator (U+0085, U+2028, U+2029) which is
    a new line for some YAML readers and a blank for others. Delete it. Inside double quotes it
    can be written as an escape, such as "\u2028".
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Span

_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
# What may stand in a file, byte by byte; the rest of Unicode is looked at only where it occurs.
_PLAIN = bytes([9, 10, 13, *range(32, 127), *range(128, 256)])
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def decode(name: str, data: bytes) -> tuple[str | None, list[Diagnostic]]:
    r"""Give the text with `\n` line ends and no byte-order mark, or say why there is none."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            hint = "save the file as UTF-8"
            return None, [_at(name, "", "GP002", f"the file is encoded in {encoding}", hint)]
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = _with_newlines(data.decode())
    except UnicodeDecodeError as error:
        return None, [_not_utf8(name, data, error.start)]
    if data.translate(None, _PLAIN) or not data.isascii():
        return _refuse_forbidden(name, text)
    return text, []


def readable(data: bytes) -> str:
    """Give whatever text there is, so that a line can be quoted."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _with_newlines(data.decode(encoding, "replace"))
    return _with_newlines(data.removeprefix(codecs.BOM_UTF8).decode(errors="replace"))


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _not_utf8(name: str, data: bytes, start: int) -> Diagnostic:
    before = _with_newlines(data[:start].decode())
    message = f"the byte 0x{data[start]:02X} is not UTF-8"
    return _at(name, before, "GP001", message, "save the file as UTF-8")


def _refuse_forbidden(name: str, text: str) -> tuple[str | None, list[Diagnostic]]:
    found = _FORBIDDEN.search(text)
    if found is None:
        return text, []
    message = f"the invisible character U+{ord(found[0]):04X} cannot stand in a policy"
    hint = "delete it, or write it as an escape in double quotes"
    return None, [_at(name, text[: found.start()], "GP003", message, hint)]


def _at(name: str, before: str, code: str, message: str, hint: str) -> Diagnostic:
    """Give a finding about the character that follows the text `before`."""
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    return Diagnostic(code, message, hint=hint, span=Span(name, line, column, line, column + 1))


def quote(text: str) -> str:
    """Put a user's text in single quotes for a message: one line, not long."""
    short = text if len(text) <= 60 else text[:57] + "..."
    if not short.isprintable():
        short = "".join(c if c.isprintable() else _escape(c) for c in short)
    return f"'{short}'"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()


def nearest(word: str, legal: Iterable[str]) -> str | None:
    """Give the legal word that was probably meant, of the first 500."""
    from gpupolicy.diagnostics import nearest as words  # only a refusal needs it

    return words.nearest(word, legal)
