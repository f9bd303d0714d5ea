"""Files, folders and standard input -> sources, as bytes.

A folder stands for all `*.yaml` and `*.yml` below it, in the order of their paths; names that start
with a dot are passed over, and links are followed, as a mounted ConfigMap needs it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from collections.abc import Sequence

from gpupolicy.deliver.errors import UnreadableError
from gpupolicy.source.load import MAX_BYTES
from gpupolicy.source.load import SourceText

STDIN = "<stdin>"
_SUFFIXES = (".yaml", ".yml")
# Without O_NONBLOCK, opening a named pipe would wait for its writer.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_Identity = tuple[int, int]


def read_sources(paths: Sequence[str]) -> list[SourceText]:
    """Read files, folders and `-`, standard input, in the order given.

    No more is read than one byte over the limit of all sources together (8 MiB), which the loader
    refuses. Raises `UnreadableError`.
    """
    sources: list[SourceText] = []
    budget = MAX_BYTES + 1
    for path in _expand(paths):
        if budget <= 0:
            break
        text = _read_stdin(budget) if path == "-" else _read_file(path, budget)
        # The same file has the same name, so that the loader can tell.
        sources.append(SourceText(STDIN if path == "-" else os.path.normpath(path), text))
        budget -= len(text)
    return sources


def _expand(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if path != "-" and os.path.isdir(path):
            yield from _files_below(path)
        else:
            yield path


def _files_below(folder: str) -> list[str]:
    found: list[str] = []
    _walk(folder, found, ())
    if not found:
        raise UnreadableError(f"the folder '{folder}' has no *.yaml file")
    return sorted(found)


def _walk(folder: str, found: list[str], above: tuple[_Identity, ...]) -> None:
    try:
        here = _identity(os.stat(folder))
        if here in above:
            raise UnreadableError(f"the folder '{folder}' is a link to one that contains it")
        entries = sorted(os.listdir(folder))
    except OSError as error:
        raise _unreadable(folder, error) from error
    for name in entries:
        path = os.path.join(folder, name)
        if name.startswith("."):
            continue
        if os.path.isdir(path):
            _walk(path, found, (*above, here))
        elif name.endswith(_SUFFIXES):
            found.append(path)


def _read_file(path: str, budget: int) -> bytes:
    """Read at most `budget` bytes."""
    try:
        # Asked before opening: opening a device can already do something.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UnreadableError(f"'{path}' is not a plain file; '-' reads from standard input")
        with open(os.open(path, _FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnreadableError(f"'{path}' is not a plain file")
            return file.read(budget)
    except OSError as error:
        raise _unreadable(path, error) from error
    except ValueError as error:  # A name with NUL.
        raise UnreadableError(f"{path!r} cannot be a file") from error


def _read_stdin(budget: int) -> bytes:
    import sys

    if sys.stdin is None:
        raise UnreadableError("standard input is closed")
    try:
        return sys.stdin.buffer.read(budget)
    except OSError as error:
        raise _unreadable("-", error) from error


def _identity(status: os.stat_result) -> _Identity:
    return status.st_dev, status.st_ino


def _unreadable(path: str, error: OSError) -> UnreadableError:
    return UnreadableError(f"cannot read '{path}': {error.strerror}")
