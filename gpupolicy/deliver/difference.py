"""Two trees of output -> what changes between them, object by object.

A tree maps a path to its bytes, as `deliver.layout` gives it. `manifest.lock` is no part of it: it
says what the tree was made from, and differs where nothing that is applied does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Literal
from typing import NamedTuple

Operation = Literal["create", "update", "delete"]
OPERATIONS: tuple[Operation, ...] = ("create", "update", "delete")

# Ours are none, but a folder may have been changed by hand, in any style of YAML.
_SECRET = re.compile(r"""\bkind["']?\s*:\s*["']?Secret\b""")


class Change(NamedTuple):
    """One file that differs. `kind`, `namespace` and `name` are empty where it is no object.

    `before` and `after` are the lines of the two sides; of a Secret nothing is shown.
    """

    path: str
    operation: Operation
    kind: str
    namespace: str
    name: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def compare(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[Change]:
    """Find what differs: what `after` has in its order, then what only `before` has, by path."""
    gone = sorted(path for path in before if path not in after)
    changed = [path for path in after if before.get(path) != after[path]]
    return [_change(path, before.get(path), after.get(path)) for path in (*changed, *gone)]


def counts(changes: list[Change]) -> dict[Operation, int]:
    """Count the changes of each operation."""
    return {name: sum(one.operation == name for one in changes) for name in OPERATIONS}


def line_diff(change: Change, context: int) -> list[str]:
    """Give the unified diff of a change, `context` lines around each difference, without heads."""
    import difflib

    lines = difflib.unified_diff(change.before, change.after, n=context, lineterm="")
    return list(lines)[2:]


def _change(path: str, before: bytes | None, after: bytes | None) -> Change:
    operation: Operation = "create" if before is None else "delete" if after is None else "update"
    old, new = _lines(before), _lines(after)
    kind, namespace, name = _identity(path, new or old)
    if any(_SECRET.search(line) for line in (*old, *new)):
        old, new = ("*** (before)",) if old else (), ("*** (after)",) if new else ()
    return Change(path, operation, kind, namespace, name, old, new)


def _lines(data: bytes | None) -> tuple[str, ...]:
    # `splitlines` would also break at the separators that YAML keeps inside text.
    text = (data or b"").decode("utf-8", "backslashreplace")
    return tuple(text.removesuffix("\n").split("\n")) if text else ()


def _identity(path: str, lines: tuple[str, ...]) -> tuple[str, str, str]:
    """Read kind, namespace and name from an object as our canonical YAML writes it."""
    if path.startswith("files/") or "/" not in path:
        return "", "", ""
    kind = next((line[6:] for line in lines if line.startswith("kind: ")), "")
    fields = dict(_metadata(lines))
    return kind, fields.get("namespace", ""), fields.get("name", "")


def _metadata(lines: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    inside = False
    for line in lines:
        if not line.startswith(" "):
            inside = line == "metadata:"
        elif inside and (found := re.fullmatch(r"  (name|namespace): (.+)", line)):
            yield found[1], found[2].strip("\"'")
