"""Comments that accept a warning: `# gpupolicy: ignore[GP312] reason until=2027-03-01`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping

from yaml import YAMLError
from yaml.events import ScalarEvent

from gpupolicy.diagnostics.model import Span
from gpupolicy.diagnostics.suppression import Suppression
from gpupolicy.source.events import open_events

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#[ \t]*gpupolicy:(.*?)(?=[ \t]+#[ \t]*gpupolicy:|$)", re.M)
_FORM = re.compile(r"[ \t]*ignore[ \t]*\[([^\]]*)\](.*)\Z")
_UNTIL = re.compile(r"(?:^|[ \t])until=(\S*)")

_Scalar = tuple[int, int, bool]  # Start, end, and whether it is a block.


def find(texts: Mapping[str, str]) -> list[Suppression]:
    """Find the comments of all files, by file and line.

    One that begins with `gpupolicy:` but cannot be read has no codes. A `#` inside a quoted text
    or a block is none.
    """
    found: list[Suppression] = []
    for name in sorted(texts):
        if "gpupolicy:" in texts[name]:
            found += _find_in(name, texts[name])
    return found


def _find_in(name: str, text: str) -> list[Suppression]:
    candidates = list(_COMMENT.finditer(text))
    scalars = _scalars(text) if candidates else []
    found: list[Suppression] = []
    line, counted = 1, 0
    for match in candidates:
        if not _is_inside(match.start(), scalars, text):
            line += text.count("\n", counted, match.start())
            counted = match.start()
            found.append(_suppression(name, line, text, match))
    return found


def _scalars(text: str) -> list[_Scalar]:
    """Find where text stands that is no comment, up to the first error."""
    scalars: list[_Scalar] = []
    get = open_events(text)
    try:
        while (event := get()) is not None:
            if event.__class__ is ScalarEvent:
                is_block = event.style in ("|", ">")
                scalars.append((event.start_mark.index, event.end_mark.index, is_block))
    except YAMLError:
        pass
    return scalars


def _is_inside(index: int, scalars: list[_Scalar], text: str) -> bool:
    at = bisect_right(scalars, index, key=lambda scalar: scalar[0]) - 1
    if at < 0:
        return False
    start, end, is_block = scalars[at]
    if is_block:  # The comment on the line of `|` is a comment.
        start = text.find("\n", start)
    return start <= index < end


def _suppression(name: str, line: int, text: str, match: re.Match[str]) -> Suppression:
    start, end = match.start(), match.start() + len(match[0].rstrip())
    line_start = text.rfind("\n", 0, start) + 1
    codes, reason, until = _read(match[1])
    column = start - line_start + 1
    return Suppression(
        file=name,
        line=line,
        codes=codes,
        reason=reason,
        until=until,
        span=Span(name, line, column, line, column + end - start),
        alone=not text[line_start:start].strip(),
    )


def _read(comment: str) -> tuple[tuple[str, ...], str, str | None]:
    form = _FORM.match(comment)
    if form is None:
        return (), comment.strip(), None
    codes = tuple(code.strip() for code in form[1].split(",") if code.strip())
    until = _UNTIL.search(form[2])
    reason = _UNTIL.sub("", form[2], count=1).strip()
    return codes, reason, until[1] if until else None
