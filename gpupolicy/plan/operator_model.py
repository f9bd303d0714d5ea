"""`GpuOperatorPlan`: what the installed release of the GPU Operator brings along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class GpuOperatorPlan:
    """Defaults of the release's chart that a list of ours replaces, or an object completes.

    Tolerations are those of Kubernetes, as plain data. `cluster_policy` is the `spec` with every
    image, which is not to be changed in place; None where the chart makes that object in any case.
    """

    daemonset_tolerations: tuple[Mapping[str, str], ...]
    nfd_worker_tolerations: tuple[Mapping[str, str], ...]
    cluster_policy: Mapping[str, Any] | None
