"""Where a declared workload runs: the pool it names, or the first of its tenant's that holds it."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from fractions import Fraction
from math import floor
from typing import NamedTuple

from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.quantity import MIB
from gpupolicy.spec.v1alpha1.tenants import Workload

# Devices by (tenant, pool, device).
Reach = Mapping[tuple[str, str, str], int]


class Place(NamedTuple):
    """A pool and one of its devices; no device on a CPU pool, or for work without GPUs."""

    pool: PoolCapacity
    device: Device | None


# core/v1 resource of a node: the pods that its kubelet runs.
_PODS = "pods"


def gpus_per_pod(workload: Workload, pool: PoolCapacity) -> Fraction | int:
    """Give the devices of one pod: what is written, else 1, on a CPU pool 0."""
    written = workload.gpus_per_pod
    if isinstance(written, int | Fraction):
        return written
    return 0 if pool.is_cpu else 1


def choose(
    workload: Workload, tenant: TenantCapacity, capacity: Capacity, reach: Reach | None = None
) -> Place | None:
    """Choose the place of a workload; None if it names none that exists, or none holds it alone.

    Without `pool` the tenant's pools are tried as its queue tries them: CPU pools first, then in
    the order of its quotas. `reach` is how far borrowing can take a tenant on a device of a pool
    (`reach.reaches`); without it borrowing counts as unlimited.
    """
    if workload.pool is not None:
        return next(iter(named(workload, capacity)), None)
    options = candidates(workload, tenant)
    fits = (p for p, line in options if holds_alone(workload, tenant, p, line, reach))
    return next(fits, None)


def holds_alone(
    workload: Workload,
    tenant: TenantCapacity,
    place: Place,
    line: QuotaLine,
    reach: Reach | None = None,
) -> bool:
    """Tell whether a place holds all pods of a workload if there is no other work."""
    if not holds(workload, place):
        return False
    each = pods_per_node(workload, place)
    if each is not None and workload.pods > each * place.pool.nodes:
        return False
    if place.device is None:
        return True
    needed = gpus_per_pod(workload, place.pool) * workload.pods
    key = (tenant.name, place.pool.name, place.device.name)
    most = (reach or {}).get(key, place.device.total)
    return needed <= min(most, place.device.total if line.limit is None else line.limit)


def pods_per_node(workload: Workload, place: Place) -> int | None:
    """Count the pods that one node holds, by all that bounds them; None if nothing does.

    What goes with the devices, and is not written, always fits.
    """
    bounds = []
    count = gpus_per_pod(workload, place.pool)
    if place.device is not None and count > 0:
        bounds.append(floor(place.device.per_node // count))
    offered = place.pool.allocatable
    for resource, asked in requests(workload).items():
        if resource in offered and asked > 0:
            bounds.append(floor(offered[resource] // asked))
    if _PODS in offered:
        bounds.append(offered[_PODS])
    return min(bounds) if bounds else None


def requests(workload: Workload) -> dict[str, Fraction]:
    """Give what one pod asks for in so many words: cpu in millicores, memory in MiB, exactly."""
    asked = {}
    if workload.cpu is not None:
        asked["cpu"] = workload.cpu.value * 1000
    if workload.memory is not None:
        asked["memory"] = workload.memory.value * Fraction(1, MIB)
    return asked


def named(workload: Workload, capacity: Capacity) -> Iterator[Place]:
    """Give the place that the workload names, if there is such a pool and device."""
    pool = capacity.pools.get(workload.pool or "")
    if pool is None or pool.broken:
        return
    if pool.is_cpu or gpus_per_pod(workload, pool) == 0:
        yield Place(pool, None)
    elif (device := pool.device(workload.device)) is not None:
        yield Place(pool, device)


def candidates(workload: Workload, tenant: TenantCapacity) -> Iterator[tuple[Place, QuotaLine]]:
    """Give the tenant's places in the order in which its queue tries them, with their quotas.

    A CPU pool is one for work that says it needs no GPU; work that does not say so needs one,
    unless its tenant has none at all.
    """
    asks = workload.device is not None or workload.gpu_memory is not None
    if workload.gpus_per_pod == 0 or (
        workload.gpus_per_pod is None and not asks and all(li.pool.is_cpu for li in tenant.lines)
    ):
        yield from ((Place(li.pool, None), li) for li in tenant.lines if li.pool.is_cpu)
    for line in tenant.lines:
        if not line.pool.is_cpu and workload.device in (None, line.device and line.device.name):
            yield Place(line.pool, None if workload.gpus_per_pod == 0 else line.device), line


def holds(workload: Workload, place: Place) -> bool:
    """Tell whether one node of the place holds one pod: devices, GPU memory, cpu and memory."""
    count = gpus_per_pod(workload, place.pool)
    if place.device is not None:
        if count > place.device.per_node or (place.device.replicas > 1 and count > 1):
            return False
        if workload.gpu_memory and floor(workload.gpu_memory.value / MIB) > place.device.memory_mib:
            return False
    offered = place.pool.allocatable
    return all(amount <= offered.get(name, amount) for name, amount in requests(workload).items())
