"""Kueue's manager configuration: the chart's settings with what the policy needs.

The manager decodes it strictly and reads it once, at start. Settings that are not about the
policy are those of the chart (sigs.k8s.io/kueue v0.19.2 charts/kueue/values.yaml and the charts
of the older releases).
"""

from __future__ import annotations

from typing import Any

from gpupolicy.plan.model import ComponentPlan
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import Version
from gpupolicy.targets.kueue import versions

# Every kind that the guard rails let through: a kind that is not listed just runs, uncounted. One
# whose CRD is missing is not started. The number is the release that first knows the framework.
_FRAMEWORKS = (
    ("batch/job", Version(0, 1)),
    ("kubeflow.org/mpijob", Version(0, 1)),
    ("ray.io/rayjob", Version(0, 1)),
    ("ray.io/raycluster", Version(0, 6)),
    ("ray.io/rayservice", Version(0, 17)),
    ("jobset.x-k8s.io/jobset", Version(0, 4)),
    ("kubeflow.org/paddlejob", Version(0, 6)),
    ("kubeflow.org/pytorchjob", Version(0, 4)),
    ("kubeflow.org/tfjob", Version(0, 5)),
    ("kubeflow.org/xgboostjob", Version(0, 6)),
    ("kubeflow.org/jaxjob", Version(0, 14)),
    ("workload.codeflare.dev/appwrapper", Version(0, 14)),
    ("trainer.kubeflow.org/trainjob", Version(0, 14)),
    ("pod", Version(0, 8)),
    ("deployment", Version(0, 9)),
    ("statefulset", Version(0, 9)),
    ("leaderworkerset.x-k8s.io/leaderworkerset", Version(0, 14)),
)


def manager_config(plan: Plan, kueue: ComponentPlan) -> dict[str, Any]:
    """Give the Configuration for Helm's `managerConfig.controllerManagerConfigYaml`."""
    beta2 = kueue.version >= Version(0, 15)
    config: dict[str, Any] = {
        "apiVersion": f"config.kueue.x-k8s.io/{'v1beta2' if beta2 else 'v1beta1'}",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        # Without the switch there is no metric of what a tenant has, uses and borrows.
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "controller": {"groupKindConcurrency": _concurrency(kueue.version)},
        "clientConnection": _client(kueue.version),
        "manageJobsWithoutQueueName": False,
        "managedJobsNamespaceSelector": _namespaces(kueue.namespace),
        "integrations": {"frameworks": [n for n, since in _FRAMEWORKS if kueue.version >= since]},
    }
    if versions.has_fair_sharing(kueue.version):
        config["fairSharing"] = {
            "preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
        }
    if kueue.version >= Version(0, 19):
        config["waitForPodsReady"] = {
            "timeout": "30m",
            "recoveryTimeout": "30m",
            "blockAdmission": False,
        }
    if not any("ephemeral-storage" in pool.allocatable for pool in plan.pools):
        # Pods that request it would wait for ever, since no queue covers it.
        config["resources"] = {"excludeResourcePrefixes": ["ephemeral-storage"]}
    return config


def _concurrency(kueue: Version) -> dict[str, int]:
    many = kueue >= Version(0, 19)
    return {
        "Job.batch": 5,
        "Pod": 5,
        "Workload.kueue.x-k8s.io": 10 if many else 5,
        "LocalQueue.kueue.x-k8s.io": 5 if many else 1,
        "ClusterQueue.kueue.x-k8s.io": 5 if many else 1,
        "ResourceFlavor.kueue.x-k8s.io": 1,
    }


def _client(kueue: Version) -> dict[str, int]:
    return {"qps": 300, "burst": 500} if kueue >= Version(0, 19) else {"qps": 50, "burst": 100}


def _namespaces(kueue: str) -> dict[str, Any]:
    """Leave out the system's namespaces; one that is left out runs uncounted."""
    values = sorted({"kube-system", kueue})
    return {
        "matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": values}
        ]
    }
