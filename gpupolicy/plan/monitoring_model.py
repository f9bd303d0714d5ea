"""The monitoring part of the plan: rules, what they need, and where alerts go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gpupolicy.plan.config_model import ConfigPlan


@dataclass(frozen=True, slots=True)
class RulePlan:
    """A recording or alerting rule of Prometheus; `for_` in nanoseconds, 0 if absent."""

    name: str
    kind: Literal["record", "alert"]
    expr: str
    for_: int
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
class RuleGroupPlan:
    """A rule group, alone in its file or object; `name` is unique in the policy."""

    name: str
    source: str
    rules: tuple[RulePlan, ...]
    tests: tuple[RuleTest, ...]


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
class MonitoringPlan:
    """Everything the Prometheus room and the exporters' settings need."""

    namespace: str
    groups: tuple[RuleGroupPlan, ...]
    receivers: tuple[ReceiverPlan, ...]
    routes: tuple[RoutePlan, ...]
    dashboards: bool
    # dcgm-exporter's counters file, if there are NVIDIA pools.
    counters: ConfigPlan | None
    # Node labels that kube-state-metrics must export for the rules.
    node_labels: tuple[str, ...]
