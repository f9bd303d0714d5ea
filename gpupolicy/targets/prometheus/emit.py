"""Walk the plan: objects for prometheus-operator, or files for a plain Prometheus.

The promtool tests are written in both cases, and with objects the plain rule files that they read
as well: promtool does not take a PrometheusRule. So what the cluster gets can be tested as it is,
by `promtool test rules files/prometheus/tests/*.yaml`, without a tool that takes objects apart.
Which groups are tested the plan says: all, but of more than 200 tenants one of each kind.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile
from gpupolicy.plan.model import Plan
from gpupolicy.plan.monitoring_model import MonitoringPlan
from gpupolicy.targets.prometheus import alertmanager
from gpupolicy.targets.prometheus import dashboards
from gpupolicy.targets.prometheus import objects
from gpupolicy.targets.prometheus import scraping
from gpupolicy.targets.prometheus.rules import groups
from gpupolicy.targets.prometheus.runbook import runbook
from gpupolicy.targets.prometheus.tests import test_file

_ROOM = "prometheus"


def emit(plan: Plan) -> Iterator[Manifest | PlainFile]:
    """Make everything that watches; nothing without Prometheus."""
    monitoring = plan.monitoring
    if monitoring is None:
        return
    as_objects = plan.platform.prometheus_write == "objects"
    if monitoring.counters:
        yield Manifest(_ROOM, objects.counters(monitoring.counters), "monitoring")
    yield from _rules(plan, monitoring, as_objects=as_objects)
    yield from _endpoints(plan, monitoring, as_objects=as_objects)
    yield from _dashboards(plan, monitoring, as_objects=as_objects)
    yield from runbook(plan, monitoring)
    values = scraping.kube_state_metrics_values(monitoring)
    yield PlainFile(_ROOM, "kube-state-metrics-values.yaml", values)


def _rules(
    plan: Plan, monitoring: MonitoringPlan, *, as_objects: bool
) -> Iterator[Manifest | PlainFile]:
    for group in monitoring.groups:
        data = groups(group)
        if as_objects:
            rule = objects.rule(group.name, monitoring.namespace, _labels(plan), data)
            yield Manifest(_ROOM, rule, group.source)
        if group.tested or not as_objects:
            yield PlainFile(_ROOM, f"prometheus/rules/{group.name}.yaml", dump({"groups": data}))
        tests = test_file(group) if group.tested else None
        if tests is not None:
            yield PlainFile(_ROOM, f"prometheus/tests/{group.name}.yaml", dump(tests))


def _endpoints(
    plan: Plan, monitoring: MonitoringPlan, *, as_objects: bool
) -> Iterator[Manifest | PlainFile]:
    if as_objects:
        for scrape in monitoring.scrapes:
            monitor = objects.service_monitor(scrape, _labels(plan))
            yield Manifest(_ROOM, monitor, "platform.prometheus")
        if monitoring.routes:
            config = objects.alertmanager_config(plan.name, monitoring, _labels(plan))
            yield Manifest(_ROOM, config, "monitoring.routes")
        return
    yield PlainFile(_ROOM, "prometheus/scrape.yaml", dump(scraping.configuration(monitoring)))
    if monitoring.routes:
        text = dump(alertmanager.configuration(plan.name, monitoring))
        yield PlainFile(_ROOM, "alertmanager.yaml", text)


def _dashboards(
    plan: Plan, monitoring: MonitoringPlan, *, as_objects: bool
) -> Iterator[Manifest | PlainFile]:
    for dashboard in monitoring.dashboards:
        if as_objects:
            data = dashboards.config_map(dashboard, plan.name, monitoring.namespace)
            yield Manifest(_ROOM, data, dashboard.source)
        else:
            path = f"grafana/{dashboards.file_name(dashboard)}"
            yield PlainFile(_ROOM, path, dashboards.text(dashboard, plan.name))


def _labels(plan: Plan) -> dict[str, str]:
    return dict(plan.platform.prometheus_labels)
