"""An output folder -> the tree that stands in it: the files that its lock says are ours."""

from __future__ import annotations

import os

from gpupolicy.deliver.errors import UnreadableError
from gpupolicy.deliver.lock import LOCK
from gpupolicy.deliver.lock import LockError
from gpupolicy.deliver.lock import parse_lock
from gpupolicy.deliver.lock import targets_of


def read_written(folder: str) -> tuple[dict[str, bytes], frozenset[str] | None]:
    """Read the files of a folder that `compile --out` wrote, as they stand now.

    A file that the lock lists and that is gone gives nothing. The second value names the targets
    whose files alone stand there; None if all do. Raises `UnreadableError` without a lock.
    """
    data = _read(os.path.join(folder, LOCK))
    if data is None:
        raise UnreadableError(f"the folder '{folder}' has no {LOCK}, so nothing says what is in it")
    try:
        paths = parse_lock(data)
    except LockError as error:
        raise UnreadableError(f"'{os.path.join(folder, LOCK)}': {error}") from error
    found = ((path, _read(os.path.join(folder, *path.split("/")))) for path in paths)
    return {path: text for path, text in found if text is not None}, targets_of(data)


def _read(path: str) -> bytes | None:
    try:
        if not os.path.isfile(path):  # Opening a pipe would wait for its writer.
            return None
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise UnreadableError(f"cannot read '{path}': {error.strerror}") from error
