"""Anchors (`&name`), aliases (`*name`), and how far a file may grow.

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

GP018 containers-too-many
    A file may have 200,000 maps and lists, enough for some 15,000 tenants. Divide the file, or
    look whether it is a policy at all.

GP019 entries-too-many
    A list or map may have 100,000 entries: ten times the namespaces of a whole cluster. Such a
    file was made by a program, and no cluster honours what it asks for.
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
MAX_CONTAINERS = 200_000
MAX_ENTRIES = 100_000
MAX_REPEATED = 200_000  # Values that the aliases of one file may repeat.
TOO_DEEP = f"maps and lists are nested more than {MAX_DEPTH} deep"

BROKEN = object()  # What an alias gives that cannot be resolved.


@dataclass(slots=True)
class _Anchor:
    """A marked value: how many values it has and how deep, or that it is not complete yet."""

    value: object
    size: int = 1
    height: int = 0
    is_open: bool = False


class Aliases:
    """The marked values of one document, and how far the values of the file have grown."""

    __slots__ = (
        "_anchors",
        "_begun",
        "_containers",
        "_count",
        "_deepest",
        "_depth",
        "_findings",
        "_repeated",
    )

    def __init__(self, findings: Findings) -> None:
        self._anchors: dict[str, _Anchor] = {}
        self._begun: list[tuple[int, int]] = []  # For each open marked container, see `open`.
        self._containers = 0
        self._count = 0  # Values so far, repeated ones included.
        self._depth = 0  # Of the containers that are open.
        self._deepest = 0  # Since the innermost open marked container began.
        self._repeated = 0
        self._findings = findings

    def forget(self) -> None:
        """Begin a new document: it has no anchors yet."""
        self._anchors.clear()

    def enter(self, event: Event) -> None:
        """Begin a container."""
        self._containers += 1
        if self._containers > MAX_CONTAINERS:
            message = f"the file has more than {MAX_CONTAINERS:,} maps and lists"
            self._findings.stop("GP018", message, event, "divide it, or take out what is no policy")
        depth = self._depth = self._depth + 1
        if depth > self._deepest:
            self._reach(depth, event)

    def leave(self, event: Event, size: int) -> None:
        """End the container that an event began, of so many entries."""
        if size > MAX_ENTRIES:
            message = f"{size:,} entries > {MAX_ENTRIES:,} that a list or map may have"
            self._findings.stop("GP019", message, event, "divide it among several clusters' files")
        self._depth -= 1
        self._count += size

    def _reach(self, depth: int, event: Event) -> None:
        if depth > MAX_DEPTH:
            self._findings.stop(
                "GP007", TOO_DEEP, event, "no policy is nested so: look for a bracket"
            )
        self._deepest = max(self._deepest, depth)

    def mark(self, name: str, value: object) -> None:
        """Keep a scalar under its name."""
        self._anchors[name] = _Anchor(value)

    def open(self, name: str) -> None:
        """Keep in mind that a container of this name is about to begin."""
        self._anchors[name] = _Anchor(None, is_open=True)
        self._begun.append((self._count, self._deepest))
        self._deepest = self._depth

    def close(self, name: str, value: object) -> None:
        """Keep the container of this name, which has ended."""
        count, deepest = self._begun.pop()
        size, height = self._count - count + 1, self._deepest - self._depth
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
        self._count += anchor.size
        self._reach(self._depth + anchor.height, event)
        return anchor.value

    def _undefined(self, event: Event) -> object:
        near = nearest(event.anchor, self._anchors)
        hint = f"did you mean '*{near}'?" if near else "quote the text if '*' belongs to it"
        message = f"nothing before this is marked {quote('&' + event.anchor)}"
        self._findings.lose("GP013", message, event, hint)
        return BROKEN
