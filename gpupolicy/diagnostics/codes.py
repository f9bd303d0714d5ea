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
_TYPES = "gpupolicy.spec.v1alpha1.types"
_VALIDATE = "gpupolicy.spec.validate"
_KUEUE = "gpupolicy.targets.kueue.support"
_VOLCANO = "gpupolicy.targets.volcano.support"

_ROWS: tuple[Code, ...] = (
    Code("GP050", "suppression-malformed", _W, "a suppression cannot be read", _SUPPRESS),
    Code("GP051", "suppression-unused", _W, "a suppression suppresses nothing", _SUPPRESS),
    Code("GP052", "suppression-expired", _W, "a suppression is past its date", _SUPPRESS),
    Code("GP053", "suppression-of-error", _W, "errors cannot be suppressed", _SUPPRESS),
    Code("GP054", "suppression-unknown-code", _W, "a suppression names no code", _SUPPRESS),
    Code("GP101", "unknown-key", _E, "the language has no such key", _VALIDATE),
    Code("GP102", "missing-key", _E, "a required key is missing", _VALIDATE),
    Code("GP103", "unknown-value", _E, "the key does not take this value", _VALIDATE),
    Code("GP104", "invalid-number", _E, "not a number", _TYPES),
    Code("GP105", "invalid-text", _E, "text is due", _TYPES),
    Code("GP106", "invalid-name", _E, "not a name Kubernetes takes", _TYPES),
    Code("GP107", "invalid-label", _E, "not a label key or value", _TYPES),
    Code("GP108", "invalid-quantity", _E, "not a quantity", _TYPES),
    Code("GP109", "invalid-duration", _E, "not a duration", _TYPES),
    Code("GP110", "invalid-percentage", _E, "not a percentage", _TYPES),
    Code("GP111", "invalid-amount", _E, "not a number of devices", _TYPES),
    Code("GP112", "invalid-version", _E, "not a version", _TYPES),
    Code("GP113", "wrong-type", _E, "something else is due", _VALIDATE),
    Code("GP520", "kueue-autoscaled-gang", _W, "Kueue places only on nodes that exist", _KUEUE),
    Code("GP521", "kueue-too-large", _E, "a queue is above Kueue's limits", _KUEUE),
    Code("GP522", "kueue-tolerations", _E, "more taints than a flavor tolerates", _KUEUE),
    Code("GP523", "kueue-topology-levels", _E, "more levels than a Topology has", _KUEUE),
    Code("GP524", "kueue-weight-ignored", _W, "weights have no effect", _KUEUE),
    Code("GP540", "volcano-pools-summed", _W, "Volcano counts resource names, not pools", _VOLCANO),
    Code("GP541", "volcano-queue-depth", _E, "more levels of queues than Volcano takes", _VOLCANO),
    Code("GP542", "volcano-weight-ignored", _W, "weights have no effect", _VOLCANO),
    Code("GP750", "output-empty", _E, "nothing follows from the policy", "gpupolicy.compiler"),
    Code("GP900", "internal-error", _E, "gpupolicy itself failed", "gpupolicy.cli.report"),
)

CODES: dict[str, Code] = {row.number: row for row in _ROWS}
