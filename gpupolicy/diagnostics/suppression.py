"""A comment in the policy that accepts a warning: `# gpupolicy: ignore[GP312] reason until=...`."""

from __future__ import annotations

from dataclasses import dataclass

from gpupolicy.diagnostics.model import Span


@dataclass(frozen=True, slots=True)
class Suppression:
    """One such comment as the loader found it; `settle` judges it.

    `codes` is empty where the comment could not be read. `until` is the text after `until=`, the
    last day on which it holds (`2027-03-01`). `alone` says that nothing else stands on the line,
    so that the comment speaks of the next one.
    """

    file: str
    line: int
    codes: tuple[str, ...]
    reason: str
    until: str | None
    span: Span
    alone: bool
