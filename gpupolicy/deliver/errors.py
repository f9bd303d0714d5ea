"""What goes wrong between us and the disk, and what the user can mend. The command exits with 2."""

from __future__ import annotations


class UnreadableError(Exception):
    """A file or folder cannot be read; the text says which and why."""


class UnwritableError(Exception):
    """A file exists or cannot be written; the text says which and why."""
