"""Tags: those of the YAML core schema are honoured, any other is refused.

GP012 tag-refused
    A tag (`!Secret`, `!!binary`) asks for a type that a policy does not have, or contradicts the
    value after it (`!!int x`). Known are `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!map`
    and `!!seq`, and none of them is ever needed. If the text itself begins with `!`, quote it.
"""

from __future__ import annotations

import re

from gpupolicy.scalars import PlainScalar
from gpupolicy.source.text import quote

CORE = "tag:yaml.org,2002:"
NULLS = frozenset(("", "~", "null", "Null", "NULL"))

_PATTERNS = {
    "int": re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z"),
    "float": re.compile(
        r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
    ),
    "bool": re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"),
}


def tagged(tag: str, text: str) -> object:
    """Give a scalar the type that its tag names; raises `ValueError` with what is wrong."""
    name = tag.removeprefix(CORE) if tag.startswith(CORE) else tag
    if name in ("str", "!"):
        return text
    if name == "null" and text in NULLS:
        return None
    if name in _PATTERNS and _PATTERNS[name].match(text):
        return PlainScalar(text)
    if name in ("null", *_PATTERNS):
        raise ValueError(f"{quote(text)} is not what its tag '!!{name}' says")
    raise ValueError(refusal(tag))


def refusal(tag: str) -> str:
    """Say that a tag does not belong here, in the way that users write it."""
    written = f"!!{tag.removeprefix(CORE)}" if tag.startswith(CORE) else tag
    if tag.removeprefix(CORE) in ("str", "int", "float", "bool", "null", "map", "seq"):
        return f"the tag {quote(written)} does not fit the value after it"
    return f"a policy has no use for the tag {quote(written)}"
