"""Work that goes on: a Deployment that serves, a StatefulSet that keeps what is somebody's own.

How long a start may take is reckoned from the GPU memory that the workload declares: its weights
come from storage at 200 MiB a second (a network volume; a choice of ours), after two minutes for
the image and the compiler. Until then neither the liveness probe nor the load reaches it.
"""

from __future__ import annotations

from typing import Any

from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.targets.workloads import pods
from gpupolicy.targets.workloads import queueing

Data = dict[str, Any]

_LOAD_MIB_PER_SECOND = 200
_BEFORE_LOADING = 120
_PERIOD = 10
_LEAST_TRIES = 30
_HTTP = 8000
_NOTEBOOK = 8888


def start_seconds(workload: WorkloadPlan) -> int:
    """Give how long a pod may take to start."""
    loaded = (workload.gpu_memory_mib or 0) * max(workload.gpus_per_pod, 1)
    return _tries(loaded) * _PERIOD


def _tries(loaded_mib: int) -> int:
    seconds = _BEFORE_LOADING + -(-loaded_mib // _LOAD_MIB_PER_SECOND)
    return max(_LEAST_TRIES, -(-seconds // _PERIOD))


def deployment(plan: Plan, workload: WorkloadPlan, namespace: str) -> list[Data]:
    """Make a Deployment and its Service; it surges only where the tenant can have a device more."""
    answers = {"httpGet": {"path": "/health", "port": "http"}}
    spec = {
        "replicas": workload.pods,
        "strategy": {"type": "RollingUpdate", "rollingUpdate": _rolling(plan, workload)},
        "selector": {"matchLabels": pods.pod_labels(workload)},
        "template": _template(plan, workload, "serve", answers, _HTTP, alone=True),
    }
    metadata = _metadata(plan, workload, namespace)
    made = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    return [_service(workload, namespace, _HTTP), made]


def _rolling(plan: Plan, workload: WorkloadPlan) -> Data:
    needed = (workload.pods + 1) * workload.gpus_per_pod
    reach = [
        line.reach
        for line in plan.tenant(workload.tenant).lines
        if (line.pool, line.device) == (workload.pool, workload.device)
    ]
    if workload.device is None or any(needed <= most for most in reach):
        return {"maxSurge": 1, "maxUnavailable": 0}
    return {"maxSurge": 0, "maxUnavailable": 1}


def stateful_set(plan: Plan, workload: WorkloadPlan, namespace: str) -> list[Data]:
    """Make a StatefulSet; all pods are made at once, since a queue lets them in together."""
    answers = {"tcpSocket": {"port": "http"}}
    spec: Data = {
        "replicas": workload.pods,
        "serviceName": dns_name(workload.name),
        "podManagementPolicy": "Parallel",
        "selector": {"matchLabels": pods.pod_labels(workload)},
        "template": _template(plan, workload, "main", answers, _NOTEBOOK, alone=False),
        "volumeClaimTemplates": [
            {
                "metadata": {"name": "home"},
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": "50Gi"}},
                },
            }
        ],
    }
    container = spec["template"]["spec"]["containers"][0]
    container.setdefault("volumeMounts", []).append({"name": "home", "mountPath": "/home/user"})
    metadata = _metadata(plan, workload, namespace)
    annotations = queueing.owner_annotations(plan, workload) if plan.gang_holder != "kueue" else {}
    if annotations:
        metadata["annotations"] = annotations
    made = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": spec}
    return [headless(workload, namespace, _NOTEBOOK, "http"), made]


def _template(
    plan: Plan, workload: WorkloadPlan, name: str, answers: Data, port: int, *, alone: bool
) -> Data:
    loaded = (workload.gpu_memory_mib or 0) * max(workload.gpus_per_pod, 1)
    fields = {
        "ports": [{"name": "http", "containerPort": port}],
        "startupProbe": answers | {"periodSeconds": _PERIOD, "failureThreshold": _tries(loaded)},
        "readinessProbe": answers | {"periodSeconds": 5, "failureThreshold": 3},
        "livenessProbe": answers | {"periodSeconds": _PERIOD, "failureThreshold": 6},
    }
    container = pods.container(workload, name, fields)
    return pods.template(plan, workload, container, restart="Always", alone=alone)


def _metadata(plan: Plan, workload: WorkloadPlan, namespace: str) -> Data:
    labels = {**pods.pod_labels(workload), **queueing.object_labels(plan, workload, ends=False)}
    return {"name": workload.name, "namespace": namespace, "labels": labels}


def _service(workload: WorkloadPlan, namespace: str, port: int) -> Data:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": dns_name(workload.name), "namespace": namespace},
        "spec": {
            "selector": pods.pod_labels(workload),
            "ports": [{"name": "http", "port": port, "targetPort": "http"}],
        },
    }


def headless(workload: WorkloadPlan, namespace: str, port: int, name: str) -> Data:
    """Make the Service that gives every pod a name, ready or not."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": dns_name(workload.name), "namespace": namespace},
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": pods.pod_labels(workload),
            "ports": [{"name": name, "port": port}],
        },
    }


def dns_name(name: str) -> str:
    """Name a Service; older API servers want a letter first (RFC 1035)."""
    return name if name[0].isalpha() else f"w-{name}"
