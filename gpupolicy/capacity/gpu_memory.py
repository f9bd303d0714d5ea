"""The device memory that programs can have: reported, less what driver and processes take.

A program allocates `gpuMemory`; the CUDA context of its process comes on top, and the driver keeps
a part of every card. Both are bounds over observations (`facts/overheads.yaml`), not figures of
the vendor. A MIG instance has the driver's part already taken off its size.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.facts.catalog import Facts
from gpupolicy.spec.v1alpha1.tenants import Workload

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """What one physical GPU or MIG instance has, in MiB. `total` 0 means that it is unknown."""

    total: int
    reserve: int
    context: int

    @property
    def usable(self) -> int:
        """What all processes on the device can have together, contexts included."""
        return max(self.total - self.reserve, 0)

    def taken(self, needs_mib: int, processes: int = 1) -> int:
        """Add the contexts of the processes to what they allocate together."""
        return needs_mib + self.context * processes

    def holds(self, needs_mib: int, processes: int = 1) -> bool:
        """Tell whether processes that allocate so much together fit."""
        return self.taken(needs_mib, processes) <= self.usable


def memory_of(pool: PoolCapacity, device: Device, facts: Facts) -> DeviceMemory:
    """Give the memory of the GPU or instance behind a device; replicas share it.

    Of a GPU that the user described the memory counts as written: nothing is known of it.
    """
    model = pool.gpu.model if pool.gpu else None
    if model is None:
        return DeviceMemory(pool.gpu.memory_mib if pool.gpu else 0, 0, 0)
    profile = model.mig.profile(device.profile) if model.mig and device.profile else None
    if profile is not None:
        return DeviceMemory(profile.memory_mib, 0, facts.overheads().context_mib(profile.sm_count))
    return DeviceMemory(model.memory_mib, model.memory_mib - model.usable_mib, model.context_mib)


def need_mib(workload: Workload) -> int | None:
    """Give the memory that a workload needs on each device, rounded up; None if it says none."""
    return ceil(workload.gpu_memory.value / MIB) if workload.gpu_memory else None
