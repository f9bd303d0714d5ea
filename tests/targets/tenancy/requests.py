"""Requests to the API server, as the guard rails see them."""

from __future__ import annotations

from typing import Any

from gpupolicy.manifest.key import Data
from gpupolicy.plan.model import Plan
from gpupolicy.targets.tenancy import emit
from tests.targets.written import objects

USER = "mia"
JOB_CONTROLLER = "system:serviceaccount:kube-system:job-controller"
KUEUE = "kueue.x-k8s.io/"
QUEUED = {f"{KUEUE}queue-name": "product"}
GPU = {"nvidia.com/gpu": "1"}
CPU = {"cpu": "1"}


def container(limits: Any = GPU, requests: Any = CPU, **fields: Any) -> Data:
    resources: Data = {}
    if requests:
        resources["requests"] = requests | limits
    if limits:
        resources["limits"] = limits
    return {"name": "main", "image": "i", "resources": resources, **fields}


def pod_spec(limits: Any = GPU, **spec: Any) -> Data:
    given = {"containers": [container(limits)], "schedulerName": "default-scheduler"}
    return given | spec


def pod(
    limits: Any = GPU,
    *,
    labels: Any = QUEUED,
    annotations: Any = None,
    owner: Any = None,
    namespace: str = "product-serving",
    user: str = USER,
    **spec: Any,
) -> Data:
    """Ask for a pod; by default one with a GPU, a queue and requests."""
    metadata: Data = {"name": "p", "namespace": namespace, "labels": labels or {}}
    if annotations:
        metadata["annotations"] = annotations
    if owner:
        metadata["ownerReferences"] = [owner]
    made = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": pod_spec(limits, **spec),
    }
    return _request(made, "pods", user)


def ephemeral(value: Any, **spec: Any) -> Data:
    """Ask to add a debugging container with a setting of NVIDIA_VISIBLE_DEVICES."""
    env = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": value}]
    asked = pod(ephemeralContainers=[{"name": "d", "image": "i", "env": env}], **spec)
    return asked | {"operation": "UPDATE", "subresource": "ephemeralcontainers"}


def owner(kind: str = "Job", api: str = "batch/v1", *, controller: bool = True) -> Data:
    return {"apiVersion": api, "kind": kind, "name": "o", "uid": "1", "controller": controller}


def workload(
    kind: str = "Job",
    api: str = "batch/v1",
    limits: Any = GPU,
    *,
    labels: Any = QUEUED,
    template: Any = None,
    namespace: str = "product-serving",
    user: str = USER,
    operation: str = "CREATE",
    pod_spec_fields: Any = None,
    **spec: Any,
) -> Data:
    """Ask for a workload with a pod template."""
    given: Data = {"template": {"metadata": template or {}, "spec": pod_spec(limits)}}
    given["template"]["spec"] |= pod_spec_fields or {}
    if api == "apps/v1":
        given["selector"] = {"matchLabels": {"a": "b"}}
    if kind == "StatefulSet":
        given["serviceName"] = "s"
    return custom(
        kind, api, given | spec, labels=labels, namespace=namespace, user=user, operation=operation
    )


def custom(
    kind: str,
    api: str,
    spec: Any = None,
    *,
    labels: Any = QUEUED,
    namespace: str = "product-serving",
    user: str = USER,
    operation: str = "CREATE",
) -> Data:
    """Ask for an object whose pods lie too deep to be seen."""
    metadata = {"name": "w", "namespace": namespace, "labels": labels or {}}
    made = {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec or {}}
    return _request(made, kind.lower() + "s", user) | {"operation": operation}


def _request(made: Data, resource: str, user: str) -> Data:
    return {"operation": "CREATE", "resource": resource, "user": user, "object": made}


def with_namespaces(plan: Plan, requests: list[Data]) -> list[Data]:
    """Add to each request its namespace, and the policy that its kind falls under."""
    spaces = {data["metadata"]["name"]: data for data in objects(emit(plan), "Namespace")}
    spaces["bare"] = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "bare", "labels": {"gpupolicy.dev/tenant": "nobody"}},
    }
    return [
        asked
        | {
            "namespace": spaces[asked["object"]["metadata"]["namespace"]],
            "policy": "gpupolicy-pods" if asked["resource"] == "pods" else "gpupolicy-workloads",
        }
        for asked in requests
    ]
