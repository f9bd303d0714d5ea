"""Dashboards in the plan: what is drawn, no schema of Grafana's in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class PanelPlan:
    """A panel before its words are put in. `size` is width in 24ths of the page and height in rows.

    `targets` are pairs of expression and legend; `lines` are thresholds to draw.
    """

    title: str
    description: str
    type: Literal["timeseries", "stat", "table", "heatmap"]
    unit: str
    size: tuple[int, int]
    targets: tuple[tuple[str, str], ...]
    lines: tuple[float, ...] = ()
    buckets: bool = False


@dataclass(frozen=True, slots=True)
class DashboardPlan:
    """A dashboard about the policy (`name` is empty), a pool, a tenant or an SLA.

    `uid` is stable and unique in a Grafana; `variables` are queries that list values, by name.
    """

    kind: Literal["policy", "pool", "tenant", "sla"]
    name: str
    uid: str
    title: str
    source: str
    panels: tuple[PanelPlan, ...]
    variables: Mapping[str, str]
