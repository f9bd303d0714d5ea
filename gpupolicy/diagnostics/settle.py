"""The last step of every run: findings get their places, an order, and no repetition.

Phases say what is wrong and at which path of the document; only here does a path become a line
and a column. What is a consequence of another finding, said twice, or suppressed by a comment in
the policy is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Part
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.model import Span
from gpupolicy.diagnostics.model import has_errors
from gpupolicy.diagnostics.suppress import apply
from gpupolicy.diagnostics.suppression import Suppression

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


class Places(Protocol):
    """What `settle` asks of a document: the place of a path, or nothing if it is not there."""

    def span_of(self, path: Path, part: Part = "value") -> Span | None:
        """Give the place of the key or the value at `path`."""


def settle(
    diagnostics: Iterable[Diagnostic],
    document: Places | None,
    suppressions: Sequence[Suppression] = (),
    today: str | None = None,
    *,
    phases: str = "012346",
) -> list[Diagnostic]:
    """Place, suppress, sort and deduplicate the findings of a run.

    `today` (`2027-03-01`) is the day by which suppressions expire; without it the clock is asked,
    and only if a suppression has an end. `phases` are the first digits of the codes that this run
    looked for to the end: a suppression of any other is not called unused.
    """
    placed = [_place(found, document) for found in diagnostics]
    kept = _without_consequences(placed)
    if suppressions:
        judged = "" if has_errors(placed) else phases
        kept = apply(kept, placed, suppressions, today, judged)
    return _deduplicate(sorted(kept, key=_order))


def _place(found: Diagnostic, document: Places | None) -> Diagnostic:
    span = found.span or _find(document, found.path, found.part)
    others = (_place_related(other, document) for other in found.related)
    # A second finger on the same value says nothing new.
    related = tuple(other for other in others if other.span is None or other.span != span)
    if span is found.span and related == found.related:
        return found
    return replace(found, span=span, related=related)


def _place_related(other: Related, document: Places | None) -> Related:
    span = other.span or _find(document, other.path, other.part)
    return other if span is other.span else replace(other, span=span)


def _find(document: Places | None, path: Path, part: Part) -> Span | None:
    """Find the path, or what it would stand in if it is missing; the empty path has no place."""
    if document is None:
        return None
    for length in range(len(path), 0, -1):
        span = document.span_of(path[:length], part if length == len(path) else "key")
        if span is not None:
            return span
    return None


def _without_consequences(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Keep one finding of each group: the first, but never a warning in place of an error."""
    first: dict[str, Diagnostic] = {}
    for found in diagnostics:
        if found.group is not None:
            kept = first.setdefault(found.group, found)
            if _RANK[found.severity] < _RANK[kept.severity]:
                first[found.group] = found
    return [found for found in diagnostics if found.group is None or first[found.group] is found]


def _order(found: Diagnostic) -> tuple[str, int, int, str, str]:
    span = found.span
    if span is None:
        return ("", 0, 0, found.code, found.message)
    return (span.file, span.line, span.column, found.code, found.message)


def _deduplicate(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Drop what was said twice of one place, such as of a value that two aliases repeat."""
    seen: set[tuple[str, str, Span | None, Path]] = set()
    kept = []
    for found in diagnostics:
        said = (found.code, found.message, found.span, () if found.span else found.path)
        if said not in seen:
            seen.add(said)
            kept.append(found)
    return kept
