"""GPU Operator: Helm values of the fields that follow from the policy, or the ClusterPolicy."""

from __future__ import annotations

from gpupolicy.targets.gpu_operator.emit import emit
from gpupolicy.targets.gpu_operator.support import unsupported

NAME = "gpu_operator"
APIS: tuple[tuple[str, str], ...] = (("nvidia.com/v1", "ClusterPolicy"),)

__all__ = ["APIS", "NAME", "emit", "unsupported"]
