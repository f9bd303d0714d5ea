"""`platform`, `scheduling`: what is installed, and who holds quota and places gangs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpupolicy.spec.v1alpha1.base import Model
from gpupolicy.spec.v1alpha1.number_types import Bool
from gpupolicy.spec.v1alpha1.number_types import Objective
from gpupolicy.spec.v1alpha1.text_types import Driver
from gpupolicy.spec.v1alpha1.text_types import LabelKey
from gpupolicy.spec.v1alpha1.text_types import LabelValue
from gpupolicy.spec.v1alpha1.text_types import Name
from gpupolicy.spec.v1alpha1.text_types import Version


class Component(Model):
    """An installed component; naming it makes it a target."""

    version: Version | None = Field(
        None, description="Installed version; the newest known if absent."
    )
    namespace: Name | None = Field(
        None, description="Namespace it runs in; its chart's default if absent."
    )


class GpuOperator(Component):
    """NVIDIA GPU Operator."""

    driver: Driver | None = Field(
        None, description="GPU driver version; some MIG profile names depend on it."
    )
    mig_reboot: Bool = Field(
        False, description="Nodes are VMs that must reboot to switch MIG mode (WITH_REBOOT)."
    )
    write: Literal["helmValues", "clusterPolicy"] = Field(
        "helmValues",
        description="Helm values, or a complete ClusterPolicy (for a chart with deployCR: false).",
    )


class Prometheus(Component):
    """Prometheus, with the operator's objects or with plain files."""

    labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict,
        description="Labels by which the installed Prometheus selects rules and monitors.",
        examples=[{"release": "kube-prometheus-stack"}],
    )
    write: Literal["objects", "files"] = Field(
        "objects",
        description="prometheus-operator objects, or rule files and scrape configuration.",
    )


class NvSentinel(Component):
    """NVSentinel; it cordons nodes and does nothing else."""

    dry_run: Bool = Field(True, description="Only say which nodes would be cordoned.")
    max_isolated: Objective | None = Field(
        None, description="Part of a pool that may be cordoned in a day; 10% if absent."
    )


class Nodes(Model):
    """How labels and taints reach the nodes."""

    write: Literal["nodeFeatureRule", "patches", "script", "external"] = Field(
        "nodeFeatureRule",
        description="NodeFeatureRules (the script where they cannot say it), patches per node, "
        "a kubectl script, or a list for your own node-pool definitions.",
    )


class Platform(Model):
    """What is installed in the cluster."""

    kubernetes: Version = Field(description="Kubernetes version of the cluster.", examples=["1.34"])
    gpu_operator: GpuOperator | None = Field(None, description="NVIDIA GPU Operator.")
    kueue: Component | None = Field(
        None, description="Kueue: quota, queues, and gangs unless said otherwise."
    )
    volcano: Component | None = Field(None, description="Volcano scheduler.")
    kai: Component | None = Field(None, description="KAI scheduler (compiled in a later version).")
    nvsentinel: NvSentinel | None = Field(
        None, description="NVSentinel, which isolates sick nodes: values for its chart."
    )
    dcgm_exporter: Component | None = Field(
        None, description="dcgm-exporter, where it is installed by a chart of its own."
    )
    node_feature_discovery: Component | None = Field(
        None, description="Node Feature Discovery, where it is installed by a chart of its own."
    )
    prometheus: Prometheus | None = Field(None, description="Prometheus and Alertmanager.")
    nodes: Nodes = Field(
        default_factory=Nodes, description="How labels and taints reach the nodes."
    )


class Scheduling(Model):
    """Who holds quota and who places gangs; said only to choose."""

    quota: Literal["kueue", "volcano", "kai", "resourceQuota"] | None = Field(
        None, description="Component that holds the tenants' quotas."
    )
    gang: Literal["kueue", "volcano", "kai", "none"] | None = Field(
        None, description="Component that starts all pods of a gang or none, and reads topology."
    )
