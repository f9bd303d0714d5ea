"""ClusterPolicy, complete: the operator reads every image from it.

Only one is active in a cluster, the oldest, and the chart makes one unless it is told not to
(`clusterPolicy.deployCR`, GPU Operator v26.7), so it is written for charts that can be told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpupolicy.manifest.key import Data
from gpupolicy.plan.model import Plan
from gpupolicy.targets.gpu_operator.settings import settings

NVIDIA = "nvidia.com/v1"
# The name that the chart and NVIDIA's pages use.
_NAME = "cluster-policy"
# Defaults of the CRD that the chart leaves out: written, since a GitOps tool would see a change.
_FILLED_IN: Data = {
    "cdi": {"default": False, "nriPluginEnabled": False},
    "hostPaths": {"kubeletRootDir": "/var/lib/kubelet"},
}


def cluster_policy(plan: Plan, spec: Mapping[str, Any]) -> Data:
    """Lay the policy's fields over the release's `spec`."""
    ours = settings(plan)
    if not plan.mig_strategy:
        # Absent, every node's own file says it; the field is an enumeration and takes no "".
        spec = {**spec, "mig": {}}
        del ours["mig"]
    return {
        "apiVersion": NVIDIA,
        "kind": "ClusterPolicy",
        "metadata": {"name": _NAME},
        "spec": _laid_over(_laid_over(spec, _FILLED_IN), ours),
    }


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> Data:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            value = _laid_over(old, value)
        merged[key] = value
    return merged
