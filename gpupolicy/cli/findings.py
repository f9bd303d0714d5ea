"""What a run found: shown in the form that was asked for, and summed up in an exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gpupolicy.cli import exits
from gpupolicy.cli.output import use_color
from gpupolicy.cli.output import write_error
from gpupolicy.cli.output import write_out
from gpupolicy.diagnostics.model import Severity

if TYPE_CHECKING:
    from gpupolicy.compiler import Compiled


def show(compiled: Compiled, form: str, *, as_data: bool) -> None:
    """Show the findings: on standard output if they are the data, on standard error if not."""
    stream = sys.stdout if as_data else sys.stderr
    text = _render(compiled, form, color=use_color(stream))
    (write_out if as_data else write_error)(text)


def exit_code(compiled: Compiled, *, strict: bool) -> int:
    """Sum up: 1 if anything counts as an error, else 0."""
    found = compiled.diagnostics
    counted = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return exits.FOUND if any(one.severity in counted for one in found) else exits.OK


def _render(compiled: Compiled, form: str, *, color: bool) -> str:
    if form == "json":
        from gpupolicy.diagnostics.render.json_ import render_json

        return render_json(compiled.diagnostics)
    from gpupolicy.diagnostics.render.text import render_text

    return render_text(compiled.diagnostics, compiled.texts, color)
