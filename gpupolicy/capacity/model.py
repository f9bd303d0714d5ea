"""What the pools offer and what the tenants are promised, in whole numbers.

Checks and the plan both stand on these values, so that what is checked is what is emitted.
Units: cpu in millicores; memory, ephemeral-storage and hugepages in MiB; all else in pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from gpupolicy.diagnostics.model import Path
from gpupolicy.facts.model import GpuModel
from gpupolicy.spec.v1alpha1.pools import NodePool
from gpupolicy.spec.v1alpha1.tenants import Quota
from gpupolicy.spec.v1alpha1.tenants import Tenant

SharingKind = Literal["none", "timeSlicing", "mps", "fractions", "vgpu", "passthrough"]


@dataclass(frozen=True, slots=True)
class PoolGpu:
    """The GPU of a pool: a model of the catalogue, or what the user described."""

    name: str
    resource: str
    memory_mib: int
    model: GpuModel | None

    @property
    def is_nvidia(self) -> bool:
        """Tell whether NVIDIA's stack exposes it (resource under nvidia.com/)."""
        return self.resource.startswith("nvidia.com/")


@dataclass(frozen=True, slots=True)
class GroupLayout:
    """The MIG layout of some GPUs of every node; an empty map is MIG off.

    `profiles` holds only profiles that the model has; `unknown` the other names as written.
    """

    gpus: tuple[int, ...]
    profiles: Mapping[str, int]
    unknown: tuple[str, ...] = ()
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Device:
    """One kind of device that a pool offers, after MIG and sharing.

    `weight` is the device's part of the node's GPU memory in memory slices (a whole GPU of an
    uncut pool counts 1); `share` is what goes with one device of every allocatable resource, an
    exact fraction.
    """

    name: str
    resource: str
    base_resource: str
    per_node: int
    total: int
    cap: int
    weight: Fraction
    memory_mib: int
    replicas: int
    sharing: SharingKind
    profile: str | None
    share: Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class PoolCapacity:
    """A pool in numbers. `nodes` is N (the maximum of an autoscaled pool), `reserve` is R."""

    spec: NodePool
    path: Path
    gpu: PoolGpu | None
    nodes: int
    min_nodes: int
    gpus_per_node: int
    reserve: int
    layouts: tuple[GroupLayout, ...]
    devices: tuple[Device, ...]
    allocatable: Mapping[str, int]
    # The model or the layout could not be resolved: what depends on it is not checked.
    broken: bool

    @property
    def name(self) -> str:
        """Name of the pool."""
        return self.spec.name

    @property
    def is_cpu(self) -> bool:
        """Tell whether the pool has no GPUs."""
        return self.spec.gpu is None

    @property
    def is_autoscaled(self) -> bool:
        """Tell whether the number of nodes varies: `{min: 4, max: 4}` is four."""
        return self.min_nodes < self.nodes

    @property
    def is_managed(self) -> bool:
        """Tell whether the GPU Operator's device plugin exposes the GPUs."""
        return self.spec.managed and self.gpu is not None and self.gpu.is_nvidia

    def device(self, name: str | None) -> Device | None:
        """Find a device by the name users write; None finds the only one there is."""
        if name is None:
            return self.devices[0] if len(self.devices) == 1 else None
        return next((device for device in self.devices if device.name == name), None)


@dataclass(frozen=True, slots=True)
class QuotaLine:
    """One quota of a tenant. On a CPU pool `device` is None and the numbers are 0 and None.

    `cpu` (millicores) and `memory` (MiB) are what the user wrote, None if absent.
    """

    spec: Quota
    path: Path
    pool: PoolCapacity
    device: Device | None
    guaranteed: int
    limit: int | None
    lend: int | None
    cpu: int | None
    memory: int | None


@dataclass(frozen=True, slots=True)
class TenantCapacity:
    """A tenant with its resolved quota lines; lines on unknown pools or devices are left out."""

    spec: Tenant
    path: Path
    parent: str | None
    children: tuple[str, ...]
    lines: tuple[QuotaLine, ...]

    @property
    def name(self) -> str:
        """Name of the tenant."""
        return self.spec.name

    def lines_on(self, pool: str) -> tuple[QuotaLine, ...]:
        """Give the lines on one pool, in the order written."""
        return tuple(line for line in self.lines if line.pool.name == pool)


@dataclass(frozen=True, slots=True)
class Capacity:
    """Pools and tenants by name, in the order written. The first of two equal names counts."""

    pools: Mapping[str, PoolCapacity]
    tenants: Mapping[str, TenantCapacity]

    def top_level(self) -> tuple[TenantCapacity, ...]:
        """Give the tenants without a parent: only their guarantees are summed against pools."""
        return tuple(tenant for tenant in self.tenants.values() if tenant.parent is None)
