"""Alerts under `monitoring`: changes of those that follow from the policy, and alerts of your own.

GP650 alert-unknown
    There is no alert of this name to change. The alerts that follow from a policy have fixed
    names; the hint names the nearest. To add an alert of your own, write its `expr`.

GP651 alert-expression-wrong
    `expr` is not PromQL, or not of an alert. One rule with a fault keeps Prometheus from loading
    every rule of the file, so it is parsed here, with the types of its parts. The message counts
    characters from 1. An alert compares series: numbers have no unit (`0.2`, not `20%`; `300`,
    not `5m`), and a range such as `x[5m]` needs a function around it. An expression has at most
    10,000 characters, and 150 operators and brackets: put its parts into recording rules.

GP652 alert-field-unused
    The field has no effect on this alert: an alert of your own has its threshold in `expr`, one
    that is switched off has nothing else to change, some alerts have no threshold, and the
    `summary` of an alert that is not your own follows from the policy.

GP653 alert-threshold-wrong
    The threshold is not of the kind that this alert compares with: a part of one, which may be
    written as a percentage (`20%` or `0.2`), or a plain number.

GP654 alert-duration-too-fine
    Prometheus counts in whole milliseconds. Write `for: 5m`, or at least `1ms`.

GP655 alert-template-wrong
    `summary` is a Go template, and this one does not parse: `{{` and `}}` do not match, or what
    stands between them is empty. What an alert knows is `{{ $labels.<name> }}` and `{{ $value }}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import did_you_mean
from gpupolicy.check_base import nearest
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.monitoring import Alert
from gpupolicy.spec.v1alpha1.number_types import Percent

if TYPE_CHECKING:
    from gpupolicy.facts.alerts import AlertFact

_MILLISECOND = 10**6
# Compiled where they are used: most policies have no alert of their own.
_BRACES = r"\{\{|\}\}"
_ACTION = r"(?s)\{\{-?\s*(.*?)\s*-?\}\}"
_VARIABLE = r"\$([A-Za-z_]\w*)"
# Prometheus template/template.go: the variables of an alert's template.
_VARIABLES = ("labels", "value", "externalLabels", "externalURL")


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check the alerts of the policy, one by one."""
    alerts = context.policy.spec.monitoring.alerts
    if not alerts:
        return
    from gpupolicy.facts.alerts import alerts as table  # only a policy that changes one reads it

    known = table()
    for index, alert in enumerate(alerts):
        path: Path = ("spec", "monitoring", "alerts", index)
        fact = known.get(alert.name)
        yield from _unused(alert, fact, path)
        yield from _texts(alert, path)
        if alert.expr is not None:
            yield from _expression(alert, (*path, "expr"))
        elif fact is None:
            yield _unknown(alert, tuple(known), path)
        elif alert.threshold is not None and fact.threshold is not None:
            yield from _threshold(alert, fact, (*path, "threshold"))


def _unknown(alert: Alert, known: tuple[str, ...], path: Path) -> Diagnostic:
    hint = did_you_mean(alert.name, known) if nearest(alert.name, known) else None
    return Diagnostic(
        "GP650",
        f"there is no alert '{alert.name}' to change",
        (*path, "name"),
        hint=hint or "an alert of your own has an 'expr'",
    )


def _expression(alert: Alert, path: Path) -> Iterator[Diagnostic]:
    from gpupolicy.promql import advice
    from gpupolicy.promql import fault

    text = alert.expr or ""
    found = fault(text)
    if found is None:
        return
    where = "" if found.offset is None else f" at character {found.offset + 1}"
    rest = "" if found.offset is None else text[found.offset : found.offset + 20].split("\n")[0]
    near = f", before '{rest}'" if rest else ""
    percent = re.search(r"([0-9.]+)\s*%\s*\Z", text)
    hint = advice(found.message)
    if percent:
        part = float(Fraction(percent[1]) / 100)
        hint = f"a percentage is a part of one: {part:g}, or {percent[1]} where 100 is the whole"
    yield Diagnostic(
        "GP651",
        f"the expression of alert '{alert.name}' is wrong{where}{near}: {found.message}",
        path,
        hint=hint,
    )


def _unused(alert: Alert, fact: AlertFact | None, path: Path) -> Iterator[Diagnostic]:
    fields = {"threshold": alert.threshold, "for": alert.for_, "severity": alert.severity}
    if not alert.enabled:
        for key in (key for key, value in fields.items() if value is not None):
            yield _no_effect(f"alert '{alert.name}' is switched off", key, path)
    elif alert.threshold is not None and alert.expr is not None:
        yield _no_effect(f"alert '{alert.name}' has its threshold in 'expr'", "threshold", path)
    elif alert.threshold is not None and fact is not None and fact.threshold is None:
        yield _no_effect(f"alert '{alert.name}' has no threshold", "threshold", path)
    if alert.enabled and alert.summary is not None and alert.expr is None and fact is not None:
        yield _no_effect(f"alert '{alert.name}' has a summary of its own", "summary", path)


def _no_effect(why: str, key: str, path: Path) -> Diagnostic:
    return Diagnostic(
        "GP652",
        f"'{key}' has no effect: {why}",
        (*path, key),
        part="key",
        severity=Severity.WARNING,
        hint="leave it out",
    )


def _threshold(alert: Alert, fact: AlertFact, path: Path) -> Iterator[Diagnostic]:
    written, threshold = alert.threshold, fact.threshold
    if written is None or threshold is None:
        return
    value = written.fraction if isinstance(written, Percent) else written
    if threshold.unit == "ratio":
        if not 0 <= value <= 1:
            message = f"threshold {float(value):g} of alert '{alert.name}' is not a part of one"
            percent = f"{float(value):g}%" if value <= 100 else "100%"
            hint = f"did you mean '{percent}'?" if value > 0 else "write a percentage, such as 20%"
            yield Diagnostic("GP653", message, path, hint=hint)
    elif isinstance(written, Percent):
        message = f"alert '{alert.name}' compares with a number, not with {written.text}"
        yield Diagnostic(
            "GP653", message, path, hint=f"the default is {float(threshold.default):g}"
        )


def _texts(alert: Alert, path: Path) -> Iterator[Diagnostic]:
    if alert.for_ is not None and alert.for_ % _MILLISECOND:
        message = f"'for' of alert '{alert.name}' is finer than a millisecond"
        yield Diagnostic("GP654", message, (*path, "for"), hint="write at least '1ms'")
    fault = _template_fault(alert.summary or "")
    if fault:
        message = f"the summary of alert '{alert.name}' is no template: {fault}"
        hint = "write '{{ $labels.<name> }}' or '{{ $value }}' for what it knows"
        yield Diagnostic("GP655", message, (*path, "summary"), hint=hint)


def _template_fault(text: str) -> str | None:
    open_at: int | None = None
    for match in re.finditer(_BRACES, text):
        if (match[0] == "{{") == (open_at is not None):
            return f"'{match[0]}' at character {match.start() + 1} does not match"
        open_at = match.start() if match[0] == "{{" else None
    if open_at is not None:
        return f"'{{{{' at character {open_at + 1} is never closed"
    for action in re.findall(_ACTION, text):
        if not action:
            return "there is nothing between '{{' and '}}'"
        if action.startswith(("/*", "define", "range", "with", "$")) and ":=" in action:
            return None
        for name in re.findall(_VARIABLE, action):
            if name not in _VARIABLES and f"${name} :=" not in text:
                return f"an alert has no '${name}'"
    return None
