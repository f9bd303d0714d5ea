"""`ObjectKey`: what makes an object itself in a cluster."""

from __future__ import annotations

from typing import Any
from typing import NamedTuple

# A Kubernetes object, or a part of one: plain dicts with text keys, lists and scalars.
Data = dict[str, Any]


class ObjectKey(NamedTuple):
    """Group (empty for core), version, kind, namespace (empty if cluster-scoped) and name."""

    group: str
    version: str
    kind: str
    namespace: str
    name: str


def key_of(data: Data) -> ObjectKey:
    """Read the key from an object. Raises `KeyError` if a part that every object has is missing."""
    group, _, version = data["apiVersion"].rpartition("/")
    metadata = data["metadata"]
    return ObjectKey(group, version, data["kind"], metadata.get("namespace", ""), metadata["name"])
