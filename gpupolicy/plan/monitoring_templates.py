"""Facts about alerts -> templates, with what a policy changes about them put in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from gpupolicy.facts.alerts import AlertFact
from gpupolicy.facts.alerts import CaseFact
from gpupolicy.facts.alerts import FormFact
from gpupolicy.facts.alerts import RecordingFact
from gpupolicy.facts.alerts import ThresholdFact
from gpupolicy.plan import names
from gpupolicy.plan.monitoring_model import EVALUATION
from gpupolicy.plan.monitoring_model import CaseTemplate
from gpupolicy.plan.monitoring_model import RuleTemplate
from gpupolicy.plan.monitoring_text import Text
from gpupolicy.plan.monitoring_text import Words

_WORD = re.compile(r"%\{(\w+)\}")
# The labels that tell the copies of an alert apart, by scope: label to word.
_SCOPE_LABELS: Mapping[str, Mapping[str, str]] = {
    "policy": {},
    "pool": {"pool": "pool"},
    "device": {"pool": "pool", "device": "device"},
    "tenant": {"tenant": "tenant"},
    "class": {"tenant": "tenant", "sla": "sla", "priority_class": "class"},
    "latency": {"tenant": "tenant", "sla": "sla", "objective": "objective"},
}


@dataclass(frozen=True, slots=True)
class Change:
    """What a policy says about an alert; None where it says nothing."""

    threshold: Fraction | None = None
    for_: int | None = None
    severity: str | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose alerts they are: the policy, and where its runbook is published (None: nowhere)."""

    policy: str
    runbook_url: str | None = None

    def links(self, alert: str) -> dict[str, str]:
        """Give the annotation that leads to an alert's section of the runbook, if it is known."""
        if self.runbook_url is None:
            return {}
        return {"runbook_url": f"{self.runbook_url}#{alert.lower()}"}


_UNCHANGED = Change()


def decimal(value: Fraction) -> str:
    """Write a number that has a finite decimal form. Raises `ValueError` for another."""
    scale, denominator = 0, value.denominator
    while denominator % 10 == 0 or denominator % 5 == 0 or denominator % 2 == 0:
        scale += 1
        value *= 10
        denominator = value.denominator
    if denominator != 1:
        raise ValueError(f"{value} has no end as a decimal")
    digits = str(abs(value.numerator)).rjust(scale + 1, "0")
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return f"-{text}" if value < 0 else text


def threshold_words(fact: ThresholdFact, value: Fraction) -> dict[str, str]:
    """Give the threshold, and for the tests a value on either side of it, in several units."""
    whole = Fraction(floor(value))
    # Whole numbers on either side: sums of decimals are not exact in Prometheus.
    above, below = ((1 + value) / 2, value / 2) if fact.unit == "ratio" else (whole + 1, whole)
    words = {
        "threshold": value,
        "above": above,
        "below": below,
        "above_percent": above * 100,
        "below_percent": below * 100,
        "above_plus_ten": above + 10,
        "above_milli": above * 1000,
    }
    return {word: decimal(number) for word, number in words.items()}


def alert_template(
    alert: AlertFact, form: FormFact, origin: Origin, change: Change = _UNCHANGED, wait: int = 0
) -> RuleTemplate:
    """Make the template of one form of an alert; `wait` is what an SLA lets work wait, or 0."""
    constants: dict[str, str] = {}
    if alert.threshold:
        value = alert.threshold.default if change.threshold is None else change.threshold
        constants = threshold_words(alert.threshold, value)
    own = wait if alert.for_wait and wait else alert.for_
    for_ = own if change.for_ is None else change.for_
    labels = {
        "gpupolicy": origin.policy,
        "severity": change.severity or alert.severity,
        **alert.labels,
        **{label: f"%{{{word}}}" for label, word in _SCOPE_LABELS[form.scope].items()},
    }
    name = names.alert(alert.name)
    annotations = {"summary": form.summary, "description": form.description}
    written = [*_texts(annotations, constants)]
    written += [(key, Text.plain(link)) for key, link in origin.links(name).items()]
    return RuleTemplate(
        name=name,
        kind="alert",
        expr=_text(form.expr, constants),
        for_=for_,
        keep_firing_for=alert.keep_firing_for,
        labels=tuple(_texts(labels, constants)),
        annotations=tuple(written),
        cases=tuple(_case(case, for_, constants) for case in form.cases),
    )


def recording_template(recording: RecordingFact, form: FormFact) -> RuleTemplate:
    """Make the template of one form of a recording."""
    return RuleTemplate(
        name=recording.name,
        kind="record",
        expr=Text(form.expr),
        for_=0,
        keep_firing_for=0,
        labels=tuple(_texts(recording.labels, {})),
        annotations=(),
        cases=(),
    )


def _case(case: CaseFact, for_: int, constants: Words) -> CaseTemplate:
    return CaseTemplate(
        series=tuple((_text(k, constants), _text(v, constants)) for k, v in case.series),
        # promtool evaluates on this grid only, and compares what it found last.
        eval_time=-(-(for_ + case.after) // EVALUATION) * EVALUATION,
        interval=case.interval,
        fires=None if case.fires is None else tuple(_texts(case.fires, constants)),
        value=_text(case.value, constants),
    )


def _texts(texts: Mapping[str, str], constants: Words) -> Iterator[tuple[str, Text]]:
    return ((name, _text(text, constants)) for name, text in texts.items())


def _text(text: str, constants: Words) -> Text:
    return Text(_WORD.sub(lambda match: constants.get(match[1], match[0]), text))
