"""Prometheus: rules with their tests, what to scrape, where alerts go, what the exporter counts."""

from __future__ import annotations

from gpupolicy.targets.prometheus.emit import emit
from gpupolicy.targets.prometheus.support import unsupported

NAME = "prometheus"
APIS = (
    ("monitoring.coreos.com/v1", "PrometheusRule"),
    ("monitoring.coreos.com/v1", "ServiceMonitor"),
    ("monitoring.coreos.com/v1alpha1", "AlertmanagerConfig"),
    ("v1", "ConfigMap"),
)

__all__ = ["APIS", "NAME", "emit", "unsupported"]
