"""The files that come with the program: the blueprints."""

from __future__ import annotations

import os

import gpupolicy


def folder(*names: str) -> str:
    """Give the path of a shipped file or folder, in a source tree as in an installed wheel."""
    return os.path.join(os.path.dirname(gpupolicy.__file__), "_data", *names)
