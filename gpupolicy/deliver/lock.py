"""`manifest.lock`: what an output folder was made from, and which of its files are ours.

GP703 output-lock-unreadable
    The output folder has a `manifest.lock` that is not one: it was edited, it holds the marks of a
    git merge, or a newer gpupolicy wrote it. Which files are ours stands there alone, so nothing is
    written. After a merge take either side; otherwise look at the files and run with --force, which
    writes every file anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpupolicy.deliver.layout import check_path

LOCK = "manifest.lock"
# Written before the first file is touched and removed after the lock: what an interrupted run
# leaves behind is ours too, though no lock lists it yet.
JOURNAL = "manifest.lock.next"
_VERSION = 1


class LockError(ValueError):
    """Text that is no lock of ours; the message says why."""


@dataclass(frozen=True, slots=True)
class LockHeader:
    """What the output was made from: tool version, `sha256:<hex>` of the input, targets' versions.

    `targets` maps what is installed (`kueue`) to its version (`0.19`). `only` names the targets of
    a run that was asked for some; empty if the output is whole.
    """

    tool_version: str
    input_digest: str
    targets: Mapping[str, str]
    only: tuple[str, ...] = ()


def digest(data: bytes) -> str:
    """Give the SHA-256 of `data` as `sha256:<hex>`."""
    import hashlib

    return "sha256:" + hashlib.sha256(data, usedforsecurity=False).hexdigest()


def format_lock(header: LockHeader, digests: Mapping[str, str]) -> bytes:
    """Write the lock. `digests` maps every path of the folder that is ours to its SHA-256."""
    import json

    quote = json.dumps
    lines = [
        f'  "lockVersion": {_VERSION},',
        f'  "gpupolicy": {quote(header.tool_version)},',
        f'  "input": {quote(header.input_digest)},',
        f'  "targets": {_object(header.targets)},',
        *([f'  "only": {json.dumps(sorted(header.only))},'] if header.only else []),
        f'  "files": {_object(digests)}',
    ]
    return ("{\n" + "\n".join(lines) + "\n}\n").encode()


def parse_lock(data: bytes) -> dict[str, set[str]]:
    """Read the digest of each path. Raises `LockError`, also for a path that leads elsewhere."""
    return {path: {_text(value)} for path, value in _files(data).items()}


def targets_of(data: bytes) -> frozenset[str] | None:
    """Give the targets whose files alone a lock lists; None if it lists those of all."""
    import json

    only = json.loads(data).get("only")
    return frozenset(map(str, only)) if isinstance(only, list) and only else None


def format_journal(digests: Mapping[str, set[str]]) -> bytes:
    """Write the journal: for every path, each content of it that is ours."""
    import json

    files = {path: sorted(digests[path]) for path in sorted(digests)}
    return (json.dumps({"lockVersion": _VERSION, "files": files}) + "\n").encode()


def parse_journal(data: bytes) -> dict[str, set[str]]:
    """Read the journal. Raises `LockError`."""
    found = {}
    for path, values in _files(data).items():
        if not isinstance(values, list):
            raise LockError(f"the digests of {path!r} are not a list")
        found[path] = {_text(value) for value in values}
    return found


def _object(entries: Mapping[str, str]) -> str:
    import json

    if not entries:
        return "{}"
    quote = json.dumps
    lines = [f"    {quote(key)}: {quote(entries[key])}" for key in sorted(entries)]
    return "{\n" + ",\n".join(lines) + "\n  }"


def _files(data: bytes) -> dict[str, Any]:
    import json

    try:
        lock = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise LockError("it is not JSON") from error
    if not isinstance(lock, dict) or not isinstance(lock.get("files"), dict):
        raise LockError("it has no map 'files'")
    if lock.get("lockVersion") != _VERSION:
        raise LockError(f"its lockVersion is {lock.get('lockVersion')!r}, not {_VERSION}")
    files: dict[str, Any] = lock["files"]
    for path in files:
        try:
            check_path(path)
        except ValueError as error:
            raise LockError(str(error)) from error
    return files


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise LockError("a digest is not text")
    return value
