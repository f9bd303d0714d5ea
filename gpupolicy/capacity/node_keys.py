"""Label and taint keys of nodes that somebody else writes.

Taints: kubernetes v1.34 staging/src/k8s.io/api/core/v1/well_known_taints.go and
pkg/controller/nodelifecycle (it adds and removes them with the node's conditions);
staging/src/k8s.io/cloud-provider/api/well_known_taints.go; autoscaler v1.34
cluster-autoscaler/utils/taints; karpenter v1 pkg/apis/v1/taints.go; cluster-api v1.11
api/core/v1beta2. Labels: kubernetes v1.34 pkg/kubelet/kubelet_node_status.go
(updateDefaultLabels: at every start of the kubelet).
"""

from __future__ import annotations

_RESERVED = ("kubernetes.io", "k8s.io")
# Prefixes that Node Feature Discovery sets (v0.19 pkg/apis/nfd/validate).
_NFD = ("feature.node.kubernetes.io", "profile.node.kubernetes.io")

_LIFECYCLE = "the node lifecycle controller puts it on and takes it off with the node's condition"
_CLOUD = "the cloud controller takes it off when the machine is there"
_AUTOSCALER = "the cluster autoscaler marks nodes with it that it removes"
_KARPENTER = "Karpenter puts it on and takes it off"
_TAINTS = {
    "node.kubernetes.io/not-ready": _LIFECYCLE,
    "node.kubernetes.io/unreachable": _LIFECYCLE,
    "node.kubernetes.io/unschedulable": f"{_LIFECYCLE} (kubectl cordon)",
    "node.kubernetes.io/memory-pressure": _LIFECYCLE,
    "node.kubernetes.io/disk-pressure": _LIFECYCLE,
    "node.kubernetes.io/pid-pressure": _LIFECYCLE,
    "node.kubernetes.io/network-unavailable": _LIFECYCLE,
    "node.kubernetes.io/out-of-service": "it says that the node is lost, and its pods are deleted",
    "node.cloudprovider.kubernetes.io/uninitialized": _CLOUD,
    "node.cloudprovider.kubernetes.io/shutdown": _CLOUD,
    "node.cluster.x-k8s.io/uninitialized": "Cluster API takes it off when the node has joined",
    "ToBeDeletedByClusterAutoscaler": _AUTOSCALER,
    "DeletionCandidateOfClusterAutoscaler": _AUTOSCALER,
    "karpenter.sh/disrupted": _KARPENTER,
    "karpenter.sh/unregistered": _KARPENTER,
}
_KUBELET_LABELS = frozenset(
    (
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "node.kubernetes.io/windows-build",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
    )
)


def taint_owner(key: str) -> str | None:
    """Say who puts a taint on nodes and takes it off; None if nobody but the user does."""
    return _TAINTS.get(key)


def is_kubelets(key: str) -> bool:
    """Tell whether the kubelet writes this label at every start."""
    return key in _KUBELET_LABELS


def reserved_prefix(key: str) -> str | None:
    """Give the prefix of a key if it belongs to Kubernetes and NFD does not set it either."""
    prefix, slash, _ = key.rpartition("/")
    if not slash or prefix in _NFD or prefix.endswith(tuple(f".{p}" for p in _NFD)):
        return None
    reserved = any(prefix == root or prefix.endswith(f".{root}") for root in _RESERVED)
    return prefix if reserved else None
