"""Overlays: partial documents that are laid over a policy, each value from the file that said it.

Maps merge by key, and null removes a key. Lists of named things merge by `name`, quotas by pool
and device: an item that the policy does not have is appended, and `$patch: delete` drops one.
Other lists are replaced, and so are a pool's `sharing` and `nodes`, which are read as one thing.

GP031 patch-misplaced
    `$patch` stands outside of an overlay, or in an overlay in something that is no item of a list
    of named things. A key is removed by giving it null: `sharing: null`.

GP032 patch-unknown
    `$patch` has one value, `delete`. Items merge without it, and where nothing of the old item
    is to be kept, its keys are removed one by one with null.

GP033 patch-item-absent
    `$patch: delete` names an item that the policy does not have, so there is nothing to drop: the
    name is mistyped, or the item was removed from the policy.

GP034 patch-item-unnamed
    An item of a list of named things has no name in an overlay (quotas: no `pool`), so that it is
    not known what it changes.

GP035 patch-item-twice
    One overlay changes the same item twice. Put the two together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpupolicy.diagnostics.model import Related
from gpupolicy.source.tenants import PATCH
from gpupolicy.source.text import nearest
from gpupolicy.source.text import quote

if TYPE_CHECKING:
    from gpupolicy.source.findings import Report
    from gpupolicy.source.places import Extent
    from gpupolicy.source.places import Row

Keys = tuple[str, ...]
Identity = tuple[object, ...]

_NAME = ("name",)
# Lists of named things -> the keys that name an item; `*` is any item.
KEYED_LISTS: dict[Keys, Keys] = {
    ("spec", "nodePools"): _NAME,
    ("spec", "nodePools", "*", "topology", "levels"): _NAME,
    ("spec", "priorityClasses"): _NAME,
    ("spec", "slas"): _NAME,
    ("spec", "tenants"): _NAME,
    ("spec", "tenants", "*", "quotas"): ("pool", "device"),
    ("spec", "tenants", "*", "workloads"): _NAME,
    ("spec", "monitoring", "alerts"): _NAME,
    ("spec", "monitoring", "receivers"): _NAME,
}
_REPLACED = {("spec", "nodePools", "*", "sharing"), ("spec", "nodePools", "*", "nodes")}


class _Items:
    """A list of named things while items are merged into it."""

    def __init__(self, items: list[object], extents: list[Extent], keys: Keys) -> None:
        self.items: list[object | None] = list(items)  # None is a dropped item.
        self.extents = extents
        self.keys = keys
        self.at: dict[Identity, int] = {}
        for index, item in enumerate(items):
            self.at.setdefault(self.identity(item), index)

    def identity(self, item: object) -> Identity:
        """Give what names an item; empty if nothing does."""
        if not isinstance(item, dict):
            return ()
        named = tuple(item.get(key) for key in self.keys)
        is_legal = all(isinstance(part, str | None) for part in named)
        return named if is_legal and named[0] is not None else ()


class Overlay:
    """Lays documents over a policy; `handled` are the places of the `$patch` keys it obeyed."""

    def __init__(self, report: Report) -> None:
        self.handled: set[int] = set()
        self._report = report
        self._places = report.places

    def merge(
        self, base: dict[str, object], patch: dict[str, object], path: Keys = ()
    ) -> dict[str, object]:
        """Give a new map: `base` with what `patch` says of it."""
        merged, rows = dict(base), self._places.rows_of(base)
        for key, row in self._places.rows_of(patch).items():
            value = patch[key]
            if key == PATCH:
                continue
            if value is None:
                merged.pop(key, None)
                rows.pop(key, None)
                continue
            old = merged.get(key)
            merged[key] = self._value(old, value, (*path, key), row)
            if not _merges(old, value, (*path, key)):
                rows[key] = row
        self._places.record_map(merged, rows)
        return merged

    def _value(self, old: object, new: object, path: Keys, row: Row) -> object:
        if isinstance(new, dict):
            base = old if isinstance(old, dict) and path not in _REPLACED else {}
            return self.merge(base, new, path)
        if isinstance(new, list) and path in KEYED_LISTS:
            return self._list(old if isinstance(old, list) else [], new, path)
        return new

    def _list(self, base: list[object], patch: list[object], path: Keys) -> list[object]:
        items = _Items(base, self._places.extents_of(base), KEYED_LISTS[path])
        seen: dict[Identity, Extent] = {}
        for item, extent in zip(patch, self._places.extents_of(patch), strict=True):
            identity = items.identity(item)
            if not isinstance(item, dict) or not identity:
                self._report_unnamed(items.keys, extent, path)
            elif identity in seen:
                self._report_twice(identity, extent, seen[identity])
            else:
                seen[identity] = extent
                self._item(items, identity, item, extent, (*path, "*"))
        kept = [
            pair for pair in zip(items.items, items.extents, strict=True) if pair[0] is not None
        ]
        merged: list[object] = [item for item, _ in kept]
        self._places.record_list(merged, [extent for _, extent in kept])
        return merged

    def _item(
        self,
        items: _Items,
        identity: Identity,
        patch: dict[str, object],
        extent: Extent,
        path: Keys,
    ) -> None:
        index = items.at.get(identity)
        if PATCH in patch and self._is_delete(patch):
            if index is None:
                self._report_absent(identity, self._places.first_entry(patch) or extent, items)
            else:
                items.items[index] = None
        elif index is None:
            items.items.append(self.merge({}, patch, path))
            items.extents.append(extent)
        else:
            base = items.items[index]
            assert isinstance(base, dict)  # It has an identity.
            items.items[index] = self.merge(base, patch, path)

    def _is_delete(self, patch: dict[str, object]) -> bool:
        self.handled.add(self._places.rows_of(patch)[PATCH][0])
        value = patch[PATCH]
        if value == "delete":
            return True
        said = quote(value) if isinstance(value, str) else "this"
        message = f"'$patch' cannot be {said}: its one value is 'delete'"
        span = self._places.span_in(patch, PATCH)
        hint = "write '$patch: delete', or remove it to merge"
        self._report.add("GP032", message, span, hint)
        return False

    def _report_unnamed(self, keys: Keys, extent: Extent, path: Keys) -> None:
        message = f"an item of '{path[-1]}' in an overlay needs '{keys[0]}'"
        hint = f"say with '{keys[0]}' which one it changes"
        span = self._places.span(*extent)
        self._report.add("GP034", message, span, hint)

    def _report_twice(self, identity: Identity, extent: Extent, first: Extent) -> None:
        related = (Related("first changed here", span=self._places.span(*first)),)
        message = f"one overlay changes {_shown(identity)} twice"
        hint = "put the two together"
        span = self._places.span(*extent)
        self._report.add("GP035", message, span, hint, related)

    def _report_absent(self, identity: Identity, extent: Extent, items: _Items) -> None:
        near = nearest(str(identity[0]), [str(known[0]) for known in items.at if known])
        hint = "remove this item"
        if near and near != identity[0]:
            hint = f"did you mean '{near}'?"
        message = f"there is no {_shown(identity)} to delete"
        span = self._places.span(*extent)
        self._report.add("GP033", message, span, hint)


def _merges(old: object, new: object, path: Keys) -> bool:
    """Tell whether a value keeps its place: the new one changes only parts of it, or nothing."""
    if isinstance(new, str):
        return type(old) is type(new) and old == new
    if isinstance(old, dict):
        return isinstance(new, dict) and path not in _REPLACED
    return isinstance(old, list) and isinstance(new, list) and path in KEYED_LISTS


def _shown(identity: Identity) -> str:
    return " of ".join(quote(str(part)) for part in reversed(identity) if part is not None)


def report_misplaced(patches: dict[int, int], report: Report, *, in_overlay: bool) -> None:
    """Report the `$patch` keys that nothing obeyed."""
    message = "'$patch' belongs into an overlay"
    hint = "remove it, or give this file with '--overlay'"
    if in_overlay:
        message = "'$patch' works only in an item of a list of named things"
        hint = "write null in place of the value to remove a key"
    for start, end in patches.items():
        report.add("GP031", message, report.places.span(start, end), hint)
