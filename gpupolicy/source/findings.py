"""Findings with their places: the loader knows places before there are paths."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from typing import NoReturn

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity

if TYPE_CHECKING:
    from gpupolicy.diagnostics.model import Span
    from gpupolicy.source.events import Event
    from gpupolicy.source.places import Extent
    from gpupolicy.source.places import Places

MAX_FINDINGS = 100  # Of one file, and of what all files say together; then reading stops.


class Unreadable(Exception):  # noqa: N818 - it is no fault of ours
    """Reading stops here; `finding` says why."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding.message)
        self.finding = finding


class Report:
    """A list of findings that cannot grow without end."""

    __slots__ = ("found", "places")

    def __init__(self, places: Places) -> None:
        self.found: list[Diagnostic] = []
        self.places = places

    def add(
        self,
        code: str,
        message: str,
        span: Span | None,
        hint: str | None = None,
        related: tuple[Related, ...] = (),
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Add a finding; the hundredth raises `Unreadable`."""
        finding = Diagnostic(
            code, message, severity=severity, hint=hint, related=related, span=span
        )
        if len(self.found) + 1 >= MAX_FINDINGS:
            raise Unreadable(replace(finding, notes=("reading stops here",)))
        self.found.append(finding)


class Findings(Report):
    """What is wrong in one file; `is_lossy` says that some of it is not in the data."""

    __slots__ = ("_base", "is_lossy")

    def __init__(self, places: Places, base: int) -> None:
        super().__init__(places)
        self.is_lossy = False
        self._base = base

    def report(self, code: str, message: str, event: Event, hint: str | None = None) -> None:
        """Add a finding about an event of the parser."""
        self.add(code, message, self._span(event), hint)

    def lose(self, code: str, message: str, event: Event, hint: str) -> None:
        """Add a finding about something that does not reach the data."""
        self.is_lossy = True
        self.report(code, message, event, hint)

    def report_twice(self, key: str, event: Event, first: Extent) -> None:
        """Add a finding about a key that stands twice in a map, with both places."""
        span = self.places.span(*first)
        message = f"the key {key} is given twice, first on line {span.line}"
        related = (Related("first given here", span=span),)
        self.add(
            "GP010", message, self._span(event), "put the two together, or remove one", related
        )

    def stop(self, code: str, message: str, event: Event, hint: str | None = None) -> NoReturn:
        """End the reading of the file."""
        raise Unreadable(Diagnostic(code, message, hint=hint, span=self._span(event)))

    def _span(self, event: Event) -> Span:
        start, end = event.start_mark.index + self._base, event.end_mark.index + self._base
        return self.places.span(start, end)
