"""One pure function a kind.

Fields: prometheus-operator v0.93 pkg/apis/monitoring/v1 and v1alpha1. Labels are those by which
the installed Prometheus selects its rules and monitors.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpupolicy.manifest.key import Data
from gpupolicy.plan.config_model import ConfigPlan
from gpupolicy.plan.monitoring_model import InhibitionPlan
from gpupolicy.plan.monitoring_model import MonitoringPlan
from gpupolicy.plan.monitoring_model import ReceiverPlan
from gpupolicy.plan.monitoring_model import RoutePlan
from gpupolicy.plan.monitoring_model import ScrapePlan
from gpupolicy.targets.prometheus.alertmanager import GROUPING
from gpupolicy.targets.prometheus.alertmanager import NOBODY

_MONITORING = "monitoring.coreos.com"
INTERVAL = "30s"
TIMEOUT = "10s"
TOKEN_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/token"  # noqa: S105 - a path


def _metadata(name: str, namespace: str, labels: Mapping[str, str]) -> Data:
    metadata: Data = {"name": name, "namespace": namespace}
    return metadata | ({"labels": dict(labels)} if labels else {})


def counters(config: ConfigPlan) -> Data:
    """Give the exporter's list of counters."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": config.name, "namespace": config.namespace},
        "data": dict(config.files),
    }


def rule(name: str, namespace: str, labels: Mapping[str, str], groups: list[Data]) -> Data:
    """Give the rules of a pool, a tenant or the policy; alone, each is far below every limit."""
    return {
        "apiVersion": f"{_MONITORING}/v1",
        "kind": "PrometheusRule",
        "metadata": _metadata(name, namespace, labels),
        "spec": {"groups": groups},
    }


def service_monitor(scrape: ScrapePlan, labels: Mapping[str, str]) -> Data:
    """Read a component that has no monitor of its own, or one that nobody selects.

    Over https the component asks who reads, and has a certificate that it made itself
    (kueue v0.19 charts/kueue/templates/prometheus/monitor.yaml).
    """
    endpoint: Data = {
        "port": scrape.port,
        "path": "/metrics",
        "scheme": scrape.scheme,
        "interval": INTERVAL,
        "scrapeTimeout": TIMEOUT,
        "honorLabels": False,
    }
    if scrape.scheme == "https":
        endpoint["bearerTokenFile"] = TOKEN_FILE
        endpoint["tlsConfig"] = {"insecureSkipVerify": True}
    return {
        "apiVersion": f"{_MONITORING}/v1",
        "kind": "ServiceMonitor",
        "metadata": _metadata(f"gpupolicy-{scrape.name}", scrape.namespace, labels),
        "spec": {"endpoints": [endpoint], "selector": {"matchLabels": dict(scrape.selector)}},
    }


def alertmanager_config(policy: str, monitoring: MonitoringPlan, labels: Mapping[str, str]) -> Data:
    """Send the policy's alerts to its receivers, by severity, the first match counting."""
    return {
        "apiVersion": f"{_MONITORING}/v1alpha1",
        "kind": "AlertmanagerConfig",
        "metadata": _metadata("gpupolicy", monitoring.namespace, labels),
        "spec": {
            "route": {
                "receiver": NOBODY,
                "groupBy": GROUPING["group_by"],
                "groupWait": GROUPING["group_wait"],
                "groupInterval": GROUPING["group_interval"],
                "repeatInterval": GROUPING["repeat_interval"],
                "matchers": [_matcher("gpupolicy", policy)],
                "routes": [
                    {"receiver": route.receiver}
                    | (
                        {"matchers": [_matcher("severity", route.severity)]}
                        if route.severity
                        else {}
                    )
                    for route in monitoring.routes
                ],
            },
            "receivers": [{"name": NOBODY}, *map(_receiver, monitoring.receivers)],
            "inhibitRules": [_inhibition(policy, each) for each in monitoring.inhibitions],
        },
    }


def _route(route: RoutePlan) -> Data:
    if route.severity is None:
        return {"receiver": route.receiver}
    return {"receiver": route.receiver, "matchers": [_matcher("severity", route.severity)]}


def _matcher(name: str, value: str, kind: str = "=") -> Data:
    return {"name": name, "value": value, "matchType": kind}


def _receiver(receiver: ReceiverPlan) -> Data:
    secret = {"name": receiver.secret_name, "key": receiver.secret_key}
    return {
        "name": receiver.name,
        "webhookConfigs": [{"urlSecret": secret, "sendResolved": True}],
    }


def _inhibition(policy: str, inhibition: InhibitionPlan) -> Data:
    alerts = "|".join(inhibition.alerts)
    return {
        "sourceMatch": [_matcher("gpupolicy", policy), _matcher("alertname", inhibition.by)],
        "targetMatch": [_matcher("gpupolicy", policy), _matcher("alertname", alerts, "=~")],
        "equal": list(inhibition.equal),
    }
