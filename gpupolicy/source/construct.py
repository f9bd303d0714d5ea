"""Parser events -> plain data, with the place of every key, value and item.

GP009 documents-too-many
    A file may hold 20,000 documents (parts separated by `---`), enough for a `GPUTenant` each of
    20,000 tenants. Divide the file, or look whether it is a policy at all.

GP010 key-duplicate
    The same key stands twice in one map. Other tools take the last one without a word, so that
    half of what was written is lost; here it is an error that shows both places. Put the two
    together, or give one of them its own name.

GP011 key-not-text
    A key is null (`~:`, or nothing before the colon), a list, or a map. Keys are text; if `null`
    or `~` is meant as text, quote it.

GP016 merge-key-value
    `<<` takes an alias of a map, a map, or a list of these, and adds the keys that the map around
    it does not have: `<<: *defaults` or `<<: [*defaults, *more]`. Quote it if it is a plain key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from yaml.events import AliasEvent
from yaml.events import DocumentStartEvent
from yaml.events import MappingEndEvent
from yaml.events import MappingStartEvent
from yaml.events import ScalarEvent
from yaml.events import SequenceEndEvent
from yaml.events import SequenceStartEvent
from yaml.events import StreamEndEvent

from gpupolicy.scalars import PlainScalar
from gpupolicy.source.aliases import BROKEN
from gpupolicy.source.aliases import Aliases
from gpupolicy.source.events import Event
from gpupolicy.source.events import GetEvent
from gpupolicy.source.findings import Findings
from gpupolicy.source.places import Places
from gpupolicy.source.tags import CORE
from gpupolicy.source.tags import NULLS
from gpupolicy.source.tags import refusal
from gpupolicy.source.tags import tagged
from gpupolicy.source.text import quote

MAX_DOCUMENTS = 20_000

_MERGE = "<<"
_PATCH = "$patch"


@dataclass(frozen=True, slots=True)
class Root:
    """One document of a file: its data, and where it stands in the text of all files."""

    data: object
    start: int
    end: int


class _Scalars(dict[str, str | None]):
    """The text of an unquoted scalar -> its value; equal texts share one object."""

    def __missing__(self, text: str) -> str:
        value = self[text] = PlainScalar(text)
        return value


class _Keys(dict[str, str | None]):
    """The text of a key -> the key, or None where it needs a closer look."""

    def __missing__(self, text: str) -> str:
        self[text] = text
        return text


class _Map:
    """A map that is being read: rows as in `Places`, but counted from the file's start."""

    __slots__ = ("entries", "merges", "rows")

    def __init__(self) -> None:
        self.entries: dict[str, object] = {}
        self.rows: list[int] = []
        self.merges: list[tuple[object, Event]] = []


