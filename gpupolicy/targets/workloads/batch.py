"""Work that ends: Kubernetes' Job, and the kinds that are made of jobs or stand beside it.

An eviction is no failure of the program. Sources: Kubernetes 1.34 (pod failure policy, back-off
per index), JobSet v0.12 (api/jobset/v1alpha2/jobset_types.go: failure policy), training-operator
v1.9.3 (pkg/apis/kubeflow.org/v1: restart policy ExitCode), Trainer v2.2.1
(pkg/apis/trainer/v1alpha1: runtime patches), Volcano v1.15 (pkg/apis/batch/v1alpha1).
"""

from __future__ import annotations

from typing import Any

from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import Version
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.targets.workloads import pods
from gpupolicy.targets.workloads import queueing
from gpupolicy.targets.workloads.services import dns_name
from gpupolicy.targets.workloads.services import headless
from gpupolicy.targets.workloads.support import minimum

Data = dict[str, Any]

_COMMAND = ["python", "train.py"]
_RETRIES = 3
_GRACE = 120
_PORT = 29500
# Kueue since 0.13: podsets of one group share a place.
_GROUP = "kueue.x-k8s.io/podset-group-name"


def job(plan: Plan, workload: WorkloadPlan, namespace: str) -> list[Data]:
    """Make a Job; the pods of a gang find the first by a headless Service."""
    talks = minimum(workload) is not None
    name = dns_name(workload.name)
    address = f"{workload.name}-0.{name}" if talks else None
    spec = _job_spec(plan, workload, address)
    metadata = _metadata(plan, workload, namespace)
    annotations = queueing.owner_annotations(plan, workload)
    if annotations:
        metadata["annotations"] = annotations
    made = [_claim(workload, namespace)]
    if talks:
        spec["template"]["spec"]["subdomain"] = name
        made.append(headless(workload, namespace, _PORT, "rendezvous"))
    return [*made, {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}]


def _job_spec(plan: Plan, workload: WorkloadPlan, address: str | None) -> Data:
    spec: Data = {"suspend": True} if queueing.is_suspended(plan) else {}
    retries = (
        {"backoffLimitPerIndex": _RETRIES}
        if minimum(workload) is None
        else {"backoffLimit": _RETRIES * workload.pods}
    )
    return {
        **spec,
        "parallelism": workload.pods,
        "completions": workload.pods,
        "completionMode": "Indexed",
        **retries,
        "podFailurePolicy": _failure_policy("Ignore"),
        "template": _template(plan, workload, address, restart="Never"),
    }


def job_set(plan: Plan, workload: WorkloadPlan, namespace: str) -> list[Data]:
    """Make a JobSet of one job; a gang starts anew as a whole, and an eviction costs no try."""
    gang = minimum(workload) is not None
    host = f"{workload.name}-workers-0-0.{workload.name}"
    spec = _job_spec(plan, workload, host if gang else None)
    spec.pop("suspend", None)
    policy: Data = {"maxRestarts": _RETRIES}
    if gang:
        spec = {**spec, "backoffLimit": 0, "podFailurePolicy": _failure_policy("FailJob")}
        policy["rules"] = [
            {
                "name": "evicted",
                "action": "RestartJobSetAndIgnoreMaxRestarts",
                "onJobFailureReasons": ["PodFailurePolicy"],
            }
        ]
    job_template: Data = {"spec": spec}
    annotations = queueing.owner_annotations(plan, workload) if plan.gang_holder != "kueue" else {}
    if annotations:
        job_template = {"metadata": {"annotations": annotations}, **job_template}
    whole: Data = {"suspend": True} if queueing.is_suspended(plan) else {}
    made = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": _metadata(plan, workload, namespace),
        "spec": {
            **whole,
            "failurePolicy": policy,
            "replicatedJobs": [{"name": "workers", "replicas": 1, "template": job_template}],
        },
    }
    return [_claim(workload, namespace), made]


def _failure_policy(action: str) -> Data:
    disrupted = [{"type": "DisruptionTarget", "status": "True"}]
    return {"rules": [{"action": action, "onPodConditions": disrupted}]}


def py_torch_job(plan: Plan, workload: WorkloadPlan, namespace: str) -> list[Data]:
    """Make a PyTorchJob: a master, and workers if there is more than one pod."""
    replicas = {"Master": 1} | ({"Worker": workload.pods - 1} if workload.pods > 1 else {})
    template = _template(plan, workload, None, restart=None, name="pytorch")
    annotations = template["metadata"].get("annotations", {})
    if len(replicas) > 1 and any("podset" in key for key in annotations) and _has_groups(plan):
        annotations[_GROUP] = "all"
    policy: Data = {"cleanPodPolicy": "Running", "backoffLimit": _RETRIES}
    if queueing.is_suspended(plan):
        policy = {"suspend": True, **policy}
    made = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": _metadata(plan, workload, namespace),
        "spec": {
            "runPolicy": policy,
            "pytorchReplicaSpecs": {
                role: {"replicas": count, "restartPolicy": "ExitCode", "template": template}
                for role, count in replicas.items()
            },
        },
    }
    return [_claim(workload, namespace), made]


