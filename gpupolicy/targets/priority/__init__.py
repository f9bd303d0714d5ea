"""Priority classes, for the scheduler and for Kueue."""

from __future__ import annotations

from gpupolicy.target_base import expresses_everything
from gpupolicy.targets.priority.emit import emit

NAME = "priority"
APIS: tuple[tuple[str, str], ...] = (
    ("scheduling.k8s.io/v1", "PriorityClass"),
    ("kueue.x-k8s.io/v1beta2", "WorkloadPriorityClass"),
    ("kueue.x-k8s.io/v1beta1", "WorkloadPriorityClass"),
)

unsupported = expresses_everything

__all__ = ["APIS", "NAME", "emit", "unsupported"]
