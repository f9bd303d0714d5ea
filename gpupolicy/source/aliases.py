"""Anchors (`&name`) and aliases (`*name`) within fixed limits of depth and number.

GP007 nesting-too-deep
    Maps and lists may stand in each other 100 deep, those that aliases repeat included; a policy
    needs about ten. Such a file was made by a program, or brackets were left open.

GP013 alias-undefined
    `*name` repeats a value that was marked `&name` earlier in the same document, and nothing was.
    If the text itself begins with `*`, quote it.

GP014 alias-recursive
    `*name` stands inside the very value that `&name` marks, so that it would never end.

GP015 alias-expansion
    The aliases of a file repeat more than 200,000 values, counted as if each were written out
    ("billion laughs"). Write the values out, or keep the aliases flat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpupolicy.source.text import nearest
from gpupolicy.source.text import quote

if TYPE_CHECKING:
    from gpupolicy.source.events import Event
    from gpupolicy.source.findings import Findings

MAX_DEPTH = 100
MAX_REPEATED = 200_000  # Values that the aliases of one file may repeat.

BROKEN = object()  # What an alias gives that cannot be resolved.


@dataclass(slots=True)
class _Anchor:
    """A marked value: how many values it has and how deep, or that it is not complete yet."""

    value: object
    size: int = 1
    height: int = 0
    is_open: bool = False


class Aliases:
    """The marked values of one document, and how far the values of the file have grown.

    `depth` is that of the containers which are open; `count` the number of values so far.
    """

    __slots__ = ("_anchors", "_deepest", "_findings", "_repeated", "count", "depth")

    def __init__(self, findings: Findings) -> None:
        self.depth = 0
        self.count = 0
        self._anchors: dict[str, _Anchor] = {}
        self._deepest = 0  # Since the innermost open anchor began.
        self._repeated = 0
        self._findings = findings

    def forget(self) -> None:
        """Begin a new document: it has no anchors yet."""
        self._anchors.clear()

    def descend(self, event: Event, levels: int = 1) -> None:
        """Make sure that a value of so many levels may stand at this depth."""
        reached = self.depth + levels
        if reached > MAX_DEPTH:
            message = f"maps and lists are nested more than {MAX_DEPTH} deep"
            self._findings.stop("GP007", message, event)
        if reached > self._deepest:
            self._deepest = reached

    def mark(self, name: str, value: object) -> None:
        """Keep a scalar under its name."""
        self._anchors[name] = _Anchor(value)

    def open(self, name: str) -> tuple[int, int]:
        """Begin a container that has a name; `close` wants the result back."""
        before = self.count, self._deepest
        self._anchors[name] = _Anchor(None, is_open=True)
        self._deepest = self.depth
        return before

    def close(self, name: str, value: object, before: tuple[int, int]) -> None:
        """Keep the container, which is complete now."""
        count, deepest = before
        size, height = self.count - count + 1, self._deepest - self.depth
        self._anchors[name] = _Anchor(value, size, height)
        self._deepest = max(deepest, self._deepest)

    def resolve(self, event: Event) -> object:
        """Give the value that an alias repeats, or `BROKEN` after a finding."""
        anchor = self._anchors.get(event.anchor)
        if anchor is None:
            return self._undefined(event)
        if anchor.is_open:
            message = f"the alias {quote('*' + event.anchor)} stands inside the value it repeats"
            self._findings.lose("GP014", message, event, "write the value out")
            return BROKEN
        self._repeated += anchor.size
        if self._repeated > MAX_REPEATED:
            message = f"the aliases repeat more than {MAX_REPEATED:,} values"
            self._findings.stop("GP015", message, event, "write the values out")
        self.count += anchor.size
        self.descend(event, anchor.height)
        return anchor.value

    def _undefined(self, event: Event) -> object:
        near = nearest(event.anchor, self._anchors)
        hint = f"did you mean '*{near}'?" if near else "quote the text if '*' belongs to it"
        message = f"nothing before this is marked {quote('&' + event.anchor)}"
        self._findings.lose("GP013", message, event, hint)
        return BROKEN
