"""Which alerts and recordings a subject gets, and in which form.

A form counts if its conditions hold and the installed exporter knows its fields; one that would
need another field would never fire, or end the exporter, so it is left out and said.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping

from gpupolicy.facts.alerts import AlertFact
from gpupolicy.facts.alerts import FormFact
from gpupolicy.facts.alerts import RecordingFact
from gpupolicy.facts.metrics import Metrics
from gpupolicy.plan.monitoring_model import RuleInstance
from gpupolicy.plan.monitoring_model import RuleTemplate
from gpupolicy.plan.monitoring_subjects import Subject
from gpupolicy.plan.monitoring_templates import Change
from gpupolicy.plan.monitoring_templates import Origin
from gpupolicy.plan.monitoring_templates import alert_template
from gpupolicy.plan.monitoring_templates import recording_template

_UNCHANGED = Change()


def holds(when: Iterable[str], conditions: frozenset[str]) -> bool:
    """Tell whether all conditions hold; `!` stands for not."""
    return all((word.lstrip("!") in conditions) != word.startswith("!") for word in when)


class Chooser:
    """Chooses rules for subjects, and keeps count of what was needed and what was missing.

    Subjects of one scope whose conditions are the same get the same templates.
    """

    def __init__(
        self,
        origin: Origin,
        metrics: Metrics,
        exporter: str | None,
        alerts: Iterable[AlertFact],
        recordings: Iterable[RecordingFact],
        changes: Mapping[str, Change],
    ) -> None:
        self._origin = origin
        self._fields = metrics.fields
        self._exporter = exporter
        self._alerts = tuple(alerts)
        self._recordings = tuple(recordings)
        self._changes = changes
        self._chosen: dict[tuple[str, frozenset[str], int], tuple[RuleTemplate, ...]] = {}
        # Fields that the chosen rules read.
        self.needed: set[str] = set()
        # Fields that the exporter does not know, by the alert that is left out for them.
        self.missing: dict[str, tuple[str, ...]] = {}

    def instances(self, subject: Subject) -> Iterator[RuleInstance]:
        """Give the rules of a subject, recordings first."""
        for template in self._templates(subject):
            labels = subject.labels if template.kind == "alert" else {}
            yield RuleInstance(template, subject.words, labels, subject.items)

    def _templates(self, subject: Subject) -> tuple[RuleTemplate, ...]:
        key = (subject.scope, subject.conditions, subject.wait)
        if key not in self._chosen:
            self._chosen[key] = tuple(self._choose(*key))
        return self._chosen[key]

    def _choose(self, scope: str, conditions: frozenset[str], wait: int) -> Iterator[RuleTemplate]:
        for recording in self._recordings:
            form = self._form(recording, scope, conditions)
            if form:
                yield recording_template(recording, form)
        for alert in self._alerts:
            form = self._form(alert, scope, conditions)
            if form:
                change = self._changes.get(alert.name, _UNCHANGED)
                yield alert_template(alert, form, self._origin, change, wait)

    def _form(
        self, rule: AlertFact | RecordingFact, scope: str, conditions: frozenset[str]
    ) -> FormFact | None:
        missing: tuple[str, ...] = ()
        for form in rule.forms:
            if form.scope != scope or not holds(form.when, conditions):
                continue
            unknown = tuple(name for name in form.fields if not self.knows(name))
            if not unknown:
                self.needed.update(form.fields)
                return form
            missing = missing or unknown
        if missing:
            self.missing[rule.name] = missing
        return None

    def knows(self, field: str) -> bool:
        """Tell whether the installed exporter knows a field."""
        return self._exporter is not None and self._fields[field].known_to(self._exporter)


def without_data(alerts: Iterable[AlertFact], subject: Subject, word: str) -> tuple[str, ...]:
    """Name the alerts that a subject does not get for one condition alone.

    Nothing else keeps them from it, and no other form of them is there in its place.
    """
    found = []
    for alert in alerts:
        forms = [form for form in alert.forms if form.scope == subject.scope]
        lacking = [form for form in forms if f"!{word}" in form.when]
        if any(holds(form.when, subject.conditions - {word}) for form in lacking) and not any(
            holds(form.when, subject.conditions) for form in forms
        ):
            found.append(alert.name)
    return tuple(found)
