"""Alertmanager's own configuration file, for a Prometheus without the operator.

`url_file` came with Alertmanager 0.26 (config/notifiers.go). Intervals of 0 are refused.
"""

from __future__ import annotations

from typing import Any

from gpupolicy.manifest.key import Data
from gpupolicy.plan.monitoring_model import InhibitionPlan
from gpupolicy.plan.monitoring_model import MonitoringPlan
from gpupolicy.plan.monitoring_model import ReceiverPlan
from gpupolicy.plan.monitoring_model import RoutePlan

# Takes what no route wants: a receiver without an integration.
NOBODY = "gpupolicy-nobody"
GROUPING: dict[str, Any] = {
    "group_by": ["alertname", "pool", "tenant"],
    "group_wait": "30s",
    "group_interval": "5m",
    "repeat_interval": "4h",
}


def configuration(policy: str, monitoring: MonitoringPlan) -> Data:
    """Give a configuration that is complete by itself; its route can be put below another."""
    return {
        "route": {
            "receiver": NOBODY,
            "routes": [
                {
                    "receiver": NOBODY,
                    "matchers": [f'gpupolicy="{policy}"'],
                    **GROUPING,
                    "routes": [_route(route) for route in monitoring.routes],
                }
            ],
        },
        "inhibit_rules": [_inhibition(policy, each) for each in monitoring.inhibitions],
        "receivers": [{"name": NOBODY}, *map(_receiver, monitoring.receivers)],
    }


def _route(route: RoutePlan) -> Data:
    if route.severity is None:
        return {"receiver": route.receiver}
    return {"receiver": route.receiver, "matchers": [f'severity="{route.severity}"']}


def _receiver(receiver: ReceiverPlan) -> Data:
    hook = {"url_file": receiver.url_file, "send_resolved": True}
    return {"name": receiver.name, "webhook_configs": [hook]}


def _inhibition(policy: str, inhibition: InhibitionPlan) -> Data:
    ours, alerts = f'gpupolicy="{policy}"', "|".join(inhibition.alerts)
    return {
        "source_matchers": [ours, f'alertname="{inhibition.by}"'],
        "target_matchers": [ours, f'alertname=~"{alerts}"'],
        "equal": list(inhibition.equal),
    }
