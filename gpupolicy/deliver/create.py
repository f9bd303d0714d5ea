"""New files, and only new ones: nothing that is there is ever changed."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gpupolicy.deliver.errors import UnwritableError


def create_files(files: Mapping[str, str]) -> None:
    """Write texts to paths that must not exist yet; folders are made where they are missing.

    Raises `UnwritableError` if a path exists or cannot be written. Then none of the files is left
    behind, so that the command can be repeated.
    """
    for path in files:
        if os.path.lexists(path):
            raise UnwritableError(f"'{path}' exists and is not overwritten")
    done: list[str] = []
    try:
        for path, text in files.items():
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "x", encoding="utf-8", newline="\n") as file:
                done.append(path)
                file.write(text)
    except OSError as error:
        for path in done:
            os.unlink(path)
        raise UnwritableError(f"cannot write '{path}': {error.strerror}") from error