class Constructor:
    """Builds the documents of one file; `patches` are the places of its `$patch` keys."""

    def __init__(self, get_event: GetEvent, findings: Findings, places: Places, base: int) -> None:
        self.patches: dict[int, int] = {}
        self._get = get_event
        self._findings = findings
        self._aliases = Aliases(findings)
        self._places = places
        self._base = base
        self._scalars = _Scalars(dict.fromkeys(NULLS))
        self._keys = _Keys(dict.fromkeys((*NULLS, _MERGE, _PATCH)))

    def documents(self) -> list[Root]:
        """Read the file to its end; raises `Unreadable` and PyYAML's errors."""
        roots: list[Root] = []
        while (event := self._get()).__class__ is not StreamEndEvent:
            if event.__class__ is not DocumentStartEvent:
                continue
            if len(roots) >= MAX_DOCUMENTS:
                message = f"the file has more than {MAX_DOCUMENTS:,} documents"
                self._findings.stop("GP009", message, event, "divide the file")
            roots.append(self._root(self._get()))
        return roots

    def _root(self, event: Event) -> Root:
        self._aliases.forget()
        value, end = self._value(event)
        return Root(value, event.start_mark.index + self._base, end + self._base)

    def _value(self, event: Event) -> tuple[object, int]:
        """Build any value, and say where it ends in the file."""
        return _BUILDERS[event.__class__](self, event)

    def _enter(self, start: Event, tag: str) -> None:
        """Begin a container."""
        if start.tag is not None and start.tag not in ("!", CORE + tag):
            self._findings.report("GP012", refusal(start.tag), start, "remove the tag")
        if start.anchor is not None:
            self._aliases.open(start.anchor)
        self._aliases.enter(start)

    def _leave(self, start: Event, value: object, size: int) -> None:
        self._aliases.leave(start, size)
        if start.anchor is not None:
            self._aliases.close(start.anchor, value)

    # The next two are the loop in which the time goes: simple keys and scalars are built in
    # place, and all else is left to other functions.

    def _map(self, start: Event) -> tuple[dict[str, object], int]:
        self._enter(start, "map")
        get, scalars, keys, scalar = self._get, self._scalars, self._keys, ScalarEvent
        read = _Map()
        entries, place = read.entries, read.rows.extend
        end = 0
        value: object
        while True:
            at = get()
            if at.__class__ is scalar and at.tag is None and at.anchor is None:
                key: str | None = keys[at.value]
            elif at.__class__ is MappingEndEvent:
                break
            else:
                key = None
            if key is None:
                end = self._unusual_entry(at, read)
                continue
            event = get()
            if event.__class__ is scalar and event.tag is None and event.anchor is None:
                value = event.value if event.style else scalars[event.value]
                end = event.end_mark.index
            else:
                value, end = self._value(event)
            if key in entries:
                self._duplicate(key, at, read)
                continue
            entries[key] = value
            place((at.start_mark.index, at.end_mark.index, event.start_mark.index, end))
        for source, cause in read.merges:
            self._merge(source, cause, read)
        self._places.record(entries, read.rows, self._base)
        self._leave(start, entries, len(entries))
        # The parser ends a block at the next token; ours ends with its last value.
        return entries, at.end_mark.index if start.flow_style or not entries else end

    def _list(self, start: Event) -> tuple[list[object], int]:
        self._enter(start, "seq")
        get, scalars, scalar = self._get, self._scalars, ScalarEvent
        items: list[object] = []
        rows: list[int] = []
        add, place = items.append, rows.extend
        end = 0
        while True:
            event = get()
            if event.__class__ is scalar and event.tag is None and event.anchor is None:
                add(event.value if event.style else scalars[event.value])
                end = event.end_mark.index
            elif event.__class__ is SequenceEndEvent:
                break
            else:
                value, end = self._value(event)
                add(value)
            place((event.start_mark.index, end))
        self._places.record(items, rows, self._base)
        self._leave(start, items, len(items))
        return items, event.end_mark.index if start.flow_style or not items else end

    def _unusual_entry(self, at: Event, read: _Map) -> int:
        """Read an entry whose key is no simple text, and say where its value ends."""
        key = self._key(at)
        event = self._get()
        value, end = self._value(event)
        if key == _MERGE and _is_plain(at):
            if read.merges:
                self._findings.report_twice("'<<'", at, self._extent(read.merges[0][1]))
            read.merges.append((value, at))
        elif key in read.entries:
            self._duplicate(key, at, read)
        elif key is not None:
            read.entries[key] = value
            read.rows += (at.start_mark.index, at.end_mark.index, event.start_mark.index, end)
        if key == _PATCH:
            start, stop = self._extent(at)
            self.patches[start] = stop
        return end

    def _key(self, event: Event) -> str | None:
        """Give the text of a key, or report that it has none."""
        value, _ = self._value(event)
        if isinstance(value, str):
            return str(value)
        if value is None:
            self._findings.lose("GP011", "a key is null", event, "quote it if the text is meant")
        elif value is not BROKEN:
            kind = "a map" if isinstance(value, dict) else "a list"
            self._findings.lose("GP011", f"a key is {kind}", event, "a key can only be text")
        return None

    def _alias(self, event: Event) -> tuple[object, int]:
        return self._aliases.resolve(event), event.end_mark.index

    def _scalar(self, event: Event) -> tuple[object, int]:
        value: object
        if event.tag is not None:
            value = self._tagged(event)
        else:
            value = event.value if event.style else self._scalars[event.value]
        if event.anchor is not None:
            self._aliases.mark(event.anchor, value)
        return value, event.end_mark.index

    def _tagged(self, event: Event) -> object:
        try:
            return tagged(event.tag, event.value)
        except ValueError as error:
            hint = "remove the tag, or quote the text if '!' belongs to it"
            self._findings.report("GP012", str(error), event, hint)
            return event.value

    def _merge(self, value: object, event: Event, read: _Map) -> None:
        """Add what a `<<` names and the map does not have yet."""
        for source in value if isinstance(value, list) else [value]:
            if isinstance(source, dict):
                self._add_missing(source, read)
            elif source is not BROKEN:
                hint = "write '<<: *name', or quote '<<' if it is a key"
                self._findings.lose("GP016", "'<<' takes a map or a list of maps", event, hint)

    def _add_missing(self, source: dict[str, object], read: _Map) -> None:
        for key, row in self._places.rows_of(source).items():
            if key not in read.entries:
                read.entries[key] = source[key]
                read.rows += [number - self._base for number in row]

    def _duplicate(self, key: str, event: Event, read: _Map) -> None:
        at = 4 * list(read.entries).index(key)
        first = read.rows[at] + self._base, read.rows[at + 1] + self._base
        self._findings.report_twice(quote(key), event, first)

    def _extent(self, event: Event) -> tuple[int, int]:
        return event.start_mark.index + self._base, event.end_mark.index + self._base


_BUILDERS: dict[object, Callable[[Constructor, Event], tuple[object, int]]] = {
    ScalarEvent: Constructor._scalar,
    AliasEvent: Constructor._alias,
    MappingStartEvent: Constructor._map,
    SequenceStartEvent: Constructor._list,
}


def _is_plain(event: Event) -> bool:
    return event.__class__ is ScalarEvent and not event.style and event.tag is None
