"""The panels of the dashboards, as data: what is drawn, for what, and from which metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from typing import Literal

from gpupolicy.facts.alerts import filled
from gpupolicy.facts.metrics import metrics
from gpupolicy.facts.read import source_texts
from gpupolicy.facts.read import yaml_of

_NAME = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")

PanelScope = Literal["policy", "pool", "tenant", "sla", "objective"]
PanelType = Literal["timeseries", "stat", "table", "heatmap"]


@dataclass(frozen=True, slots=True)
class PanelForm:
    """One way to draw a panel: conditions, (expression, legend) pairs, the exporter's fields."""

    when: tuple[str, ...]
    targets: tuple[tuple[str, str], ...]
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PanelFact:
    """A panel. `size` is width in 24ths of the page and height in rows.

    `unit` is Grafana's id of it (`percentunit` is 0 to 1), `lines` are thresholds to draw,
    `buckets` tells that the series of a heatmap are the buckets of a histogram.
    """

    title: str
    scope: PanelScope
    type: PanelType
    unit: str
    size: tuple[int, int]
    description: str
    lines: tuple[float, ...]
    buckets: bool
    forms: tuple[PanelForm, ...]


@cache
def panels() -> tuple[PanelFact, ...]:
    """Return all panels in the order in which they are drawn."""
    return tuple(map(_panel, yaml_of("dashboards.yaml")["panels"]))


def node_values() -> str:
    """Return the query that lists a pool's nodes; `%{pool}` is its name."""
    text: str = yaml_of("dashboards.yaml")["nodes"]
    return text


def sources() -> tuple[str, ...]:
    """Return the sources as text."""
    return source_texts(tuple(yaml_of("dashboards.yaml")["sources"]))


def _panel(row: dict[str, Any]) -> PanelFact:
    width, height = row["size"]
    return PanelFact(
        title=row["title"],
        scope=row["scope"],
        type=row["type"],
        unit=row["unit"],
        size=(width, height),
        description=row["description"],
        lines=tuple(row.get("lines", ())),
        buckets=row.get("buckets", False),
        forms=tuple(_forms(row)),
    )


def _forms(row: dict[str, Any]) -> Iterator[PanelForm]:
    known = metrics().fields
    for form in row.get("forms", (row,)):
        targets = tuple(
            (filled(target["expr"], {}), target.get("legend", "")) for target in form["targets"]
        )
        read = [name for expr, _ in targets for name in _NAME.findall(expr) if name in known]
        yield PanelForm(tuple(form.get("when", ())), targets, tuple(dict.fromkeys(read)))
