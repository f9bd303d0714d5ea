"""PodDisruptionBudgets of declared services: a drain takes their pods one by one.

They hold back evictions by the API: drains for a new MIG layout, a driver upgrade, an autoscaler.
They do not hold back a scheduler or Kueue, which preempt without asking them, and not the loss of
a node. A pod that is not ready is let go (`AlwaysAllow`, on by default from Kubernetes 1.27 on,
pkg/registry/core/pod/storage/eviction.go), or a broken one would keep its node for ever.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.key import Data
from gpupolicy.manifest.labels import WORKLOAD_LABEL as WORKLOAD_LABEL
from gpupolicy.manifest.model import Manifest
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import WorkloadPlan

POLICY = "policy/v1"
# A budget in pods that may be away is computed from `spec.replicas` of the owner.
_SERVICES = frozenset({"Deployment", "StatefulSet"})


def services(plan: Plan) -> Iterator[WorkloadPlan]:
    """Give the workloads that get a budget; of a single pod it would forbid every drain."""
    return (w for w in plan.workloads if w.kind in _SERVICES and w.pods > 1)


def budgets(plan: Plan) -> Iterator[Manifest]:
    """Make a budget in every namespace of the tenant, since any of them may have the workload."""
    for workload in services(plan):
        for namespace in plan.tenant(workload.tenant).namespaces:
            yield Manifest("tenancy", _budget(workload, namespace), workload.source)


def _budget(workload: WorkloadPlan, namespace: str) -> Data:
    return {
        "apiVersion": POLICY,
        "kind": "PodDisruptionBudget",
        "metadata": {"name": f"gpupolicy-{workload.name}", "namespace": namespace},
        "spec": {
            "maxUnavailable": 1,
            "selector": {"matchLabels": {WORKLOAD_LABEL: workload.name}},
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        },
    }
