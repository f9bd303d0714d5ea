"""The workloads that can meet on one shared GPU against its memory.

GP322 time-slicing-memory
    Time-slicing shares the compute of a GPU and gives no memory isolation: every pod sees the
    whole memory, and the one that allocates last fails, or takes others with it. So the worst
    legal mix counts: as many pods of the pool's declared workloads as there are replicas, the
    largest first, as far as their number and the tenants' limits allow. It must fit the memory
    that the driver leaves, with one CUDA context each. Write fewer replicas, use `mps` (each
    client is held to its share) or `mig`, or accept it: `overcommit: 2` allows twice the memory.
    Slices of a MIG layout that are time-sliced are checked in the same way, each alone.

GP323 fraction-memory
    KAI divides GPUs by counting: a pod with `gpusPerPod: 0.5` gets half a GPU by the scheduler's
    books, and nothing holds its memory to a half. The worst legal mix of declared workloads on
    one GPU needs more memory than the card has. Ask for larger fractions or less memory, or
    accept it with `overcommit`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from math import floor

from gpupolicy.capacity.gpu_memory import DeviceMemory
from gpupolicy.capacity.gpu_memory import memory_of
from gpupolicy.capacity.gpu_memory import need_mib
from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.sharing_kinds import is_clear
from gpupolicy.capacity.wording import gpu_name
from gpupolicy.capacity.wording import listed
from gpupolicy.capacity.wording import number
from gpupolicy.capacity.wording import unconfirmed_memory
from gpupolicy.capacity.workloads import gpus_per_pod
from gpupolicy.capacity.workloads import pods_per_node
from gpupolicy.capacity.worst_mix import UNITS
from gpupolicy.capacity.worst_mix import Load
from gpupolicy.capacity.worst_mix import Mix
from gpupolicy.capacity.worst_mix import worst_fractions
from gpupolicy.capacity.worst_mix import worst_replicas
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import place_of
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.facts.model import MigProfile

_ONCE = Fraction(1)


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find shared GPUs on which the declared workloads can need more memory than there is."""
    loads = _loads(context)
    for (pool_name, device_name), here in loads.items():
        pool = context.capacity.pools[pool_name]
        device = pool.device(device_name)
        if device is None:
            continue
        memory = memory_of(pool, device, context.facts)
        fitting = [load for load in here if memory.holds(load.need)]
        if memory.total == 0 or not fitting:
            continue
        if device.sharing == "timeSlicing":
            cell = context.reaches.get((pool_name, device_name))
            mix = worst_replicas(
                context.capacity, fitting, device.replicas, cell.reach if cell else {}
            )
            yield from _sliced(pool, device, memory, mix)
        else:
            yield from _divided(pool, memory, worst_fractions(fitting, memory.context))


def _loads(context: CheckContext) -> dict[tuple[str, str], list[Load]]:
    loads: dict[tuple[str, str], list[Load]] = {}
    shared = (d for pool in context.capacity.pools.values() for d in pool.devices)
    if not any(device.sharing in ("timeSlicing", "fractions") for device in shared):
        return loads
    for tenant in context.capacity.tenants.values():
        for index, workload in enumerate(tenant.spec.workloads):
            need = need_mib(workload)
            place = place_of(context, tenant, workload) if need else None
            if not need or place is None or place.device is None or not is_clear(place.pool):
                continue
            count = gpus_per_pod(workload, place.pool)
            sharing = place.device.sharing
            if sharing == "timeSlicing" or (sharing == "fractions" and 0 < count < 1):
                path = (*tenant.path, "workloads", index)
                units = max(floor(count * UNITS), 1)
                # What one node cannot hold together cannot meet on one of its GPUs.
                each = pods_per_node(workload, place)
                pods = max(workload.pods if each is None else min(workload.pods, each), 0)
                load = Load(workload.name, tenant, path, need, pods, units)
                loads.setdefault((place.pool.name, place.device.name), []).append(load)
    return loads


