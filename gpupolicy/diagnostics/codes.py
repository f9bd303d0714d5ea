"""The table of codes: the one source for `explain`, SARIF rules, the docs and the tests.

Numbers tell the phase: 0 load, 1 validate, 2 MIG, 3 memory and sharing, 4 quota, tenants,
priorities, references and names, 5 a target cannot express it, 6 SLA and workloads, 7 write, diff
and apply, 9 our own bugs. A code is never reused.

A module that gives a code documents it in its own docstring, in a paragraph that starts with the
code; `explain` prints that paragraph. The last column says which module to open for which code.
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
_SUPPRESS = "gpupolicy.diagnostics.suppress"

_ROWS: tuple[Code, ...] = (
    Code("GP050", "suppression-malformed", _W, "a suppression cannot be read", _SUPPRESS),
    Code("GP051", "suppression-unused", _W, "a suppression suppresses nothing", _SUPPRESS),
    Code("GP052", "suppression-expired", _W, "a suppression is past its date", _SUPPRESS),
    Code("GP053", "suppression-of-error", _W, "errors cannot be suppressed", _SUPPRESS),
    Code("GP054", "suppression-unknown-code", _W, "a suppression names no code", _SUPPRESS),
    Code("GP750", "output-empty", _E, "nothing follows from the policy", "gpupolicy.compiler"),
    Code("GP900", "internal-error", _E, "gpupolicy itself failed", "gpupolicy.cli.report"),
)

CODES: dict[str, Code] = {row.number: row for row in _ROWS}
