"""A table for people: columns as wide as they must be, two blanks between them."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str | int]], right: str = "") -> str:
    """Lay out rows under a head; `right` has an `r` for every column of numbers: "..rr"."""
    cells = [tuple(head), *(tuple(str(cell) for cell in row) for row in rows)]
    widths = [max(len(row[index]) for row in cells) for index in range(len(head))]
    lines = []
    for row in cells:
        padded = [
            cell.rjust(width) if right[index : index + 1] == "r" else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines) + "\n"
