"""What a finding is: `Diagnostic`, and the places it points at."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field
from enum import Enum
from typing import Literal

# Keys and indexes from the root of the policy document: ("spec", "nodePools", 0, "gpu").
Path = tuple[str | int, ...]
Part = Literal["key", "value"]


class Severity(Enum):
    """How much a finding weighs. Only errors stop the compiler."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a source file. Lines and columns count from 1, `end_column` is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains the first ("capacity comes from here")."""

    message: str
    path: Path = ()
    part: Part = "value"
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Phases give a `path` into the policy document; `settle` alone turns it into a `span`. The
    loader, which knows places before there are paths, gives the span itself.
    """

    code: str
    message: str
    path: Path = ()
    part: Part = "value"
    severity: Severity = Severity.ERROR
    hint: str | None = None
    related: tuple[Related, ...] = ()
    # Where a hardware fact comes from, or that it is unconfirmed; one line each.
    notes: tuple[str, ...] = ()
    span: Span | None = None
    # Findings with the same group are consequences of one cause; only the first is shown.
    group: str | None = field(default=None, compare=False)


def has_errors(diagnostics: list[Diagnostic]) -> bool:
    """Tell whether any finding stops the compiler."""
    return any(found.severity is Severity.ERROR for found in diagnostics)


def format_path(path: Path) -> str:
    """Print a path as users write it: `nodePools[0].sharing.mig`, the leading `spec` left out."""
    text = ""
    for step in path[1:] if path[:1] == ("spec",) else path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
