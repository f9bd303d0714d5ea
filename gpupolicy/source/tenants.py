"""`GPUTenant` documents become tenants of the policy, and remember where they stand.

GP027 tenant-name-missing
    A `GPUTenant` has no `metadata.name`, which is the tenant's name: `metadata: {name: vision}`.

GP028 tenant-name-in-spec
    The `spec` of a `GPUTenant` has a `name`, but its name is `metadata.name`. Remove it.

GP029 tenant-key-unknown
    A `GPUTenant` has `apiVersion`, `kind`, `metadata` and `spec`, and the metadata have `name`,
    `labels` and `annotations` (for other tools; nothing is compiled from the latter two). The
    fields of the tenant, its own `labels` among them, stand under `spec`.

GP030 tenant-spec-not-a-map
    The `spec` of a `GPUTenant` is a text or a list, where a map of the tenant's fields is due.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpupolicy.source.text import nearest
from gpupolicy.source.text import quote

if TYPE_CHECKING:
    from gpupolicy.source.construct import Root
    from gpupolicy.source.findings import Report
    from gpupolicy.source.places import Places
    from gpupolicy.source.places import Row

PATCH = "$patch"
TENANT = "GPUTenant"

_KEYS = ("apiVersion", "kind", "metadata", "spec")
_METADATA_KEYS = ("name", "labels", "annotations")


def tenant_of(root: Root, report: Report) -> dict[str, object] | None:
    """Give the tenant of a `GPUTenant` document in the form that it has inside a policy."""
    if not isinstance(root.data, dict):
        return None
    return _Reader(report).read(root.data)


class _Reader:
    """One document, and the tenant that is made of it."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._places = report.places
        self._tenant: dict[str, object] = {}
        self._rows: dict[str, Row] = {}

    def read(self, data: dict[str, object]) -> dict[str, object] | None:
        self._refuse_unknown(data, _KEYS)
        self._take_name(data)
        self._take_spec(data)
        if PATCH in data:
            self._take(PATCH, data)
        self._places.record_map(self._tenant, self._rows)
        return self._tenant if "name" in self._tenant else None

    def _take(self, key: str, entries: dict[str, object]) -> None:
        self._tenant[key], self._rows[key] = entries[key], self._places.rows_of(entries)[key]

    def _take_name(self, data: dict[str, object]) -> None:
        metadata = data.get("metadata")
        if not isinstance(metadata, dict) or metadata.get("name") is None:
            span = self._places.span_in(data, "metadata" if "metadata" in data else "kind", "key")
            hint = "write 'metadata: {name: ...}'"
            self._report.add("GP027", "the tenant has no 'metadata.name'", span, hint)
            return
        self._refuse_unknown(metadata, _METADATA_KEYS)
        self._take("name", metadata)

    def _take_spec(self, data: dict[str, object]) -> None:
        spec = data.get("spec")
        if spec is None:
            return
        if not isinstance(spec, dict):
            span = self._places.span_in(data, "spec")
            hint = "write the tenant's fields, such as 'namespaces', below it"
            self._report.add("GP030", "'spec' is not a map", span, hint)
            return
        rows = self._places.rows_of(spec)
        for key in spec:
            if key != "name":
                self._tenant[key], self._rows[key] = spec[key], rows[key]
        if "name" in rows:
            span = self._places.span_in(spec, "name", "key")
            message = "a tenant's name is 'metadata.name', not 'spec.name'"
            self._report.add("GP028", message, span, "remove 'name' here")

    def _refuse_unknown(self, entries: dict[str, object], legal: tuple[str, ...]) -> None:
        for key in entries:
            if key not in legal and key != PATCH:
                near = nearest(key, legal)
                hint = f"did you mean '{near}'?" if near else "the fields stand under 'spec'"
                span = self._places.span_in(entries, key, "key")
                self._report.add("GP029", f"unknown key {quote(key)} in a '{TENANT}'", span, hint)


def policy_of(root: Root, tenant: dict[str, object], places: Places) -> dict[str, object]:
    """Give the policy that has this one tenant and says nothing else, for an overlay."""
    row = root.start, root.end, root.start, root.end
    items: list[object] = [tenant]
    places.record_list(items, [(root.start, root.end)])
    spec: dict[str, object] = {"tenants": items}
    places.record_map(spec, {"tenants": row})
    policy: dict[str, object] = {"spec": spec}
    places.record_map(policy, {"spec": row})
    return policy


def with_tenants(
    policy: dict[str, object], tenants: list[tuple[Root, dict[str, object]]], places: Places
) -> dict[str, object]:
    """Append the tenants of other documents to those that stand in the policy."""
    spec = policy.get("spec")
    if not tenants or not isinstance(spec, dict):
        return policy
    listed = spec.get("tenants")
    if not isinstance(listed, list | None):
        return policy
    items = [*(listed or []), *(tenant for _, tenant in tenants)]
    extents = places.extents_of(listed or []) + [(root.start, root.end) for root, _ in tenants]
    places.record_list(items, extents)
    first = tenants[0][0]
    own = first.start, first.end, first.start, first.end
    return _with_entry(
        policy, "spec", _with_entry(spec, "tenants", items, own, places), own, places
    )


def _with_entry(
    entries: dict[str, object], key: str, value: object, row: Row, places: Places
) -> dict[str, object]:
    """Copy a map with one value replaced, which keeps its place, or with `row` added."""
    rows = places.rows_of(entries)
    copy = {**entries, key: value}
    places.record_map(copy, {key: row, **rows} if key in rows else {**rows, key: row})
    return copy
