"""dcgm-exporter's list of counters: the release's own list, and what the rules need beside it.

A list replaces the exporter's own, and an exporter ends at a line that it does not know, so every
field is one that the installed release has (dcgm-exporter internal/pkg/counters). The operator
reads the key `dcgm-metrics.csv` (gpu-operator v26.7 controllers/object_controls.go).
"""

from __future__ import annotations

from collections.abc import Collection

from gpupolicy.facts.metrics import Metrics
from gpupolicy.plan import names
from gpupolicy.plan.config_model import ConfigPlan

_KEY = "dcgm-metrics.csv"


def counters(
    metrics: Metrics, exporter: str | None, needed: Collection[str], namespace: str
) -> ConfigPlan | None:
    """Make the list; None if the exporter's own has all that is needed, or there is none."""
    if exporter is None:
        return None
    default = metrics.default_fields(exporter)
    own = {field.name for field in default}
    more = [
        field
        for field in metrics.fields.values()
        if field.name in needed and field.name not in own and field.known_to(exporter)
    ]
    if not more:
        return None
    lines = [
        f"{field.name}, {field.type_at(exporter)}, {field.help}\n" for field in (*default, *more)
    ]
    files = {_KEY: "# DCGM field, type, help\n" + "".join(lines)}
    return ConfigPlan(names.counters(files), namespace, files)
