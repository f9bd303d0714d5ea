"""PriorityClass and Kueue's WorkloadPriorityClass, one function each."""

from __future__ import annotations

from gpupolicy.manifest.key import Data
from gpupolicy.plan.model import PriorityPlan
from gpupolicy.plan.model import Version

SCHEDULING = "scheduling.k8s.io/v1"
KUEUE = "kueue.x-k8s.io/v1beta2"
# Served up to Kueue 0.14; v1beta2 from 0.15 on (CRDs at the release tags).
KUEUE_OLD = "kueue.x-k8s.io/v1beta1"
_FIRST_V1BETA2 = Version(0, 15)


def priority_class(priority: PriorityPlan, *, preempts: bool) -> Data:
    """Make the class that the scheduler knows. Its value and policy are immutable."""
    data: Data = {
        "apiVersion": SCHEDULING,
        "kind": "PriorityClass",
        "metadata": {"name": priority.name},
        "value": priority.value,
        "globalDefault": priority.global_default,
        "preemptionPolicy": "PreemptLowerPriority" if preempts else "Never",
    }
    return data | _description(priority)


def workload_priority_class(priority: PriorityPlan, kueue: Version) -> Data:
    """Make the class by which Kueue orders work, with the same number."""
    data: Data = {
        "apiVersion": KUEUE if kueue >= _FIRST_V1BETA2 else KUEUE_OLD,
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": priority.name},
        "value": priority.value,
    }
    return data | _description(priority)


def _description(priority: PriorityPlan) -> Data:
    return {"description": priority.description} if priority.description else {}
