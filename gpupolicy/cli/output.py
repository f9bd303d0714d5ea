"""The standard streams: always UTF-8, whole writes, quiet when the reader has gone."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` costs as much as the interpreter itself.
if TYPE_CHECKING:
    from typing import TextIO


class OutputError(Exception):
    """Standard output cannot be written: the disk is full, or it is closed."""


def write_out(text: str) -> None:
    """Write data to standard output. Raises `OutputError` if that fails.

    A reader that went away (`| head`) is no failure: it has what it wanted.
    """
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        _discard(sys.stdout)
    except OSError as error:
        _discard(sys.stdout)
        raise OutputError(f"cannot write to standard output: {error.strerror}") from error


def write_error(text: str) -> None:
    """Write what is not data to standard error, if anybody listens."""
    try:
        if sys.stderr is not None:
            _write(sys.stderr, text)
    except OSError:
        _discard(sys.stderr)


def use_color(stream: TextIO | None) -> bool:
    """Tell whether a stream gets colour: a terminal that can, unless NO_COLOR or FORCE_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    if stream is None or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def _write(stream: TextIO, text: str) -> None:
    stream.flush()
    stream.buffer.write(text.encode("utf-8", "backslashreplace"))
    stream.buffer.flush()


def _discard(stream: TextIO) -> None:
    """Send what is left in the buffer nowhere, so that the interpreter does not complain."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
