"""The pods of a workload: what they ask for, where they may run, what they may do there.

The security context is that of Pod Security's level `restricted` (Kubernetes 1.34,
staging/src/k8s.io/pod-security-admission/policy), except that work with RDMA needs IPC_LOCK.
"""

from __future__ import annotations

from typing import Any

from gpupolicy.manifest.labels import WORKLOAD_LABEL
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.plan.names import POOL_LABEL
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.quantity import format_resource
from gpupolicy.targets.workloads import queueing

Data = dict[str, Any]

IMAGE = "registry.example.com/fill-in:1"
CHECKPOINTS = "checkpoints"
# NCCL and data loaders share memory; a container has 64 MiB of it by default.
_MOST_SHARED_MIB = 64 * 1024
_SHARED_WITHOUT_MEMORY_MIB = 8 * 1024
_SCHEDULERS = {"volcano": "volcano", "kai": "kai-scheduler"}
_USER = 1000


def template(
    plan: Plan, workload: WorkloadPlan, container: Data, *, restart: str | None, alone: bool = False
) -> Data:
    """Make a pod template around a container; `restart` is left out where the owner says it."""
    metadata: Data = {"labels": pod_labels(workload)}
    annotations = queueing.pod_annotations(plan, workload, alone=alone)
    if annotations:
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": _spec(plan, workload, container, restart)}


def pod_labels(workload: WorkloadPlan) -> dict[str, str]:
    """Give the labels by which a service and a disruption budget find the pods."""
    return {WORKLOAD_LABEL: workload.name}


def _spec(plan: Plan, workload: WorkloadPlan, container: Data, restart: str | None) -> Data:
    pool = plan.pool(workload.pool)
    spec: Data = {"restartPolicy": restart} if restart else {}
    if workload.priority_class:
        spec["priorityClassName"] = workload.priority_class
    if workload.resource and plan.gang_holder in _SCHEDULERS:
        spec["schedulerName"] = _SCHEDULERS[plan.gang_holder]
    spec["nodeSelector"] = {POOL_LABEL: pool.name}
    if rows := tolerations(plan, pool):
        spec["tolerations"] = rows
    spec["automountServiceAccountToken"] = False
    spec["securityContext"] = pod_security()
    spec["containers"] = [container]
    if found := volumes(workload):
        spec["volumes"] = found
    return spec


def tolerations(plan: Plan, pool: PoolPlan) -> list[Data]:
    """Tolerate the pool's taints; Kueue writes them into what it starts."""
    if plan.quota_holder == "kueue":
        return []
    rows = []
    for taint in pool.node.taints:
        if taint.effect != "PreferNoSchedule":
            how = {"operator": "Equal", "value": taint.value} if taint.value else {}
            rows.append(
                {"key": taint.key, **(how or {"operator": "Exists"}), "effect": taint.effect}
            )
    return rows


def pod_security() -> Data:
    """Give the security context of a pod; the group may write to claims."""
    return {
        "runAsNonRoot": True,
        "runAsUser": _USER,
        "runAsGroup": _USER,
        "fsGroup": _USER,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def container_security(workload: WorkloadPlan) -> Data:
    """Give the security context of a container; RDMA pins memory, which needs a capability."""
    capabilities: Data = {"drop": ["ALL"]}
    if uses_rdma(workload):
        capabilities["add"] = ["IPC_LOCK"]
    return {"allowPrivilegeEscalation": False, "capabilities": capabilities}


def uses_rdma(workload: WorkloadPlan) -> bool:
    """Tell whether the pods ask for RDMA devices."""
    return any(resource.startswith("rdma/") for resource in workload.requests)


def container(workload: WorkloadPlan, name: str, fields: Data) -> Data:
    """Make a container; `fields` stand between its image and its resources."""
    made: Data = {"name": name, "image": IMAGE, **fields, "resources": resources(workload)}
    if mounts := volume_mounts(workload):
        made["volumeMounts"] = mounts
    made["securityContext"] = container_security(workload)
    return made


def resources(workload: WorkloadPlan) -> Data:
    """Give requests, and limits for all but cpu, which only slows down what is above it."""
    asked = workload.requests or {"cpu": 1000, "memory": 2048}
    requests = {key: format_resource(key, asked[key]) for key in sorted(asked)}
    limits = {key: value for key, value in requests.items() if key != "cpu"}
    return {"requests": requests, "limits": limits} if limits else {"requests": requests}


def volumes(workload: WorkloadPlan) -> list[Data]:
    """Give shared memory for work with GPUs, and the claim for what it must not lose."""
    found: list[Data] = []
    if workload.resource:
        limit = format_resource("memory", _shared_mib(workload))
        found.append({"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": limit}})
    if keeps_checkpoints(workload):
        found.append(
            {"name": CHECKPOINTS, "persistentVolumeClaim": {"claimName": claim_name(workload)}}
        )
    return found


def volume_mounts(workload: WorkloadPlan) -> list[Data]:
    """Mount the volumes."""
    mounts = [{"name": "shm", "mountPath": "/dev/shm"}] if workload.resource else []  # noqa: S108
    if keeps_checkpoints(workload):
        mounts.append({"name": CHECKPOINTS, "mountPath": f"/{CHECKPOINTS}"})
    return mounts


def keeps_checkpoints(workload: WorkloadPlan) -> bool:
    """Tell whether the work comes to an end, and so has something to go on from."""
    return workload.kind not in ("Deployment", "StatefulSet")


def claim_name(workload: WorkloadPlan) -> str:
    """Name the claim of the checkpoints."""
    return f"{workload.name}-{CHECKPOINTS}"


def _shared_mib(workload: WorkloadPlan) -> int:
    """Take a quarter of the pod's memory at most, since it counts against that."""
    memory = workload.requests.get("memory", 0)
    return min(_MOST_SHARED_MIB, memory // 4) if memory >= 4 else _SHARED_WITHOUT_MEMORY_MIB
