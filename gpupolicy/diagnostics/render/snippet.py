"""A source line as it may be shown on a terminal, and where in it the carets go.

What a policy contains is not trusted: whatever a terminal would obey, or show as nothing (control
characters, direction marks, odd spaces), is shown by its number instead.
"""

from __future__ import annotations

import re

WIDTH = 100  # Code points of a line that are shown; more is cut off around the span.
_MESSAGE_LENGTH = 2000
_TAB = "    "
_ELLIPSIS = "..."
_EMOJI_STYLE = "\ufe0f"  # The character before it is shown two columns wide.
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
# The line breaks of YAML 1.2, by which lines are counted.
_BREAK = re.compile("\r\n|\r|\n")


def split_lines(text: str) -> list[str]:
    """Split a text into lines as spans count them."""
    return _BREAK.split(text)


def escape(text: str) -> str:
    """Make text harmless on a terminal, on one line, and no longer than a reader can bear."""
    if len(text) > _MESSAGE_LENGTH:
        more = len(text) - _MESSAGE_LENGTH
        text = f"{text[:_MESSAGE_LENGTH]}... ({more} more characters)"
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _escaped(one) for one in text)


def quote(line: str, column: int, end_column: int | None) -> tuple[str, int, int]:
    """Give the line as shown, the column of the first caret from 0, and the number of carets.

    `column` and `end_column` count code points from 1, the end is exclusive; without it the
    span goes on to the end of the line. Tabs, wide characters and what is escaped are allowed for.
    """
    start = min(max(column - 1, 0), len(line))
    stop = len(line.rstrip()) if end_column is None else min(end_column - 1, len(line))
    first, last = _window(len(line), start, stop)
    shown = [_shown(line, index) for index in range(first, last)]
    head = _ELLIPSIS if first > 0 else ""
    tail = _ELLIPSIS if last < len(line) else ""
    offset = len(head) + sum(width for _, width in shown[: start - first])
    carets = sum(width for _, width in shown[start - first : max(stop - first, 0)])
    return head + "".join(text for text, _ in shown).rstrip() + tail, offset, max(carets, 1)


def _window(length: int, start: int, stop: int) -> tuple[int, int]:
    """Choose which code points of a long line are shown: the span, and what is around it."""
    if length <= WIDTH or stop <= WIDTH:
        return 0, min(length, WIDTH)
    around = max(WIDTH - (stop - start), WIDTH // 4)
    first = max(0, min(start - around // 2, length - WIDTH))
    return first, min(length, first + WIDTH)


def _shown(line: str, index: int) -> tuple[str, int]:
    one = line[index]
    if one.isascii():
        if one.isprintable():
            return one, 1
        text = _TAB if one == "\t" else _escaped(one)
        return text, len(text)
    if not one.isprintable():
        text = _escaped(one)
        return text, len(text)
    return one, _columns(one, line[index + 1 : index + 2])


def _columns(one: str, following: str) -> int:
    import unicodedata  # Only lines that are not ASCII need it.

    if unicodedata.category(one) in ("Mn", "Me"):
        return 0
    return 2 if following == _EMOJI_STYLE or unicodedata.east_asian_width(one) in "WF" else 1


def _escaped(one: str) -> str:
    number = ord(one)
    if one in _NAMED:
        return _NAMED[one]
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
