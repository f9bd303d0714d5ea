"""Files and folders -> the named bytes that a policy is loaded from.

A folder stands for the `.yaml` and `.yml` files in it and below it, by name; what is hidden (a
name that begins with a dot) is left out. `-` is standard input.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from collections.abc import Sequence

from gpupolicy.deliver.errors import UnreadableError
from gpupolicy.source.load import MAX_BYTES
from gpupolicy.source.load import SourceText

# The loader refuses more (GP004); reading stops a byte later, so that it can say so.
STDIN = "-"
_SUFFIXES = (".yaml", ".yml")


def read_sources(paths: Sequence[str]) -> list[SourceText]:
    """Read files and folders, in the order given.

    Raises `UnreadableError` for the first that is missing, forbidden, or a folder without files.
    """
    return [SourceText(file, _read(file)) for path in paths for file in _files(path)]


def _files(path: str) -> Sequence[str]:
    if path == STDIN or not os.path.isdir(path):
        return (path,)
    found = list(_walk(path))
    if not found:
        raise UnreadableError(f"'{path}' has no .yaml files")
    return found


def _walk(folder: str) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise UnreadableError(f"cannot read '{folder}': {error.strerror}") from error
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path)
        elif entry.name.endswith(_SUFFIXES) and not entry.is_dir():
            yield entry.path


def _read(path: str) -> bytes:
    try:
        if path == STDIN:
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableError(f"cannot read '{path}': {error.strerror}") from error
