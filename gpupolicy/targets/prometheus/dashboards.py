"""Grafana dashboards: the classic JSON model, schema 42, which Grafana 11 and newer load.

Panels are of the kinds timeseries, stat, table and heatmap; those of Angular are gone from Grafana
12 on. Fields: grafana-foundation-sdk 0.0.21 models/dashboard. The sidecar of Grafana's chart reads
ConfigMaps with the label `grafana_dashboard` (kiwigrid/k8s-sidecar; kube-prometheus-stack sets the
value "1" and looks in all namespaces).
"""

from __future__ import annotations

from typing import Any

from gpupolicy.manifest.key import Data
from gpupolicy.plan.dashboard_model import DashboardPlan
from gpupolicy.plan.dashboard_model import PanelPlan

SIDECAR_LABEL = {"grafana_dashboard": "1"}
_COLUMNS = 24
_SCHEMA = 42
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
_LINE_COLOURS = ("blue", "orange", "red")
_LETTERS = "ABCDEFGH"


def config_map(dashboard: DashboardPlan, policy: str, namespace: str) -> Data:
    """Give the ConfigMap that Grafana's sidecar loads."""
    name = file_name(dashboard)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": f"gpupolicy-dashboard-{name.removesuffix('.json')}",
            "namespace": namespace,
            "labels": dict(SIDECAR_LABEL),
        },
        # Files of all ConfigMaps land in one folder of the sidecar.
        "data": {f"gpupolicy-{policy}-{name}": text(dashboard, policy)},
    }


def file_name(dashboard: DashboardPlan) -> str:
    """Name the file of a dashboard."""
    return f"{dashboard.kind}-{dashboard.name}.json" if dashboard.name else "overview.json"


def text(dashboard: DashboardPlan, policy: str) -> str:
    """Write a dashboard as Grafana's JSON."""
    import json

    return json.dumps(model(dashboard, policy), indent=1, ensure_ascii=False) + "\n"


def model(dashboard: DashboardPlan, policy: str) -> Data:
    """Make the model of a dashboard."""
    return {
        "annotations": {"list": []},
        "description": f"Compiled from the GPU policy {policy}; edits are overwritten.",
        "editable": False,
        "graphTooltip": 1,
        "id": None,
        "links": [_siblings(policy)],
        "panels": _placed(dashboard.panels),
        "refresh": "1m",
        "schemaVersion": _SCHEMA,
        "tags": ["gpupolicy", f"gpupolicy-{policy}", dashboard.kind],
        "templating": {
            "list": [_data_source(), *(_variable(*each) for each in dashboard.variables.items())]
        },
        "time": {"from": "now-6h", "to": "now"},
        "timepicker": {},
        "timezone": "browser",
        "title": dashboard.title,
        "uid": dashboard.uid,
    }


def _siblings(policy: str) -> Data:
    return {
        "asDropdown": True,
        "icon": "external link",
        "includeVars": False,
        "keepTime": True,
        "tags": [f"gpupolicy-{policy}"],
        "targetBlank": False,
        "title": "Other dashboards",
        "tooltip": "",
        "type": "dashboards",
        "url": "",
    }


def _data_source() -> Data:
    return {
        "current": {},
        "hide": 0,
        "includeAll": False,
        "label": "Data source",
        "multi": False,
        "name": "datasource",
        "options": [],
        "query": "prometheus",
        "refresh": 1,
        "regex": "",
        "type": "datasource",
    }


def _variable(name: str, query: str) -> Data:
    return {
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
        "datasource": dict(_SOURCE),
        "definition": query,
        "hide": 0,
        "includeAll": True,
        "label": name.capitalize(),
        "multi": True,
        "name": name,
        "options": [],
        "query": {"query": query, "refId": f"variable-{name}"},
        "refresh": 2,
        "regex": "",
        "sort": 1,
        "type": "query",
    }


def _placed(panels: tuple[PanelPlan, ...]) -> list[Data]:
    """Set panels from left to right; a row is as high as the highest in it."""
    placed: list[Data] = []
    left = top = height = 0
    for number, panel in enumerate(panels, 1):
        width, rows = panel.size
        if left + width > _COLUMNS:
            left, top, height = 0, top + height, 0
        grid = {"h": rows, "w": width, "x": left, "y": top}
        placed.append(_panel(panel) | {"id": number, "gridPos": grid})
        left, height = left + width, max(height, rows)
    return placed


def _panel(panel: PanelPlan) -> Data:
    return {
        "datasource": dict(_SOURCE),
        "description": panel.description,
        "fieldConfig": {"defaults": _defaults(panel), "overrides": []},
        "options": _options(panel),
        "targets": [
            _target(panel, letter, *target)
            for letter, target in zip(_LETTERS, panel.targets, strict=False)
        ],
        "title": panel.title,
        "type": panel.type,
    }


def _target(panel: PanelPlan, letter: str, expr: str, legend: str) -> Data:
    at_once = panel.type in ("stat", "table")
    formats = {"table": "table", "heatmap": "heatmap" if panel.buckets else "time_series"}
    return {
        "datasource": dict(_SOURCE),
        "editorMode": "code",
        "expr": expr,
        "format": formats.get(panel.type, "time_series"),
        "instant": at_once,
        "legendFormat": legend,
        "range": not at_once,
        "refId": letter,
    }


def _defaults(panel: PanelPlan) -> Data:
    steps = [{"color": "green", "value": None}]
    steps += [
        {"color": colour, "value": line}  # type: ignore[dict-item]
        for colour, line in zip(_LINE_COLOURS, panel.lines, strict=False)
    ]
    found: Data = {"thresholds": {"mode": "absolute", "steps": steps}, "unit": panel.unit}
    if panel.type == "timeseries":
        style = "line" if panel.lines else "off"
        found["custom"] = {
            "fillOpacity": 10,
            "lineWidth": 1,
            "showPoints": "never",
            "thresholdsStyle": {"mode": style},
        }
        if panel.unit == "percentunit":
            found |= {"min": 0, "max": 1}
    return found


def _options(panel: PanelPlan) -> dict[str, Any]:
    if panel.type == "stat":
        reduce = {"calcs": ["lastNotNull"], "fields": "", "values": False}
        return {"colorMode": "value", "graphMode": "none", "reduceOptions": reduce}
    if panel.type == "table":
        return {"showHeader": True}
    if panel.type == "heatmap":
        return {
            "calculate": not panel.buckets,
            "cellGap": 1,
            "color": {"mode": "scheme", "scheme": "Oranges", "steps": 64},
            "yAxis": {"axisPlacement": "left", "unit": panel.unit},
        }
    return {
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
        "tooltip": {"mode": "multi", "sort": "desc"},
    }