def _has_groups(plan: Plan) -> bool:
    kueue = plan.platform.component("kueue")
    return kueue is not None and kueue.version >= Version(0, 13)


def train_job(plan: Plan, workload: WorkloadPlan, namespace: str) -> list[Data]:
    """Make a TrainJob of Trainer's runtime for PyTorch, whose job and container are called node."""
    template = _template(plan, workload, None, restart=None)
    spec, container = template["spec"], template["spec"]["containers"][0]
    patch = {
        key: spec[key]
        for key in ("nodeSelector", "tolerations", "securityContext", "volumes")
        if key in spec
    }
    keys = ("volumeMounts", "securityContext")
    patch["containers"] = [{"name": "node"} | {k: container[k] for k in keys if k in container}]
    pod = {"metadata": template["metadata"], "spec": patch}
    trainer: Data = {"image": pods.IMAGE, "command": _COMMAND, "numNodes": workload.pods}
    if workload.gpus_per_pod:
        trainer["numProcPerNode"] = workload.gpus_per_pod
    trainer["resourcesPerNode"] = pods.resources(workload)
    node = {"name": "node", "template": {"spec": {"template": pod}}}
    whole: Data = {"suspend": True} if queueing.is_suspended(plan) else {}
    made = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": _metadata(plan, workload, namespace),
        "spec": {
            **whole,
            "runtimeRef": {"name": "torch-distributed"},
            "trainer": trainer,
            "runtimePatches": [
                {
                    "manager": "gpupolicy.dev/template",
                    "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [node]}}},
                }
            ],
        },
    }
    return [_claim(workload, namespace), made]


def volcano_job(plan: Plan, workload: WorkloadPlan, namespace: str) -> list[Data]:
    """Make a Job of Volcano; a gang that loses a pod starts anew, other work just that pod."""
    least = minimum(workload)
    address = f"{workload.name}-worker-0.{workload.name}" if least else None
    action = "RestartJob" if least else "RestartPod"
    metadata = _metadata(plan, workload, namespace)
    annotations = queueing.wait_annotations(plan, workload)
    if annotations:
        metadata["annotations"] = annotations
    spec: Data = {"schedulerName": "volcano", "queue": workload.tenant, "minAvailable": least or 1}
    if workload.priority_class:
        spec["priorityClassName"] = workload.priority_class
    topology = queueing.network_topology(plan, workload)
    if topology is not None:
        spec["networkTopology"] = {"mode": topology[0], "highestTierAllowed": topology[1]}
    if least:
        spec["plugins"] = {"env": [], "svc": ["--publish-not-ready-addresses=true"]}
    spec["maxRetry"] = _RETRIES
    spec["policies"] = [{"event": event, "action": action} for event in ("PodEvicted", "PodFailed")]
    template = _template(plan, workload, address, restart="Never", alone=True)
    task: Data = {"name": "worker", "replicas": workload.pods, "template": template}
    made = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {**spec, "tasks": [task]},
    }
    return [_claim(workload, namespace), made]


def _template(
    plan: Plan,
    workload: WorkloadPlan,
    address: str | None,
    *,
    restart: str | None,
    name: str = "train",
    alone: bool = False,
) -> Data:
    """Make the pod template; `address` is where the pods of a gang meet."""
    fields: Data = {"command": _COMMAND}
    if address:
        fields["env"] = [
            {"name": "MASTER_ADDR", "value": address},
            {"name": "MASTER_PORT", "value": str(_PORT)},
        ]
    made = pods.container(workload, name, fields)
    found = pods.template(plan, workload, made, restart=restart, alone=alone)
    # Time to write a last checkpoint before the pod goes.
    found["spec"]["terminationGracePeriodSeconds"] = _GRACE
    return found


def _metadata(plan: Plan, workload: WorkloadPlan, namespace: str) -> Data:
    metadata: Data = {"name": workload.name, "namespace": namespace}
    labels = {**pods.pod_labels(workload), **queueing.object_labels(plan, workload, ends=True)}
    return metadata | {"labels": labels}


def _claim(workload: WorkloadPlan, namespace: str) -> Data:
    mode = "ReadWriteMany" if workload.pods > 1 else "ReadWriteOnce"
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": pods.claim_name(workload), "namespace": namespace},
        "spec": {"accessModes": [mode], "resources": {"requests": {"storage": "100Gi"}}},
    }
