"""Findings for people: the message, the quoted line with carets, why, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.model import Span
from gpupolicy.diagnostics.model import format_path
from gpupolicy.diagnostics.render.snippet import escape
from gpupolicy.diagnostics.render.snippet import quote
from gpupolicy.diagnostics.render.snippet import split_lines

# ANSI "select graphic rendition": bold, and bold with a colour.
_BOLD, _RED, _YELLOW, _CYAN, _BLUE = "1", "1;31", "1;33", "1;36", "1;34"
_COLORS = {Severity.ERROR: _RED, Severity.WARNING: _YELLOW, Severity.NOTE: _CYAN}


@dataclass(frozen=True, slots=True)
class _Page:
    """What the findings of a run share: the lines of the files, and whether there is colour."""

    texts: Mapping[str, str]
    color: bool
    split: dict[str, list[str]] = field(default_factory=dict)

    def line(self, span: Span | None) -> str | None:
        """Give the line on which a span begins, if its file can be quoted."""
        if span is None or span.file not in self.texts:
            return None
        if span.file not in self.split:
            self.split[span.file] = split_lines(self.texts[span.file])
        lines = self.split[span.file]
        return lines[span.line - 1] if 0 < span.line <= len(lines) else None

    def paint(self, text: str, rendition: str) -> str:
        return f"\x1b[{rendition}m{text}\x1b[0m" if self.color else text


def render_text(
    diagnostics: Sequence[Diagnostic], texts: Mapping[str, str], color: bool = False
) -> str:
    """Show findings, in the order given, with a last line that counts them; "" if there is none.

    `texts` are the source files by the names that the spans have; a file that is not there is not
    quoted. The text ends with a line break.
    """
    if not diagnostics:
        return ""
    page = _Page(texts, color)
    blocks = ["\n".join(_block(found, page)) for found in diagnostics]
    return "\n\n".join([*blocks, count_line(diagnostics)]) + "\n"


def count_line(diagnostics: Sequence[Diagnostic]) -> str:
    """Say how many findings there are: "found 2 errors, 1 warning and 3 notes"."""
    parts = []
    for severity in Severity:
        number = sum(found.severity is severity for found in diagnostics)
        if number:
            parts.append(f"{number} {severity.value}{'' if number == 1 else 's'}")
    if len(parts) > 1:
        parts = [", ".join(parts[:-1]), parts[-1]]
    return "found " + (" and ".join(parts) or "nothing")


def _block(found: Diagnostic, page: _Page) -> Iterator[str]:
    rendition = _COLORS[found.severity]
    gutter = _gutter(found)
    head = page.paint(f"{found.severity.value}[{found.code}]", rendition)
    yield head + page.paint(f": {escape(found.message)}", _BOLD)
    yield from _place(found, gutter, rendition, page)
    yield from _asides(found, gutter, page)
    for other in found.related:
        yield page.paint("note", _CYAN) + f": {escape(other.message)}"
        yield from _place(other, gutter, _CYAN, page)


def _gutter(found: Diagnostic) -> int:
    spans = [found.span, *(other.span for other in found.related)]
    return max([len(str(span.line)) for span in spans if span is not None], default=1)


def _asides(found: Diagnostic, gutter: int, page: _Page) -> Iterator[str]:
    asides = [("note", note) for note in found.notes]
    if found.hint is not None:
        asides.append(("help", found.hint))
    if asides and page.line(found.span) is not None:
        yield " " * gutter + " " + page.paint("|", _BLUE)
    for name, text in asides:
        yield f"{' ' * gutter} {page.paint('=', _BLUE)} {page.paint(name, _BOLD)}: {escape(text)}"


def _place(one: Diagnostic | Related, gutter: int, rendition: str, page: _Page) -> Iterator[str]:
    """Show where it is: the file and the quoted line, or the path if no file says it."""
    arrow = " " * gutter + page.paint("-->", _BLUE)
    span, line = one.span, page.line(one.span)
    if span is not None:
        yield f"{arrow} {escape(span.file)}:{span.line}:{span.column}"
    elif one.path:
        yield f"{arrow} {escape(format_path(one.path))}"
    if span is None or line is None:
        return
    end = span.end_column if span.end_line == span.line else None
    text, offset, carets = quote(line, span.column, end)
    bar = page.paint("|", _BLUE)
    yield f"{' ' * gutter} {bar}"
    yield f"{page.paint(f'{span.line:>{gutter}}', _BLUE)} {bar} {text}".rstrip()
    yield f"{' ' * gutter} {bar} {' ' * offset}{page.paint('^' * carets, rendition)}"
