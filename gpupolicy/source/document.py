"""`Document`: the merged policy as plain data, and where every part of it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpupolicy.source.suppressions import find

if TYPE_CHECKING:
    from gpupolicy.diagnostics.model import Part
    from gpupolicy.diagnostics.model import Path
    from gpupolicy.diagnostics.model import Span
    from gpupolicy.diagnostics.suppression import Suppression
    from gpupolicy.source.places import Places


class Document:
    """The merged policy document.

    `data` is `{"apiVersion", "kind", "metadata", "spec"}` as plain dicts and lists. An unquoted
    scalar is a `PlainScalar`, a quoted or block one a `str`, null is `None`. It must not be
    changed: the places lie beside it, in the order of its entries. One that `is_incomplete` lacks
    something that could not be read, which a finding speaks of.
    """

    __slots__ = ("_places", "_suppressions", "data", "is_incomplete")

    def __init__(
        self, data: dict[str, object], places: Places, is_incomplete: bool = False
    ) -> None:
        self.data = data
        self.is_incomplete = is_incomplete
        self._places = places
        self._suppressions: list[Suppression] | None = None

    @property
    def texts(self) -> dict[str, str]:
        r"""File name -> its text, without byte-order mark and with `\n` line ends."""
        return self._places.texts

    @property
    def suppressions(self) -> list[Suppression]:
        """The comments that accept a warning, by file and line."""
        if self._suppressions is None:
            self._suppressions = find(self.texts)
        return self._suppressions

    @property
    def digest_input(self) -> bytes:
        """What a digest of the input is taken of: the merged data, with sorted keys.

        Names of files, comments, line ends, quotes and the order of keys do not count, since the
        output does not depend on them; the order of lists does.
        """
        import json

        text = json.dumps(self.data, sort_keys=True, separators=(",", ":"))
        return text.encode()

    def span_of(self, path: Path, part: Part = "value") -> Span | None:
        """Give the place of the key or the value at a path.

        If the path is missing, it is the key of the nearest ancestor that is there. An item of a
        list has no key: its first entry names it. `None` only if there is no ancestor at all.
        """
        containers: list[object] = [self.data]
        for step in path:
            found = containers[-1]
            if self._places.row(found, step) is None:
                part = "key"
                break
            containers.append(found[step])  # type: ignore[index]
        depth = len(containers) - 1
        if depth == 0:
            return self._places.first_span(self.data)
        return self._places.span_in(containers[depth - 1], path[depth - 1], part)
