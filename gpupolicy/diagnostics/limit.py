"""Enough is enough: a phase that finds the same in every line of a file is stopped.

GP059 findings-cut
    One phase or check found more than 500 things, so the rest of its findings is not shown. It
    is mostly one fault repeated: a generated file, or one wrong name that many entries use. Fix
    what is shown and run again. An error is never left out for warnings: if only warnings are
    shown, there was no error.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity

LIMIT = 500


def limited(findings: Iterable[Diagnostic], limit: int = LIMIT) -> Iterator[Diagnostic]:
    """Pass on the first findings of a phase, and an error behind them if they have none.

    `findings` is read no further than needed, so that a flood costs no time.
    """
    has_error = False
    for number, found in enumerate(findings):
        is_error = found.severity is Severity.ERROR
        if number < limit or (is_error and not has_error):
            yield found
        elif number == limit:
            message = f"more than {limit:,} findings of one kind; the rest is not shown"
            yield Diagnostic("GP059", message, severity=Severity.NOTE)
        has_error = has_error or is_error
        if number >= limit and has_error:
            return
