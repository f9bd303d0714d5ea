"""Priority classes, for the scheduler and for Kueue."""

from __future__ import annotations

from gpupolicy.targets.priority.emit import emit
from gpupolicy.targets.priority.support import unsupported

NAME = "priority"
APIS: tuple[tuple[str, str], ...] = (
    ("scheduling.k8s.io/v1", "PriorityClass"),
    ("kueue.x-k8s.io/v1beta2", "WorkloadPriorityClass"),
    ("kueue.x-k8s.io/v1beta1", "WorkloadPriorityClass"),
)

__all__ = ["APIS", "NAME", "emit", "unsupported"]
