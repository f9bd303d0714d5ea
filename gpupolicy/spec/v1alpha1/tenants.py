"""`tenants`: who may use what, and the workloads that are promised to fit."""

from __future__ import annotations

from pydantic import Field

from gpupolicy.spec.v1alpha1.base import Model
from gpupolicy.spec.v1alpha1.number_types import Amount
from gpupolicy.spec.v1alpha1.number_types import Cores
from gpupolicy.spec.v1alpha1.number_types import Gang
from gpupolicy.spec.v1alpha1.number_types import GpuMemory
from gpupolicy.spec.v1alpha1.number_types import Int
from gpupolicy.spec.v1alpha1.number_types import Memory
from gpupolicy.spec.v1alpha1.text_types import FilledText
from gpupolicy.spec.v1alpha1.text_types import LabelKey
from gpupolicy.spec.v1alpha1.text_types import LabelValue
from gpupolicy.spec.v1alpha1.text_types import Name
from gpupolicy.spec.v1alpha1.text_types import Text


class Members(Model):
    """Who may submit and read in the tenant's namespaces."""

    groups: list[FilledText] = Field(default_factory=list)
    users: list[FilledText] = Field(default_factory=list)


class Quota(Model):
    """What a tenant has on a pool. Numbers count devices after sharing, never nodes."""

    pool: Name
    device: Text | None = Field(
        None, description="MIG profile, vGPU type, or gpu; may be left out where there is one kind."
    )
    guaranteed: Amount | None = Field(
        None, description="What the tenant gets back at any time: a number, or a percentage."
    )
    limit: Amount | None = Field(
        None, description="Ceiling, borrowed devices included; absent means none."
    )
    lend: Amount | None = Field(
        None,
        description="How much of the guarantee others may use while it is idle; absent means all.",
    )
    cpu: Cores | None = Field(None, description="CPU that goes with the guarantee.")
    memory: Memory | None = Field(None, description="Memory that goes with the guarantee.")


class WorkloadTopology(Model):
    """Where the pods of a gang must or should stand together."""

    required: Text | None = Field(None, description="Level that must hold all pods.")
    preferred: Text | None = Field(None, description="Level that should hold all pods.")


class Workload(Model):
    """A workload that the policy promises to fit."""

    name: Name
    kind: Text = Field("Job", description="Kubernetes kind.")
    pool: Name | None = Field(None, description="Pool; absent: one of the tenant's pools must fit.")
    device: Text | None = Field(None, description="Device of the pool.")
    pods: Int = Field(1, description="Number of pods.")
    gpus_per_pod: Amount | None = Field(
        None, description="Devices per pod; 1 if absent, 0 on a CPU pool."
    )
    gpu_memory: GpuMemory | None = Field(None, description="GPU memory needed, per device.")
    cpu: Cores | None = Field(None, description="CPU per pod; the devices' share if absent.")
    memory: Memory | None = Field(None, description="Memory per pod; the devices' share if absent.")
    gang: Gang = Field(
        False, description="true: all pods start or none; a number: at least so many."
    )
    topology: WorkloadTopology | None = Field(None, description="Topology level of the gang.")
    priority_class: Name | None = Field(None, description="One of the tenant's priority classes.")
    sla: Name | None = Field(None, description="SLA of this workload in place of the tenant's.")


class TenantFields(Model):
    """The fields of a tenant besides its name: the `spec` of a `GPUTenant`."""

    parent: Name | None = Field(None, description="Tenant whose budget this one shares.")
    namespaces: list[Name] = Field(
        default_factory=list, description="Namespaces, owned by this tenant alone."
    )
    members: Members = Field(default_factory=Members, description="Who may submit and read.")
    labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict, description="Labels of the namespaces and of alerts about the tenant."
    )
    priority_classes: list[Name] | None = Field(
        None, description="Classes it may use; the parent's if absent, at the top all."
    )
    sla: Name | None = Field(None, description="SLA of its workloads.")
    weight: Int = Field(1, description="Share of idle devices, from 1.")
    quotas: list[Quota] = Field(default_factory=list, description="Pools are tried in this order.")
    workloads: list[Workload] = Field(
        default_factory=list, description="Workloads promised to fit."
    )


class Tenant(TenantFields):
    """A team, or with children a budget that they split."""

    name: Name
