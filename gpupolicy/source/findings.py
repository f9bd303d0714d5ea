"""Findings about one file, with their places: the loader knows places before there are paths."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from typing import NoReturn

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related

if TYPE_CHECKING:
    from gpupolicy.source.events import Event
    from gpupolicy.source.places import Extent
    from gpupolicy.source.places import Places

MAX_FINDINGS = 100  # Of one file; then reading stops.


class Unreadable(Exception):  # noqa: N818 - it is no fault of ours
    """Reading of a file stops here; `finding` says why."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding.message)
        self.finding = finding


class Findings:
    """What is wrong in one file; `is_lossy` says that some of it is not in the data."""

    __slots__ = ("_base", "_places", "found", "is_lossy")

    def __init__(self, places: Places, base: int) -> None:
        self.found: list[Diagnostic] = []
        self.is_lossy = False
        self._places = places
        self._base = base

    def report(
        self,
        code: str,
        message: str,
        event: Event,
        hint: str | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        """Add a finding; the hundredth ends the reading of the file."""
        finding = replace(self._finding(code, message, event), hint=hint, related=related)
        if len(self.found) + 1 >= MAX_FINDINGS:
            raise Unreadable(replace(finding, notes=("reading of this file stops here",)))
        self.found.append(finding)

    def lose(self, code: str, message: str, event: Event, hint: str) -> None:
        """Add a finding about something that does not reach the data."""
        self.is_lossy = True
        self.report(code, message, event, hint)

    def report_twice(self, key: str, event: Event, first: Extent) -> None:
        """Add a finding about a key that stands twice in a map, with both places."""
        span = self._places.span(*first)
        message = f"the key {key} is given twice, first on line {span.line}"
        related = (Related("first given here", span=span),)
        self.report("GP010", message, event, "put the two together, or remove one", related)

    def stop(self, code: str, message: str, event: Event, hint: str | None = None) -> NoReturn:
        """End the reading of the file."""
        raise Unreadable(replace(self._finding(code, message, event), hint=hint))

    def _finding(self, code: str, message: str, event: Event) -> Diagnostic:
        start, end = event.start_mark.index + self._base, event.end_mark.index + self._base
        return Diagnostic(code, message, span=self._places.span(start, end))
