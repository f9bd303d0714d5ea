"""Scalars as they were typed.

YAML decides the type of an unquoted scalar from its text, and loses the text: `570.10` becomes
570.1, `007` becomes 7. What type is *due* is known to the schema alone, so the loader keeps the
text of an unquoted scalar in a `PlainScalar` and the models decide.
"""

from __future__ import annotations

import re

_INT = re.compile(r"(?:0|-?[1-9][0-9]*)\Z")
_INT_LIKE = re.compile(r"[-+]?(?:0[xo])?[0-9][0-9_a-fA-F]*\Z|[-+]?[0-9.]+[eE][-+]?[0-9]+\Z")
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})


class PlainScalar(str):
    """The text of an unquoted YAML scalar that is not null; a quoted one is a plain `str`."""

    __slots__ = ()


def as_int(value: object) -> object:
    """Read a whole number: an `int`, or unquoted plain decimal digits.

    Raises `ValueError` with advice for what only looks like one (`010`, `1_000`, `1e3`, `"8"`);
    gives anything else back unchanged, for the model to refuse.
    """
    if isinstance(value, PlainScalar):
        if _INT.match(value):
            if len(value) > 19:
                raise ValueError("write a smaller number")
            return int(value)
        if _INT_LIKE.match(value):
            raise ValueError("write it in plain decimal digits, without signs, prefixes or '_'")
        return str(value)
    if isinstance(value, str) and _INT.match(value):
        raise ValueError(f"write {value} without quotes")
    return value


def as_bool(value: object) -> object:
    """Read `true` or `false` by the YAML 1.2 core rules (unquoted, three spellings each)."""
    if isinstance(value, PlainScalar):
        if value in _TRUE:
            return True
        if value in _FALSE:
            return False
        return str(value)
    return value


def as_text(value: object) -> object:
    """Read text: what was typed is kept, whatever YAML would have made of it."""
    return str(value) if isinstance(value, PlainScalar) else value
