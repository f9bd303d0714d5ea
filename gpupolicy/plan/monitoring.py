"""`monitoring` -> rules, their tests, exporters' settings."""

from __future__ import annotations

from gpupolicy.facts.catalog import Facts
from gpupolicy.plan.model import Plan
from gpupolicy.plan.monitoring_model import MonitoringPlan
from gpupolicy.spec.v1alpha1.monitoring import Monitoring


def lower_monitoring(spec: Monitoring, plan: Plan, facts: Facts) -> MonitoringPlan | None:
    """Decide the rules of a plan; None without Prometheus."""
    return None
