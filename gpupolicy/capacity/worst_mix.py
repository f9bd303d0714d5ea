"""The worst that can meet on one shared GPU: which pods of the declared workloads, how many.

Time-slicing lets as many pods onto a GPU as there are replicas, KAI as many as their fractions add
up to one. Limits nest like tenants do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpupolicy.capacity.gpu_memory import DeviceMemory
from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.diagnostics.model import Path

# KAI's fractions are compared in thousandths of a GPU, rounded down, which is the safe side.
UNITS = 1000


@dataclass(frozen=True, slots=True)
class Load:
    """Pods of one workload: what each needs of a GPU, in MiB and in thousandths."""

    name: str
    tenant: TenantCapacity
    path: Path
    need: int
    pods: int
    units: int


@dataclass(frozen=True, slots=True)
class Mix:
    """Pods that can meet on one GPU, the largest first."""

    parts: tuple[tuple[Load, int], ...]

    @property
    def pods(self) -> int:
        """Count the pods."""
        return sum(count for _, count in self.parts)

    def taken(self, memory: DeviceMemory) -> int:
        """Sum what they take of the memory, each with its CUDA context, in MiB."""
        return memory.taken(sum(load.need * count for load, count in self.parts), self.pods)

    def fitting(self, memory: DeviceMemory, bound: int) -> int:
        """Count the pods that fit into so many MiB, the largest first."""
        left, fit = bound, 0
        for load, count in self.parts:
            more = min(count, left // memory.taken(load.need))
            fit, left = fit + more, left - more * memory.taken(load.need)
            if more < count:
                break
        return fit


def worst_replicas(
    capacity: Capacity, loads: list[Load], replicas: int, caps: Mapping[str, int]
) -> Mix:
    """Choose pods, the largest first, as far as replicas, pods and the tenants' reach allow.

    Limits nest like the tenants do, so that taking the largest first is exact.
    """
    left = dict(caps)
    chosen: list[tuple[Load, int]] = []
    free = replicas
    for load in sorted(loads, key=lambda load: -load.need):
        line = _ancestors(capacity, load.tenant)
        count = min([free, load.pods, *(left.get(name, free) for name in line)])
        if load.tenant.name not in caps or count < 1:
            continue  # Without a quota it cannot come here, which is said elsewhere.
        chosen.append((load, count))
        free -= count
        for name in line:
            if name in left:
                left[name] -= count
    return Mix(tuple(chosen))


def _ancestors(capacity: Capacity, tenant: TenantCapacity) -> list[str]:
    names = [tenant.name]
    while tenant.parent in capacity.tenants and tenant.parent not in names:
        tenant = capacity.tenants[tenant.parent or ""]
        names.append(tenant.name)
    return names


def worst_fractions(loads: list[Load], context_mib: int) -> Mix:
    """Choose the pods that need most memory together and fit one GPU by their fractions."""
    best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, (0,) * len(loads))}
    for index, load in enumerate(loads):
        for used, (mib, counts) in sorted(best.items(), reverse=True):
            for extra in range(1, min(load.pods, (UNITS - used) // load.units) + 1):
                key = used + extra * load.units
                total = mib + extra * (load.need + context_mib)
                if key not in best or best[key][0] < total:
                    more = (*counts[:index], counts[index] + extra, *counts[index + 1 :])
                    best[key] = (total, more)
    _, counts = max(best.values())
    parts = [(load, count) for load, count in zip(loads, counts, strict=True) if count]
    return Mix(tuple(sorted(parts, key=lambda part: -part[0].need)))
