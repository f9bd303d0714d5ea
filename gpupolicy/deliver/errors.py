"""What goes wrong between us and the disk."""

from __future__ import annotations


class UnreadableError(Exception):
    """A file or folder cannot be read; the text says which and why."""


class UnwritableError(Exception):
    """A file cannot be written; the text says which and why."""
