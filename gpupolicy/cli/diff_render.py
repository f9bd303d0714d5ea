"""A difference for people, for machines and for a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpupolicy.cli.table import table
from gpupolicy.deliver.difference import OPERATIONS
from gpupolicy.deliver.difference import Change
from gpupolicy.deliver.difference import counts
from gpupolicy.deliver.difference import line_diff
from gpupolicy.diagnostics.render.snippet import escape

if TYPE_CHECKING:
    from gpupolicy.deliver.risk import Risk

_HEAD = ("OPERATION", "KIND", "NAMESPACE", "NAME")
# GitHub takes comments of 65,536 characters; what is added around must fit too.
_LONGEST = 60_000


def render_text(changes: list[Change], risks: list[Risk] | None, context: int) -> str:
    """Write the table with counts, the risks, and the lines of every change."""
    if not changes:
        return "no differences\n"
    parts = [table(_HEAD, map(_row, changes)), _counted(changes) + "\n"]
    if risks:
        parts.append("\n" + "".join(map(_risk, risks)))
    for change in changes:
        parts.append(f"\n@@ {change.operation} {_title(change)} @@\n")
        parts += [escape(line) + "\n" for line in line_diff(change, context)]
    return "".join(parts)


def render_json(changes: list[Change], risks: list[Risk] | None, context: int) -> str:
    """Write one JSON object: `version`, `counts`, `changes`, and `risks` (null if not asked)."""
    import json

    listed = [
        {
            "operation": change.operation,
            "path": change.path,
            "kind": change.kind or None,
            "namespace": change.namespace or None,
            "name": change.name or None,
            "diff": line_diff(change, context),
        }
        for change in changes
    ]
    found = None if risks is None else [one._asdict() for one in risks]
    whole = {"version": 1, "counts": counts(changes), "changes": listed, "risks": found}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def render_markdown(changes: list[Change], risks: list[Risk] | None, context: int) -> str:
    """Write a comment for a pull request; what would make it too long is left out, and said."""
    if not changes:
        return "**gpupolicy**: no differences\n"
    text = f"**gpupolicy**: {_counted(changes)}\n"
    if risks:
        rows = [f"| {one.level} | {_cell(one.subject)} | {_advised(one)} |" for one in risks]
        text += "\n" + "\n".join(["| Risk | Of | Effect |", "| --- | --- | --- |", *rows]) + "\n"
    return text + "".join(_fitting([_folded(change, context) for change in changes], len(text)))


def _fitting(parts: list[str], used: int) -> Iterator[str]:
    for place, part in enumerate(parts):
        used += len(part)
        if used > _LONGEST:
            yield f"\n{len(parts) - place} more are not shown here.\n"
            return
        yield part


def _folded(change: Change, context: int) -> str:
    lines = [escape(line) for line in line_diff(change, context)]
    fence = "```"
    while any(fence in line for line in lines):
        fence += "`"
    title = _title(change).replace("&", "&amp;").replace("<", "&lt;")
    body = "\n".join([f"{fence}diff", *lines, fence])
    return f"\n<details><summary>{change.operation} {title}</summary>\n\n{body}\n\n</details>\n"


def _row(change: Change) -> tuple[str, str, str, str]:
    kind, name = change.kind or "(file)", change.name or change.path
    return change.operation, escape(kind), escape(change.namespace), escape(name)


def _title(change: Change) -> str:
    if not change.kind:
        return escape(change.path)
    parts = (change.kind, change.namespace, change.name)
    return escape("/".join(part for part in parts if part) + f" ({change.path})")


def _counted(changes: list[Change]) -> str:
    found = counts(changes)
    return ", ".join(f"{found[name]} to {name}" for name in OPERATIONS)


def _risk(risk: Risk) -> str:
    return f"risk {risk.level}: {risk.subject}: {risk.effect}\n    first: {risk.advice}\n"


def _advised(risk: Risk) -> str:
    return _cell(f"{risk.effect}. First: {risk.advice}")


def _cell(text: str) -> str:
    return escape(text).replace("|", "\\|").replace("<", "&lt;")
