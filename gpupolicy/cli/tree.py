"""Paths drawn as a tree; long folders are shortened, and say by how much."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator

_SHOWN = 12

_Folder = dict[str, "_Folder"]


def tree(root: str, paths: Iterable[str]) -> str:
    """Draw paths (with `/`) below a root."""
    top: _Folder = {}
    for path in paths:
        folder = top
        for name in path.split("/"):
            folder = folder.setdefault(name, {})
    return "\n".join([f"{root.rstrip('/')}/", *_lines(top, "")]) + "\n"


def _lines(folder: _Folder, indent: str) -> Iterator[str]:
    names = sorted(folder, key=lambda name: (not folder[name], name))
    shown = names if len(names) <= _SHOWN + 1 else names[:_SHOWN]
    rest = len(names) - len(shown)
    for name in shown:
        last = name is shown[-1] and not rest
        below = folder[name]
        yield f"{indent}{'└── ' if last else '├── '}{name}{'/' if below else ''}"
        yield from _lines(below, indent + ("    " if last else "│   "))
    if rest:
        yield f"{indent}└── ... and {rest} more"
