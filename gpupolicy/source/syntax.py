"""PyYAML's errors -> findings with a place and plain advice.

GP005 indentation-by-tab
    A line is indented with a tab, or with another character that looks like a blank (a no-break
    space, U+00A0, as it comes with text copied from a web page). YAML is indented with spaces
    only. Most editors have a command that replaces tabs: `:retab` in vim, "Convert Indentation to
    Spaces" in VS Code.

GP006 yaml-syntax
    The text is not YAML; the finding says what was expected where. Often the cause stands on the
    line before: a quotation mark or bracket that is not closed, a text with `: ` or ` #` in it
    that should be quoted, or a line that is indented by one blank more than its neighbours.

GP008 directive-refused
    A line that begins with `%` is a directive, and only `%YAML 1.1`, `%YAML 1.2` and `%TAG` are
    known, 100 of them at most. Values are read by the rules of YAML 1.2 in every case. Remove the
    line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from typing import NamedTuple

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.source.aliases import TOO_DEEP

if TYPE_CHECKING:
    from gpupolicy.diagnostics.model import Span
    from gpupolicy.source.places import Places


class _Advice(NamedTuple):
    """What we say for an error whose text has one of `parts` (C parser, Python parser).

    `{at}` is the character at the place, `{line}` the line on which the construct around it
    begins. `from_start` shows the place where the construct begins, not where it breaks off.
    """

    parts: tuple[str, ...]
    message: str
    hint: str
    from_start: bool = False


_ADVICE = (
    _Advice(
        ("mapping values are not allowed",),
        "a ':' cannot stand here",
        "quote the text if the colon belongs to it, or indent the line like the key above it",
    ),
    _Advice(
        ("sequence entries are not allowed",),
        "a list item cannot begin here",
        "begin it on a line of its own, or quote the text if '-' belongs to it",
    ),
    _Advice(
        ("mapping keys are not allowed",),
        "a '?' cannot stand here",
        "quote the text if '?' belongs to it",
    ),
    _Advice(
        ("could not find expected ':'",),
        "this line has no ': ' after its key",
        "write 'key: value', with a blank after the colon",
        from_start=True,
    ),
    _Advice(
        ("found unexpected end of stream", "found unexpected document", "found unexpected end"),
        "this quotation mark is never closed",
        "close it, or remove it",
        from_start=True,
    ),
    _Advice(
        ("unknown escape character", "hexdecimal number", "hexadecimal number"),
        "this is no escape that double quotes know",
        "write the text in single quotes, or double the backslash",
    ),
    _Advice(
        ("invalid Unicode character escape",),
        "this escape names no character",
        "write the character itself",
    ),
    _Advice(
        ("cannot start any token",),
        "a text cannot begin with '{at}'",
        "quote the text",
    ),
    _Advice(
        ("while scanning an anchor", "while scanning an alias"),
        "'&' marks a value and '*' repeats it, but no name follows",
        "quote the text if the sign belongs to it",
    ),
    _Advice(
        ("while scanning a tag", "while parsing a tag", "undefined tag handle"),
        "'!' begins a tag, and this one cannot be read",
        "quote the text if '!' belongs to it",
    ),
    _Advice(
        ("while scanning a block scalar",),
        "after '|' or '>' only '+', '-', a digit or a comment may stand on the line",
        "begin the text on the next line, or quote it",
    ),
    _Advice(
        ("node content",),
        "a value is due here, and '{at}' is none",
        "quote the text if '{at}' belongs to it",
    ),
    _Advice(
        ("while parsing a flow sequence",),
        "a ',' or ']' is due here: the list that begins on line {line} is not closed",
        "add the missing ',' or ']'",
    ),
    _Advice(
        ("while parsing a flow mapping",),
        "a ',' or '}}' is due here: the map that begins on line {line} is not closed",
        "add the missing ',' or '}}'",
    ),
    _Advice(
        ("while parsing a block collection", "while parsing a block sequence"),
        "this line fits neither the list that begins on line {line} nor what is around it",
        "indent it like the '-' of that list, or like the key above it",
    ),
    _Advice(
        ("while parsing a block mapping",),
        "a key of the map that begins on line {line} is due here",
        "indent it like the other keys; nothing may follow a quoted text on its line",
    ),
    _Advice(
        ("<document start>",),
        "the document has ended before this line",
        "indent it like the lines above, or write '---' between documents",
    ),
)
_OTHER = _Advice((), "this cannot be read as YAML", "look at this line and the one before")

MAX_DIRECTIVES = 100
_DIRECTIVES = ("directive", "incompatible YAML document", "incompatible document")
# A blank that is no space, after nothing but spaces.
_ODD_BLANK = re.compile(r" *([^\S \n])")
_LOOKALIKES = {"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\uff1a": ":"}


def directive_finding(places: Places, base: int, text: str) -> Diagnostic | None:
    """Refuse so many directives that the parser, which compares each with all, would be slow."""
    if text.count("\n%") <= MAX_DIRECTIVES:
        return None
    index = text.index("\n%") + 1
    message = f"more than {MAX_DIRECTIVES} lines begin with '%'"
    span = places.span(base + index, base + _line_end(text, index))
    return Diagnostic("GP008", message, hint="remove these lines", span=span)


def syntax_finding(error: Exception, places: Places, base: int, text: str) -> Diagnostic:
    """Turn an error of either parser into a finding about the file that begins at `base`."""
    problem = _index(error, "problem_mark", text)
    context = _index(error, "context_mark", text, problem)
    said = f"{getattr(error, 'context', None)} {getattr(error, 'problem', None)}"
    if any(part in said for part in _DIRECTIVES):
        span = places.span(base + problem, base + _line_end(text, problem))
        return Diagnostic("GP008", "this directive is not known", hint="remove the line", span=span)
    if "nesting depth" in said:
        span = places.span(base + problem, base + problem + 1)
        return Diagnostic("GP007", TOO_DEEP, span=span)
    for index in (problem, context):
        found = _ODD_BLANK.match(text, text.rfind("\n", 0, index) + 1)
        if found:
            span = places.span(base + found.start(1), base + found.end(1))
            return _indentation(found[1], span)
    advice = next((row for row in _ADVICE if any(part in said for part in row.parts)), _OTHER)
    begun = places.span(base + context, base + context)
    index = context if advice.from_start else problem
    return _advise(advice, index, begun, places.span(base + index, base + index + 1), text)


def _advise(advice: _Advice, index: int, begun: Span, span: Span, text: str) -> Diagnostic:
    at = text[index : index + 1].strip()
    message = advice.message.format(at=at or "nothing", line=begun.line)
    related = () if begun.line == span.line else (Related("it begins here", span=begun),)
    hint = _hint(advice.hint.format(at=at or "more"), text, index)
    return Diagnostic("GP006", message, hint=hint, related=related, span=span)


def _hint(hint: str, text: str, index: int) -> str:
    """Add what the eye does not see on the line or the one before."""
    start = text.rfind("\n", 0, index) + 1
    line = text[start : _line_end(text, index)]
    if "colon" in hint and index - start > 1024:
        hint += "; a key may have 1,024 characters at most"
    for sign, meant in _LOOKALIKES.items():
        if sign in line:
            hint += f"; {sign} is not {meant}"
    odd = _ODD_BLANK.match(text, text.rfind("\n", 0, max(start - 1, 0)) + 1)
    if odd and odd[1] != "\t":
        hint += f"; the line before is indented with U+{ord(odd[1]):04X}, which is no space"
    return hint


def _indentation(character: str, span: Span) -> Diagnostic:
    is_tab = character == "\t"
    name = "a tab" if is_tab else f"the character U+{ord(character):04X}"
    hint = "replace the tabs by spaces" if is_tab else "replace it by a space"
    message = f"the line is indented with {name}; YAML allows spaces only"
    return Diagnostic("GP005", message, hint=hint, span=span)


def _index(error: Exception, name: str, text: str, default: int = 0) -> int:
    mark = getattr(error, name, None)
    index = default if mark is None else mark.index
    return max(0, min(index, len(text)))


def _line_end(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end
