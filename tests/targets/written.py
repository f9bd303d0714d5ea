"""What a room made, as files by name, for snapshots."""

from __future__ import annotations

from collections.abc import Iterable

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.key import Data
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile


def written(items: Iterable[Manifest | PlainFile]) -> dict[str, str]:
    """Give texts by file name; every name must be there once."""
    texts: dict[str, str] = {}
    for item in items:
        name, text = _file(item)
        assert name not in texts, name
        texts[name] = text
    return texts


def _file(item: Manifest | PlainFile) -> tuple[str, str]:
    if isinstance(item, PlainFile):
        return item.path.replace("/", "-"), item.text
    key = item.key
    parts = (key.kind.lower(), key.namespace, key.name)
    return "-".join(part for part in parts if part) + ".yaml", dump(item.data)


def objects(items: Iterable[Manifest | PlainFile], kind: str = "") -> list[Data]:
    """Give the objects, of one kind if it is named."""
    found = [item.data for item in items if isinstance(item, Manifest)]
    return [data for data in found if not kind or data["kind"] == kind]


def texts(items: Iterable[Manifest | PlainFile]) -> dict[str, str]:
    """Give the plain files by path."""
    return {item.path: item.text for item in items if isinstance(item, PlainFile)}
