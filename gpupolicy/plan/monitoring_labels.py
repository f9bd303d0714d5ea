"""The labels of a tenant as labels of the alerts about it."""

from __future__ import annotations

from collections.abc import Mapping

# What an alert has itself: a tenant's label of that name is left out.
OWN_LABELS = frozenset(
    {"alertname", "component", "action", "device", "gpupolicy", "pool", "severity", "tenant"}
)
# What series carry into an alert: a tenant's label would hide it, and gets a prefix.
_OF_SERIES = frozenset(
    {"GPU_I_ID", "GPU_I_PROFILE", "UUID", "alertstate", "cluster_queue", "exported_namespace"}
    | {"exported_pod", "flavor", "namespace", "node", "objective", "pod", "priority_class"}
    | {"preempting_cluster_queue", "queue_name", "resource", "sla"}
)


def rule_label(key: str) -> str:
    """Turn a Kubernetes label key into a label name of Prometheus: `[a-zA-Z_][a-zA-Z0-9_]*`."""
    name = "".join(char if char.isascii() and char.isalnum() else "_" for char in key)
    return f"_{name}" if name[0].isdigit() else name


def alert_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Give the labels that alerts about a tenant carry for it."""
    found = {}
    for key, value in labels.items():
        name = rule_label(key)
        if name in _OF_SERIES or name.startswith("__"):
            name = f"label_{name}"
        if name not in OWN_LABELS:
            found[name] = value
    return found
