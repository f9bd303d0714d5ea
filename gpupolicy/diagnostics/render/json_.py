"""Findings for programs: a JSON array, described by `schemas/diagnostics/v1.json`.

The form is stable: keys are added, never renamed or removed, and every key is always there. The
text is ASCII (other characters are escaped), so that no terminal or log obeys what a policy says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpupolicy.diagnostics.codes import CODES
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Span
from gpupolicy.diagnostics.model import format_path


def render_json(diagnostics: Sequence[Diagnostic]) -> str:
    """Show findings as a JSON array in the order given, `[]` if there is none."""
    import json

    return json.dumps([_object(found) for found in diagnostics], indent=2) + "\n"


def _object(found: Diagnostic) -> dict[str, Any]:
    row = CODES.get(found.code)
    return {
        "code": found.code,
        "slug": row.slug if row else None,
        "severity": found.severity.value,
        "message": found.message,
        **_place(found),
        "hint": found.hint,
        "related": [{"message": one.message, **_place(one)} for one in found.related],
        "notes": list(found.notes),
    }


def _place(one: Diagnostic | Related) -> dict[str, Any]:
    return {
        "file": one.span.file if one.span else None,
        "range": _range(one.span) if one.span else None,
        "path": format_path(one.path) if one.path else None,
    }


def _range(span: Span) -> dict[str, dict[str, int]]:
    return {
        "start": {"line": span.line, "column": span.column},
        "end": {"line": span.end_line, "column": span.end_column},
    }
