"""The monitoring part of the plan: rules, what they need, and where alerts go.

A policy with thousands of tenants has as many copies of each rule. So a group keeps which
templates were chosen and the words of its pool or tenant, and writes its rules when it is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.plan.config_model import ConfigPlan
from gpupolicy.plan.dashboard_model import DashboardPlan
from gpupolicy.plan.monitoring_text import Text
from gpupolicy.plan.monitoring_text import Words

# How often tests evaluate (ns): every rule of a group for every case, so not more often than need
# be.
EVALUATION = 15 * 60 * 10**9


@dataclass(frozen=True, slots=True)
class RulePlan:
    """A recording or alerting rule of Prometheus; times in nanoseconds, 0 if absent."""

    name: str
    kind: Literal["record", "alert"]
    expr: str
    for_: int
    keep_firing_for: int
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RuleTest:
    """A promtool case: series in, and the alerts that must fire at a time (nanoseconds).

    `firing` lists the full label and annotation sets; empty means the alert stays silent.
    """

    alert: str
    interval: int
    series: tuple[tuple[str, str], ...]
    eval_time: int
    firing: tuple[tuple[Mapping[str, str], Mapping[str, str]], ...]


@dataclass(frozen=True, slots=True)
class CaseTemplate:
    """A case before its words are put in. `fires` None: the alert stays silent."""

    series: tuple[tuple[Text, Text], ...]
    eval_time: int
    interval: int
    fires: tuple[tuple[str, Text], ...] | None
    value: Text


@dataclass(frozen=True, slots=True)
class RuleTemplate:
    """A chosen rule before its words are put in."""

    name: str
    kind: Literal["record", "alert"]
    expr: Text
    for_: int
    keep_firing_for: int
    labels: tuple[tuple[str, Text], ...]
    annotations: tuple[tuple[str, Text], ...]
    cases: tuple[CaseTemplate, ...]


@dataclass(frozen=True, slots=True)
class RuleInstance:
    """A template with the words it is written with; `items` are those of a tenant's devices."""

    template: RuleTemplate
    words: Words
    labels: Mapping[str, str]
    items: tuple[Words, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleGroupPlan:
    """A rule group, alone in its file or object; `name` is unique in the policy.

    `tested` tells whether its tests are written.
    """

    name: str
    source: str
    instances: tuple[RuleInstance, ...]
    tested: bool = True

    @property
    def rules(self) -> Iterator[RulePlan]:
        """The rules, recordings before the alerts that read them."""
        from gpupolicy.plan.monitoring_render import rule

        return map(rule, self.instances)

    @property
    def tests(self) -> Iterator[RuleTest]:
        """The cases of all alerts."""
        from gpupolicy.plan.monitoring_render import tests

        return (test for instance in self.instances for test in tests(instance))


@dataclass(frozen=True, slots=True)
class ReceiverPlan:
    """A webhook receiver; the URL is in a Secret's key (objects) or in a file (files)."""

    name: str
    secret_name: str | None
    secret_key: str | None
    url_file: str | None


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """Alerts of one severity, or all, to a receiver."""

    severity: str | None
    receiver: str


@dataclass(frozen=True, slots=True)
class InhibitionPlan:
    """While the alert `by` fires, `alerts` with equal labels `equal` are not sent."""

    by: str
    alerts: tuple[str, ...]
    equal: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScrapePlan:
    """A component that Prometheus must be told to read: its Service by labels and port name."""

    name: str
    namespace: str
    selector: Mapping[str, str]
    port: str
    scheme: Literal["http", "https"]
    # The job of its series; in scrape configuration the job's name.
    job: str


@dataclass(frozen=True, slots=True)
class XidPlan:
    """A code of the driver as the runbook lists it: where to look first, what to do, and then."""

    code: int
    name: str
    suspect: str
    action: str
    then: str | None
    isolate: bool


@dataclass(frozen=True, slots=True)
class MonitoringPlan:
    """Everything the Prometheus room and the exporters' settings need."""

    namespace: str
    groups: tuple[RuleGroupPlan, ...]
    receivers: tuple[ReceiverPlan, ...]
    routes: tuple[RoutePlan, ...]
    dashboards: tuple[DashboardPlan, ...]
    # dcgm-exporter's counters file, if there are NVIDIA pools.
    counters: ConfigPlan | None
    # Node labels that kube-state-metrics must export for the rules.
    node_labels: tuple[str, ...]
    inhibitions: tuple[InhibitionPlan, ...] = ()
    # Exporter and schedulers that have no monitor of their own that is read.
    exporter: ScrapePlan | None = None
    scrapes: tuple[ScrapePlan, ...] = ()
    xids: tuple[XidPlan, ...] = ()
    # What was left out or cannot be said, found while the rules were chosen.
    findings: tuple[Diagnostic, ...] = ()
