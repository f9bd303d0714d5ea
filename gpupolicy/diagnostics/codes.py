"""The table of codes: the one source for `explain`, SARIF rules, the docs and the tests.

Numbers tell the phase: 0 load, 1 validate, 2 MIG, 3 memory and sharing, 4 quota, tenants,
priorities, references and names, 5 a target cannot express it, 6 SLA and workloads, 7 write, diff
and apply, 9 our own bugs. A code is never reused.

A module that gives a code documents it in its own docstring, in a paragraph that starts with the
code; `explain` prints that paragraph. `MODULES` says which module to open for which code.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpupolicy.diagnostics.model import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """One row of the table. `module` is where the manual page (its docstring) is."""

    number: str
    slug: str
    severity: Severity
    title: str
    module: str


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

_ROWS: tuple[Code, ...] = ()

CODES: dict[str, Code] = {row.number: row for row in _ROWS}
