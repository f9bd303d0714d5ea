"""Where a declared workload runs: the pool it names, or the first of its tenant's that holds it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor
from typing import NamedTuple

from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.quantity import MIB
from gpupolicy.spec.v1alpha1.tenants import Workload


class Place(NamedTuple):
    """A pool and one of its devices; no device on a CPU pool, or for work without GPUs."""

    pool: PoolCapacity
    device: Device | None


def gpus_per_pod(workload: Workload, pool: PoolCapacity) -> Fraction:
    """Give the devices of one pod: what is written, else 1, on a CPU pool 0."""
    written = workload.gpus_per_pod
    if isinstance(written, int | Fraction):
        return Fraction(written)
    return Fraction(0 if pool.is_cpu else 1)


def choose(workload: Workload, tenant: TenantCapacity, capacity: Capacity) -> Place | None:
    """Choose the place of a workload; None if it names none that exists, or none holds a pod.

    Without `pool` the tenant's pools are tried as its queue tries them: CPU pools first, then in
    the order of its quotas.
    """
    if workload.pool is not None:
        return next(iter(named(workload, capacity)), None)
    return next((place for place in candidates(workload, tenant) if holds(workload, place)), None)


def named(workload: Workload, capacity: Capacity) -> Iterator[Place]:
    """Give the place that the workload names, if there is such a pool and device."""
    pool = capacity.pools.get(workload.pool or "")
    if pool is None or pool.broken:
        return
    if pool.is_cpu or gpus_per_pod(workload, pool) == 0:
        yield Place(pool, None)
    elif (device := pool.device(workload.device)) is not None:
        yield Place(pool, device)


def candidates(workload: Workload, tenant: TenantCapacity) -> Iterator[Place]:
    """Give the tenant's places in the order in which its queue tries them."""
    for line in sorted(tenant.lines, key=lambda line: not line.pool.is_cpu):
        if line.pool.is_cpu:
            if gpus_per_pod(workload, line.pool) == 0:
                yield Place(line.pool, None)
        elif workload.device is None or (line.device and line.device.name == workload.device):
            none = workload.gpus_per_pod is not None and gpus_per_pod(workload, line.pool) == 0
            yield Place(line.pool, None if none else line.device)


def holds(workload: Workload, place: Place) -> bool:
    """Tell whether one node of the place holds one pod: devices, GPU memory, cpu and memory."""
    count = gpus_per_pod(workload, place.pool)
    if place.device is not None:
        if count > place.device.per_node or (place.device.replicas > 1 and count > 1):
            return False
        if workload.gpu_memory and floor(workload.gpu_memory.value / MIB) > place.device.memory_mib:
            return False
    asked = (
        ("cpu", workload.cpu, Fraction(1, 1000)),
        ("memory", workload.memory, Fraction(MIB)),
    )
    offered = place.pool.allocatable
    return all(
        written is None or resource not in offered or written.value <= offered[resource] * unit
        for resource, written, unit in asked
    )