def _sliced(
    pool: PoolCapacity, device: Device, memory: DeviceMemory, mix: Mix
) -> Iterator[Diagnostic]:
    if mix.taken(memory) <= memory.usable * _overcommit(pool):
        return
    what = f"{device.profile} of {gpu_name(pool)}" if device.profile else gpu_name(pool)
    pods = number(mix.pods, "pod")
    situation = f"time-slicing gives no memory isolation, and {pods} can meet on one {what}"
    model = pool.gpu.model if pool.gpu else None
    profile = model.mig.profile(device.profile) if model and model.mig and device.profile else None
    hint = _ways(pool, device, memory, mix)
    yield _finding("GP322", pool, profile, memory, mix, situation, hint, "timeSlicing")


def _ways(pool: PoolCapacity, device: Device, memory: DeviceMemory, mix: Mix) -> str:
    fits = mix.fitting(memory, floor(memory.usable * _overcommit(pool)))
    count = f"{{{device.profile}: {fits}}}" if device.profile else str(fits)
    ways = f"{fits} of these pods fit: write timeSlicing: {count}"
    if fits < 2:
        ways = "only 1 of these pods fits: leave timeSlicing out"
    model = pool.gpu.model if pool.gpu and device.profile is None else None
    # Each MPS client is held to its part of the card, and the largest pod needs to fit in it.
    clients = memory.total // max(load.need for load, _ in mix.parts)
    divided = [f"mps (at most {clients} clients)"] if model and model.mps and clients > 1 else []
    divided += ["mig"] if model and model.mig else []
    if divided:
        ways += f"; or divide the memory by {listed(divided, 'or')}"
    return f"{ways}; or accept the risk with overcommit: {_times(memory, mix)}"


def _divided(pool: PoolCapacity, memory: DeviceMemory, mix: Mix) -> Iterator[Diagnostic]:
    if mix.taken(memory) <= memory.usable * _overcommit(pool):
        return
    situation = (
        f"fractions give no memory isolation, and {number(mix.pods, 'pod')} can meet on one "
        f"{gpu_name(pool)}"
    )
    hint = "ask for larger fractions or less gpuMemory, or accept it with overcommit: "
    hint += _times(memory, mix)
    yield _finding("GP323", pool, None, memory, mix, situation, hint, "fractions")


def _overcommit(pool: PoolCapacity) -> Fraction:
    written = pool.spec.sharing.overcommit if pool.spec.sharing else None
    return max(Fraction(written), _ONCE) if isinstance(written, int | Fraction) else _ONCE


def _times(memory: DeviceMemory, mix: Mix) -> str:
    return f"{ceil(Fraction(mix.taken(memory) * 10, memory.usable)) / 10:g}"


def _finding(
    code: str,
    pool: PoolCapacity,
    profile: MigProfile | None,
    memory: DeviceMemory,
    mix: Mix,
    situation: str,
    hint: str,
    key: str,
) -> Diagnostic:
    taken, bound = mix.taken(memory), floor(memory.usable * _overcommit(pool))
    sums = [f"{count} x {load.need} MiB ('{load.name}')" for load, count in mix.parts]
    if memory.context:
        sums.append(f"{mix.pods} x {memory.context} MiB of CUDA context")
    model = pool.gpu.model if pool.gpu else None
    needed = sum(load.need * count for load, count in mix.parts)
    return Diagnostic(
        code,
        f"pool '{pool.name}': {situation}: {' + '.join(sums)} = {taken} MiB, usable {bound} MiB"
        f"{_usable(pool, memory)}, over by {taken - bound} MiB",
        (*pool.path, "sharing", key),
        hint=hint,
        related=tuple(
            Related(f"'{load.name}' needs {load.need} MiB", (*load.path, "gpuMemory"))
            for load, _ in mix.parts[:3]
        ),
        notes=unconfirmed_memory(
            model, profile, decides=needed <= memory.total * _overcommit(pool)
        ),
    )


def _usable(pool: PoolCapacity, memory: DeviceMemory) -> str:
    times = _overcommit(pool)
    if times != 1:
        return f" ({memory.usable} x overcommit {float(times):g})"
    return f" ({memory.total} - {memory.reserve} for the driver)" if memory.reserve else ""
