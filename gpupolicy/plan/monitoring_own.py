"""What a policy says about alerts: changes of those that follow from it, and alerts of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from gpupolicy.facts.metrics import Metrics
from gpupolicy.plan import names
from gpupolicy.plan.monitoring_model import RuleGroupPlan
from gpupolicy.plan.monitoring_model import RuleInstance
from gpupolicy.plan.monitoring_model import RuleTemplate
from gpupolicy.plan.monitoring_templates import Change
from gpupolicy.plan.monitoring_templates import Origin
from gpupolicy.plan.monitoring_text import Text
from gpupolicy.spec.v1alpha1.monitoring import Alert
from gpupolicy.spec.v1alpha1.monitoring import Monitoring
from gpupolicy.spec.v1alpha1.number_types import Percent

_NAME = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
_GROUP = "gpupolicy-user"


def changes(monitoring: Monitoring) -> dict[str, Change]:
    """Give the changes by the name of the alert."""
    return {
        alert.name: Change(_number(alert), alert.for_, alert.severity)
        for alert in monitoring.alerts
        if alert.enabled and alert.expr is None
    }


def _number(alert: Alert) -> Fraction | None:
    written = alert.threshold
    return written.fraction if isinstance(written, Percent) else written


def own_alerts(monitoring: Monitoring, origin: Origin) -> Iterator[RuleGroupPlan]:
    """Make the group of the policy's own alerts; one that is called like another replaces it."""
    own = [alert for alert in monitoring.alerts if alert.expr and alert.enabled]
    if own:
        instances = tuple(RuleInstance(_template(alert, origin), {}, {}) for alert in own)
        yield RuleGroupPlan(_GROUP, "monitoring.alerts", instances)


def _template(alert: Alert, origin: Origin) -> RuleTemplate:
    labels = {"gpupolicy": origin.policy, "severity": alert.severity or "warning"}
    name = names.alert(alert.name)
    annotations = {"summary": alert.summary} if alert.summary else {}
    annotations |= origin.links(name)
    return RuleTemplate(
        name=name,
        kind="alert",
        expr=Text.plain(alert.expr or ""),
        for_=alert.for_ or 0,
        keep_firing_for=0,
        labels=tuple((name, Text.plain(value)) for name, value in labels.items()),
        annotations=tuple((name, Text.plain(text)) for name, text in annotations.items()),
        cases=(),
    )


def read_by(alert: Alert) -> set[str]:
    """Give the words of an alert's own expression, among them the metrics that it reads."""
    return set(_NAME.findall(alert.expr or ""))


def own_fields(monitoring: Monitoring, metrics: Metrics) -> set[str]:
    """Give the fields of the DCGM exporter that the policy's own alerts read."""
    own = [alert for alert in monitoring.alerts if alert.expr and alert.enabled]
    return {name for alert in own for name in read_by(alert) if name in metrics.fields}
