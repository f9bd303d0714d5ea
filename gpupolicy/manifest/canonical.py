"""Canonical block YAML of plain data: same data, same bytes.

`apiVersion`, `kind` and `metadata` come first, other keys in the order in which they were put
there; maps whose keys are chosen by users (labels, annotations, `data`) are sorted. Sequences are
not indented, as kubectl prints them. No folding, no aliases, no tags.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from typing import Any

from gpupolicy.manifest.scalars import SCALARS
from gpupolicy.manifest.scalars import block_header

_FIRST = ("apiVersion", "kind", "metadata")
_SORTED = frozenset(
    {"annotations", "binaryData", "data", "labels", "matchLabels", "nodeLabels", "nodeSelector"}
)
# YAML readers give up on an implicit key of more than 1,024 characters.
_LONGEST_KEY = 512

_Write = Callable[[str], None]


def dump(data: Any) -> str:
    """Write a document, without `---`, ending with a line end.

    Raises `TypeError` for what is not JSON-like (text keys, dict, list, tuple, text, numbers, bool,
    None), `ValueError` for an infinite or undefined number and for text that is not Unicode.
    """
    pieces: list[str] = []
    if isinstance(data, dict) and data:
        _map(_head_first(data).items(), "", "", pieces.append)
    elif isinstance(data, (list, tuple)) and data:
        _list(data, "", "", pieces.append)
    else:
        pieces.append(_scalar(data) + "\n")
    return "".join(pieces)


def dump_all(documents: Iterable[Any]) -> str:
    """Write several documents as one stream, each after a line `---`."""
    return "".join("---\n" + dump(document) for document in documents)


def _head_first(data: dict[str, Any]) -> dict[str, Any]:
    if "kind" not in data:
        return data
    head = {key: data[key] for key in _FIRST if key in data}
    return head | {key: value for key, value in data.items() if key not in head}


def _map(items: Iterable[tuple[str, Any]], lead: str, indent: str, write: _Write) -> None:
    """Write a map; `lead` stands before the first key, `indent` before all others."""
    for key, value in items:
        name = SCALARS[key]
        if len(name) > _LONGEST_KEY:
            name = f"? {name}\n{indent}"
        kind = type(value)
        if kind is str:
            if "\n" in value:
                write(f"{lead}{name}: {_text(value, indent)}\n")
            else:
                write(f"{lead}{name}: {SCALARS[value]}\n")
        elif kind is dict and value:
            write(f"{lead}{name}:\n")
            inner = sorted(value.items()) if key in _SORTED else value.items()
            _map(inner, indent + "  ", indent + "  ", write)
        elif kind is list and value:
            write(f"{lead}{name}:\n")
            _list(value, indent, indent, write)
        else:
            _other_value(key, name, value, lead, indent, write)
        lead = indent


def _other_value(key: str, name: str, value: Any, lead: str, indent: str, write: _Write) -> None:
    """Write what is rare: numbers, bool, null, what is empty, subclasses."""
    if isinstance(value, dict) and value:
        write(f"{lead}{name}:\n")
        inner = sorted(value.items()) if key in _SORTED else value.items()
        _map(inner, indent + "  ", indent + "  ", write)
    elif isinstance(value, (list, tuple)) and value:
        write(f"{lead}{name}:\n")
        _list(value, indent, indent, write)
    else:
        write(f"{lead}{name}: {_scalar(value, indent)}\n")


def _list(items: Iterable[Any], lead: str, indent: str, write: _Write) -> None:
    deeper = indent + "  "
    for value in items:
        if type(value) is str and "\n" not in value:
            write(f"{lead}- {SCALARS[value]}\n")
        elif isinstance(value, dict) and value:
            _map(value.items(), lead + "- ", deeper, write)
        elif isinstance(value, (list, tuple)) and value:
            _list(value, lead + "- ", deeper, write)
        else:
            write(f"{lead}- {_scalar(value, indent)}\n")
        lead = indent


def _scalar(value: Any, indent: str | None = None) -> str:
    if isinstance(value, str):
        text = str.__str__(value)
        return _text(text, indent) if indent is not None and "\n" in text else SCALARS[text]
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, (dict, list, tuple)):
        return "{}" if isinstance(value, dict) else "[]"
    raise TypeError(f"{type(value).__name__} is not plain data")


def _float(value: float) -> str:
    text = float.__repr__(value)
    if text[-1] in "fn":
        raise ValueError(f"{text} is not a number of JSON")
    mantissa, e, exponent = text.partition("e")
    # YAML 1.1 takes 1e+16 for text: a float needs its point.
    return text if not e or "." in mantissa else f"{mantissa}.0e{exponent}"


def _text(text: str, indent: str) -> str:
    header = block_header(text)
    if header is None:
        return SCALARS[text]
    inner = indent + "  "
    body = text[:-1] if text[-1] == "\n" else text
    return header + "\n" + "\n".join(inner + line if line else "" for line in body.split("\n"))
