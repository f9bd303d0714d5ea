"""How work names its queue, and who places and controls it, by the holder of quota.

Sources: Kueue v0.19 (pkg/controller/constants, charts/kueue), Volcano v1.15 (pkg/controllers:
the queue of a plain workload stands on the pod template, that of a Volcano Job in its spec), KAI
v0.12 (pkg/podgrouper: the top owner's label, else the pod's).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpupolicy.plan.model import Plan

KUEUE_QUEUE = "kueue.x-k8s.io/queue-name"
KUEUE_PRIORITY = "kueue.x-k8s.io/priority-class"
KUEUE_MAX_RUN = "kueue.x-k8s.io/max-exec-time-seconds"
VOLCANO_QUEUE = "scheduling.volcano.sh/queue-name"
KAI_QUEUE = "kai.scheduler/queue"

_SCHEDULERS = {
    "kueue": "default-scheduler",
    "none": "default-scheduler",
    "volcano": "volcano",
    "kai": "kai-scheduler",
}
_JOB_CONTROLLER = "system:serviceaccount:kube-system:job-controller"
_STATEFUL_SET_CONTROLLER = "system:serviceaccount:kube-system:statefulset-controller"
# A controller manager that runs without a service account for each controller.
_ONE_IDENTITY = "system:kube-controller-manager"
_MPI = "system:serviceaccount:mpi-operator:mpi-operator"
_RAY = "system:serviceaccount:kuberay-system:kuberay-operator"
_KUBEFLOW = "system:serviceaccount:kubeflow:training-operator"

# Who may make a pod for a Job or StatefulSet that was checked itself.
POD_CONTROLLERS = (_JOB_CONTROLLER, _STATEFUL_SET_CONTROLLER, _ONE_IDENTITY)
# Operators that make pods themselves, for jobs that were checked themselves.
OPERATORS = (_MPI, _RAY, _KUBEFLOW)
# Controllers whose workloads are children of others that were checked.
_CONTROLLERS = (
    _ONE_IDENTITY,
    "system:serviceaccount:jobset-system:jobset-controller-manager",
    "system:serviceaccount:lws-system:lws-controller-manager",
    "system:serviceaccount:kubeflow-system:trainer-controller-manager",
    _MPI,
    _RAY,
)
_ACCOUNTS = {
    "kueue": "kueue-controller-manager",
    "volcano": "volcano-controllers",
    "kai": "pod-grouper",
}


@dataclass(frozen=True, slots=True)
class Queueing:
    """The word for a queue on a pod: a label or an annotation."""

    holder: Literal["kueue", "volcano", "kai"]
    key: str
    place: Literal["label", "annotation"]
    # The service account of the holder's own controller.
    account: str

    @property
    def controllers(self) -> tuple[str, ...]:
        """Name the identities whose workloads are children of checked ones."""
        return (*_CONTROLLERS, self.account)


def queueing(plan: Plan) -> Queueing | None:
    """Give the word for queues; None where there are none."""
    holder = plan.quota_holder
    if holder == "resourceQuota":
        return None
    component = plan.platform.component(holder)
    namespace = component.namespace if component else f"{holder}-system"
    account = f"system:serviceaccount:{namespace}:{_ACCOUNTS[holder]}"
    if holder == "volcano":
        return Queueing(holder, VOLCANO_QUEUE, "annotation", account)
    return Queueing(holder, KUEUE_QUEUE if holder == "kueue" else KAI_QUEUE, "label", account)


def controllers(plan: Plan) -> tuple[str, ...]:
    """Name the identities whose workloads are children of checked ones."""
    word = queueing(plan)
    return word.controllers if word else _CONTROLLERS


def scheduler(plan: Plan) -> str:
    """Name the scheduler that places every pod with a GPU: that of the gang holder."""
    return _SCHEDULERS[plan.gang_holder]
