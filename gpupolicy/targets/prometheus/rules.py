"""Rule groups, in the form that rule files and PrometheusRule have in common."""

from __future__ import annotations

from gpupolicy.manifest.key import Data
from gpupolicy.plan.monitoring_model import RuleGroupPlan
from gpupolicy.plan.monitoring_model import RulePlan
from gpupolicy.quantity import format_prometheus_duration


def groups(group: RuleGroupPlan) -> list[Data]:
    """Give the one group of a file; rules of a group are evaluated in their order."""
    return [{"name": group.name, "rules": [_rule(rule) for rule in group.rules]}]


def _rule(rule: RulePlan) -> Data:
    data: Data = {rule.kind: rule.name, "expr": rule.expr}
    if rule.for_:
        data["for"] = format_prometheus_duration(rule.for_)
    if rule.keep_firing_for:
        data["keep_firing_for"] = format_prometheus_duration(rule.keep_firing_for)
    if rule.labels:
        data["labels"] = dict(rule.labels)
    if rule.annotations:
        data["annotations"] = dict(rule.annotations)
    return data
