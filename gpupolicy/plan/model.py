"""The plan, our intermediate representation: every decision made, no Kubernetes object in it.

What a target needs to know stands here, so that Kueue, Volcano and KAI get the same answers.
Units: cpu in millicores; memory, ephemeral-storage and hugepages in MiB; all else in pieces;
durations in nanoseconds. Field by field rules are in `lower.py` and its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from gpupolicy.capacity.cells import Cell as Cell
from gpupolicy.capacity.cells import PoolCells as PoolCells
from gpupolicy.diagnostics.model import Path
from gpupolicy.plan.config_model import ConfigPlan
from gpupolicy.plan.monitoring_model import MonitoringPlan
from gpupolicy.plan.operator_model import GpuOperatorPlan
from gpupolicy.plan.pool_model import LevelPlan
from gpupolicy.plan.pool_model import NodeWay
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.plan.self_healing import SelfHealingPlan

QuotaHolder = Literal["kueue", "volcano", "kai", "resourceQuota"]
GangHolder = Literal["kueue", "volcano", "kai", "none"]


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A version by its first two numbers; that is how much decides about fields."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


@dataclass(frozen=True, slots=True)
class ComponentPlan:
    """An installed component. A version newer than we know is the newest we know here."""

    name: str
    version: Version
    namespace: str


@dataclass(frozen=True, slots=True)
class PlatformPlan:
    """What is installed, by the name of the spec (`kueue`, `gpuOperator`, ...)."""

    kubernetes: Version
    components: Mapping[str, ComponentPlan]
    node_way: NodeWay
    gpu_operator_write: Literal["helmValues", "clusterPolicy"]
    mig_reboot: bool
    prometheus_write: Literal["objects", "files"]
    prometheus_labels: Mapping[str, str]

    def component(self, name: str) -> ComponentPlan | None:
        """Give a component; None if it is not installed."""
        return self.components.get(name)


@dataclass(frozen=True, slots=True)
class QuotaLinePlan:
    """One quota as the user sees it, in devices; on a CPU pool `device` is None."""

    pool: str
    device: str | None
    resource: str | None
    guaranteed: int
    limit: int | None
    lend: int | None
    # Most that borrowing can ever reach.
    reach: int
    source: str
    # What the line itself says (`cpu`, `memory`), rather than what goes with its devices.
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TenantPlan:
    """A tenant. One with children is a budget: no namespaces, no queue of its own.

    `resources` is the list of covered resources, `pools` are those with a quota in order of
    preference (CPU pools first). For a tenant with children `own` is what it keeps for none of
    them (the buffer), cell by cell like `pools`; for others it is the same as `pools`.
    """

    name: str
    path: Path
    source: str
    parent: str | None
    children: tuple[str, ...]
    weight: int
    namespaces: tuple[str, ...]
    groups: tuple[str, ...]
    users: tuple[str, ...]
    labels: Mapping[str, str]
    priority_classes: tuple[str, ...]
    sla: str | None
    resources: tuple[str, ...]
    pools: tuple[PoolCells, ...]
    own: tuple[PoolCells, ...]
    lines: tuple[QuotaLinePlan, ...]
    # Accelerator resources of the policy on which the tenant has no quota.
    denied: tuple[str, ...]
    # The tenant has a quota on a CPU pool, so that work without GPUs is queued too.
    queues_cpu: bool
    # Longest maxRunTime that any of its work may have; None if some work has no bound.
    max_run_time: int | None
    # No class of the tenant preempts others of it.
    never_preempts: bool

    @property
    def is_parent(self) -> bool:
        """Tell whether other tenants split its budget."""
        return bool(self.children)


@dataclass(frozen=True, slots=True)
class PriorityPlan:
    """A priority class. `preempts` is what the user said, before the quota holder has its say."""

    name: str
    value: int
    description: str
    global_default: bool
    preempts: bool
    source: str


@dataclass(frozen=True, slots=True)
class LatencyPlan:
    """A latency objective on a histogram, named without its suffix."""

    metric: str
    objective: Fraction
    within: int


@dataclass(frozen=True, slots=True)
class SlaPlan:
    """An SLA."""

    name: str
    preemptible: bool
    wait_objective: Fraction | None
    wait_within: int | None
    latency: tuple[LatencyPlan, ...]
    max_run_time: int | None
    source: str


@dataclass(frozen=True, slots=True)
class WorkloadPlan:
    """A declared workload with everything filled in; `requests` are per pod."""

    name: str
    path: Path
    source: str
    tenant: str
    kind: str
    pool: str
    device: str | None
    resource: str | None
    pods: int
    gpus_per_pod: int
    gpu_memory_mib: int | None
    requests: Mapping[str, int]
    gang: int | None
    topology_required: str | None
    topology_preferred: str | None
    priority_class: str | None
    sla: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole policy, decided. Pools and tenants stand in the order written."""

    name: str
    platform: PlatformPlan
    quota_holder: QuotaHolder
    gang_holder: GangHolder
    guard_rails: Literal["off", "warn", "deny"]
    pools: tuple[PoolPlan, ...]
    tenants: tuple[TenantPlan, ...]
    priorities: tuple[PriorityPlan, ...]
    slas: tuple[SlaPlan, ...]
    workloads: tuple[WorkloadPlan, ...]
    # Resources and cells of what nobody is promised, in the order of the pools.
    spare_resources: tuple[str, ...]
    spare: tuple[PoolCells, ...]
    # Accelerator resource names of the policy, sorted.
    accelerators: tuple[str, ...]
    # Value of `mig.strategy` of the GPU Operator; empty where every file says its own.
    mig_strategy: str
    device_plugin: ConfigPlan | None
    mig_parted: ConfigPlan | None
    # Distinct topology level lists by generated name (Kueue's Topology).
    topologies: Mapping[str, tuple[LevelPlan, ...]]
    monitoring: MonitoringPlan | None
    # Features that are parsed and checked but that no target compiles yet: (path, sentence).
    later: tuple[tuple[Path, str], ...]
    # None without the GPU Operator.
    gpu_operator: GpuOperatorPlan | None = None
    # None without NVSentinel, or without GPUs that it watches.
    self_healing: SelfHealingPlan | None = None

    def pool(self, name: str) -> PoolPlan:
        """Give a pool by name. Raises `KeyError` if there is none."""
        for pool in self.pools:
            if pool.name == name:
                return pool
        raise KeyError(name)

    def tenant(self, name: str) -> TenantPlan:
        """Give a tenant by name. Raises `KeyError` if there is none."""
        for tenant in self.tenants:
            if tenant.name == name:
                return tenant
        raise KeyError(name)
