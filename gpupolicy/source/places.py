"""Where every key, value and item was written.

A place is kept as two numbers, its start and end in one text that all input files form together,
so that values of different files can stand in one container. All numbers lie in one flat array;
a dict leads from the identity of a container to its rows there, which are in the order of its
entries: four numbers for an entry of a map, two for an item of a list. Lines and columns are
worked out only when somebody asks. Containers must not change after they are recorded.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import NamedTuple

from gpupolicy.diagnostics.model import Part
from gpupolicy.diagnostics.model import Span

Extent = tuple[int, int]  # Start and end of a value, counted through all files.
Row = tuple[int, int, int, int]  # Start and end of a key, then of its value.


class _File(NamedTuple):
    """One input file; `base` is where it starts in the text of all files."""

    base: int
    name: str
    text: str


class Places:
    """The side table of a document: container and entry -> place in a file."""

    __slots__ = ("_at", "_files", "_flat", "_lines")

    def __init__(self) -> None:
        self._files: list[_File] = []
        self._flat = array("I")
        self._at: dict[int, int] = {}
        self._lines: dict[int, array[int]] = {}

    @property
    def texts(self) -> dict[str, str]:
        """File name -> decoded text."""
        return {file.name: file.text for file in self._files}

    def add_file(self, name: str, text: str) -> int:
        """Take a file in and say where it starts in the text of all files."""
        last = self._files[-1] if self._files else None
        base = last.base + len(last.text) + 1 if last else 0
        self._files.append(_File(base, name, text))
        return base

    def record(self, container: object, rows: list[int], base: int = 0) -> None:
        """Keep the rows of a map or list, whose numbers count from `base`."""
        if rows:
            self._at[id(container)] = len(self._flat)
            self._flat.fromlist([number + base for number in rows] if base else rows)

    def record_map(self, entries: dict[str, object], rows: dict[str, Row]) -> None:
        """Keep the rows of a map by key; the order of `rows` does not matter."""
        self.record(entries, [number for key in entries for number in rows[key]])

    def record_list(self, items: list[object], extents: list[Extent]) -> None:
        """Keep the places of the items of a list."""
        self.record(items, [number for extent in extents for number in extent])

    def rows_of(self, entries: dict[str, object]) -> dict[str, Row]:
        """Give the row of each key of a recorded map."""
        at = self._at.get(id(entries), 0)
        flat = self._flat[at : at + 4 * len(entries)]
        starts = range(0, 4 * len(entries), 4)
        return {
            key: (flat[i], flat[i + 1], flat[i + 2], flat[i + 3])
            for key, i in zip(entries, starts, strict=True)
        }

    def extents_of(self, items: list[object]) -> list[Extent]:
        """Give the place of each item of a recorded list."""
        at = self._at.get(id(items), 0)
        flat = self._flat[at : at + 2 * len(items)]
        return [(flat[i], flat[i + 1]) for i in range(0, 2 * len(items), 2)]

    def row(self, container: object, step: str | int) -> Row | None:
        """Give the row of one entry or item; an item's key is its first entry, or itself."""
        if id(container) not in self._at:
            return None
        if isinstance(container, dict) and isinstance(step, str) and step in container:
            return self._row_at(container, list(container).index(step))
        if isinstance(container, list) and isinstance(step, int) and 0 <= step < len(container):
            at = self._at[id(container)] + 2 * step
            extent = self._flat[at], self._flat[at + 1]
            return (self.first_entry(container[step]) or extent) + extent
        return None

    def first_entry(self, container: object) -> Extent | None:
        """Give the place of the first entry of a map, which names it best."""
        if not isinstance(container, dict) or id(container) not in self._at:
            return None
        row = self._row_at(container, 0)
        key = next(iter(container))
        return row[0], row[1] if isinstance(container[key], dict | list) else max(row[1], row[3])

    def _row_at(self, entries: dict[str, object], index: int) -> Row:
        at = self._at[id(entries)] + 4 * index
        flat = self._flat
        return flat[at], flat[at + 1], flat[at + 2], flat[at + 3]

    def first_span(self, container: object) -> Span | None:
        """Turn the place of the first entry of a map into file, lines and columns."""
        extent = self.first_entry(container)
        return self.span(*extent) if extent else None

    def span_in(self, container: object, step: str | int, part: Part = "value") -> Span | None:
        """Turn the place of one key or value of a container into file, lines and columns."""
        row = self.row(container, step)
        if row is None:
            return self.first_span(container)
        return self.span(*row[:2]) if part == "key" or row[2] == row[3] else self.span(*row[2:])

    def span(self, start: int, end: int) -> Span:
        """Turn a start and an end into file, lines and columns."""
        number = bisect_right(self._files, start, key=lambda file: file.base) - 1
        file = self._files[number]
        # Blocks end too late.
        written = file.text[start - file.base : end - file.base].rstrip(" \t\n")
        line, column = self._line_and_column(number, start)
        end_line, end_column = self._line_and_column(number, start + len(written))
        return Span(file.name, line, column, end_line, end_column)

    def _line_and_column(self, number: int, place: int) -> tuple[int, int]:
        if number not in self._lines:
            self._lines[number] = _line_starts(self._files[number].text)
        offset = place - self._files[number].base
        starts = self._lines[number]
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1


def _line_starts(text: str) -> array[int]:
    starts = array("I", [0])
    found = text.find("\n")
    while found >= 0:
        starts.append(found + 1)
        found = text.find("\n", found + 1)
    return starts
