"""What the alerts lack, and what somebody else must set for them.

GP560 alert-without-field
    The alert reads fields that the installed dcgm-exporter does not know. One unknown line in its
    list of counters and the exporter ends, so the field is left out, and with it the alert, which
    could never fire. A newer GPU Operator brings a newer exporter. *Impossible.*

GP561 alerts-without-data
    Some metrics are not there for a pool, and alerts on them would look like health. XIDs of a
    GPU that is cut into MIG instances are booked on the instances, and the exporter does not read
    them there: watch the kernel log. Who uses how much of a time-sliced or MPS device the
    exporter cannot tell: only the pool as a whole is watched. The alerts are left out.
    *Impossible.*

GP562 node-labels-hidden
    Rules find the nodes of a pool by the label `gpupolicy.dev/pool`, and kube-state-metrics shows
    no label that its `metricLabelsAllowlist` does not name. It is not ours to install: the values
    stand in `files/kube-state-metrics-values.yaml`. Until then the alert `pool-labels-missing`
    fires and the others about pools have no data.

GP563 alertmanager-namespace
    prometheus-operator adds a matcher for the object's own namespace to every route of an
    AlertmanagerConfig, and alerts about GPUs carry another namespace or none, so that they never
    arrive. Set `alertmanagerConfigMatcherStrategy: {type: None}` in the Alertmanager object.

GP565 burn-rate-unreachable
    An objective leaves a part that may be late, and an alert fires when late work is a multiple
    of it: 14.4 times in an hour, 6 times in six. If that is more than everything, the alert could
    never fire, and is left out; the slow one, over three days, is there for every objective.
    *Approximated.*

GP566 threshold-never-fires
    Nothing is below 0% or above 100%: with this threshold the alert would always be silent.

GP567 queue-wait-approximated
    Only Kueue counts how long work waits, class by class. With Volcano the objective is watched
    by the alert for queues in which something waits all the time. *Approximated.*

GP568 metric-unknown
    The alert's own expression reads a metric that the installed dcgm-exporter does not know, or
    that nothing publishes though it is found in public examples.

GP569 alert-name-taken
    Two alerts get the same name in Prometheus: `GpuPolicy` and the name in the policy, words
    joined, without a leading `gpu-`.

GP570 alerts-end-early
    Alerts on XIDs look at a window of five minutes, and are kept up longer by
    `keep_firing_for`, which Prometheus knows from 2.42 on. They are written without it.
    *Approximated.*

GP571 receivers-without-routes
    Receivers are named and no route leads to them, so nothing is sent. Add a route; one without
    `severity` takes every alert.

GP572 queue-wait-below-buckets
    Waiting times are counted in buckets, and the bound is below the first one: of what was
    faster than that bucket nobody knows how much was faster than the objective. Only the alert for
    work that is not let in at all is left. *Approximated.*

GP573 objective-only-watched
    Some objectives nothing in the cluster enforces. Kueue has no deadline for waiting: it lets work
    in by priority and quota, however long it waits. A latency is the server's own doing. Alerts on
    the burning of the error budget tell when such an objective is at risk; what keeps it is a
    guarantee that is large enough.

GP574 dashboards-by-label
    Dashboards are ConfigMaps with the label `grafana_dashboard: "1"`, and it is a sidecar beside
    Grafana that loads them: the common Prometheus stack has it and looks in all namespaces.
    Elsewhere set `sidecar.dashboards.enabled` and `searchNamespace` in Grafana's values, or write
    `prometheus: {write: files}` and provide the JSON files.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan
from gpupolicy.plan.monitoring_model import MonitoringPlan

_MONITORING: Path = ("spec", "monitoring")
_PROMETHEUS: Path = ("spec", "platform", "prometheus")


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find what has no data, what others must set, and what is not written."""
    monitoring = plan.monitoring
    if monitoring is None:
        return
    yield from monitoring.findings
    yield _labels(monitoring)
    yield from _routes(plan, monitoring)
    if monitoring.dashboards and plan.platform.prometheus_write == "objects":
        yield Diagnostic(
            "GP574",
            f"Grafana shows the {len(monitoring.dashboards)} dashboards where its sidecar reads "
            f"ConfigMaps with the label grafana_dashboard in namespace '{monitoring.namespace}'",
            (*_MONITORING, "dashboards"),
            severity=Severity.NOTE,
        )


def _labels(monitoring: MonitoringPlan) -> Diagnostic:
    return Diagnostic(
        "GP562",
        f"kube-state-metrics must show the node labels {' and '.join(monitoring.node_labels)}: "
        "its values are in files/kube-state-metrics-values.yaml",
        _PROMETHEUS,
        part="key",
        severity=Severity.NOTE,
    )


def _routes(plan: Plan, monitoring: MonitoringPlan) -> Iterator[Diagnostic]:
    if monitoring.receivers and not monitoring.routes:
        yield Diagnostic(
            "GP571",
            "no route leads to the receivers, so nothing is sent",
            (*_MONITORING, "receivers"),
            part="key",
            severity=Severity.WARNING,
            hint=f"write 'routes: [{{receiver: {monitoring.receivers[0].name}}}]'",
        )
    elif monitoring.routes and plan.platform.prometheus_write == "objects":
        yield Diagnostic(
            "GP563",
            "alerts arrive only where Alertmanager does not add a matcher for the namespace "
            f"'{monitoring.namespace}'",
            (*_MONITORING, "routes"),
            part="key",
            severity=Severity.WARNING,
            hint="set 'alertmanagerConfigMatcherStrategy: {type: None}' in the Alertmanager object",
        )
