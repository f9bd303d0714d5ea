"""Templates and words -> rules, and promtool cases with the annotations that must come out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping

from gpupolicy.plan.monitoring_model import CaseTemplate
from gpupolicy.plan.monitoring_model import RuleInstance
from gpupolicy.plan.monitoring_model import RulePlan
from gpupolicy.plan.monitoring_model import RuleTest
from gpupolicy.plan.monitoring_text import Text
from gpupolicy.plan.monitoring_text import Words

_LABEL = re.compile(r"\{\{ \$labels\.(\w+) \}\}")
_VALUE = "{{ $value }}"
_PERCENT = "{{ $value | humanizePercentage }}"


def rule(instance: RuleInstance) -> RulePlan:
    """Write a rule."""
    template, words = instance.template, instance.words
    labels = {**instance.labels, **_labels(template.labels, words)}
    return RulePlan(
        name=template.name,
        kind=template.kind,
        expr=template.expr.write(words),
        for_=template.for_,
        keep_firing_for=template.keep_firing_for,
        labels=labels,
        annotations={name: text.write(words) for name, text in template.annotations},
    )


def _labels(texts: Iterable[tuple[str, Text]], words: Words) -> dict[str, str]:
    """Write labels; one without a value is none."""
    written = ((name, text.write(words)) for name, text in texts)
    return {name: value for name, value in written if value}


def tests(instance: RuleInstance) -> Iterator[RuleTest]:
    """Write the cases of an alert."""
    if instance.template.cases:
        written = rule(instance)
        for case in instance.template.cases:
            yield _test(case, instance, written)


def _test(case: CaseTemplate, instance: RuleInstance, written: RulePlan) -> RuleTest:
    words = {**instance.words, "n": str(case.eval_time // case.interval + 1)}
    return RuleTest(
        alert=written.name,
        interval=case.interval,
        series=tuple(_series(case, words, instance.items)),
        eval_time=case.eval_time,
        firing=tuple(_firing(case, words, instance.items, written)),
    )


def _series(
    case: CaseTemplate, words: Words, items: tuple[Words, ...]
) -> Iterator[tuple[str, str]]:
    for name, values in case.series:
        for each in _copies(name.words | values.words, words, items):
            yield name.write(each), values.write(each)


def _copies(needed: frozenset[str], words: Words, items: tuple[Words, ...]) -> Iterator[Words]:
    """Give the words, or where a text needs more, once for each GPU of a node or each item."""
    missing = needed - words.keys()
    if not missing:
        yield words
    elif missing == {"gpu"}:
        yield from ({**words, "gpu": str(gpu)} for gpu in range(int(words["gpus"])))
    else:
        yield from ({**words, **item} for item in items)


def _firing(
    case: CaseTemplate, words: Words, items: tuple[Words, ...], written: RulePlan
) -> Iterator[tuple[Mapping[str, str], Mapping[str, str]]]:
    if case.fires is None:
        return
    value = case.value.write(words)
    needed = frozenset().union(*(text.words for _, text in case.fires))
    for each in _copies(needed, words, items):
        labels = {**_labels(case.fires, each), **written.labels}
        annotations = {
            name: evaluated(text, labels, value) for name, text in written.annotations.items()
        }
        yield labels, annotations


def evaluated(text: str, labels: Mapping[str, str], value: str) -> str:
    """Evaluate a Go template of the few kinds that our annotations use."""
    text = _LABEL.sub(lambda match: labels.get(match[1], ""), text)
    if _PERCENT in text:
        text = text.replace(_PERCENT, f"{float(value) * 100:.4g}%")
    return text.replace(_VALUE, value)
