"""One workload against the memory of one device.

GP320 gpu-memory-exceeds-device
    The workload needs more memory per device (`gpuMemory`) than one device of the pool can give:
    what the driver reports, less what it keeps for itself and less the CUDA context of the
    process, which comes on top of what the program allocates. A card of "80 GB" reports 81559
    MiB, not 80 GiB. Reserve and context are bounds over observations, on the safe side. Use a
    larger device, or split the work over more of them.

GP321 mps-share-too-small
    Each MPS client is held to card / clients, in whole MiB (k8s-device-plugin v0.20,
    `set_default_device_pinned_mem_limit`), and the workload needs more. The hint says how many
    clients per GPU give it enough. `6G` is 5723 MiB, `6Gi` is 6144 MiB: the count can differ.

GP324 gpu-memory-unchecked
    The catalogue does not know the memory of this device, so `gpuMemory` of the workloads on it
    is not checked. Read it from a node (`nvidia-smi`, or the label `nvidia.com/gpu.memory`), and
    describe the GPU if it matters: `gpu: {name: ..., resource: nvidia.com/gpu, memory: 48Gi}`.

GP326 mps-reserve
    Every client has enough, but all of them together, at the full need of this workload, take
    more than the card has without the driver's reserve. The last of them may fail to allocate.
    With one client fewer per GPU there is room.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy import quantity
from gpupolicy.capacity.gpu_memory import DeviceMemory
from gpupolicy.capacity.gpu_memory import memory_of
from gpupolicy.capacity.gpu_memory import need_mib
from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.sharing_kinds import is_clear
from gpupolicy.capacity.wording import gpu_name
from gpupolicy.capacity.wording import unconfirmed_memory
from gpupolicy.capacity.workloads import Place
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import place_of
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.facts.model import MigProfile
from gpupolicy.spec.v1alpha1.tenants import Workload


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find workloads that need more memory than their device has."""
    unknown: set[str] = set()
    for tenant in context.capacity.tenants.values():
        for index, workload in enumerate(tenant.spec.workloads):
            need = need_mib(workload)
            place = place_of(context, tenant, workload) if need is not None else None
            if need is None or place is None or place.device is None or not is_clear(place.pool):
                continue
            path = (*tenant.path, "workloads", index, "gpuMemory")
            memory = memory_of(place.pool, place.device, context.facts)
            if place.device.sharing == "vgpu":
                continue  # The memory of a vGPU is that of its type, which is not in the catalogue.
            if memory.total == 0:
                if place.pool.name not in unknown:
                    yield _unchecked(place.pool, place.device, path)
                unknown.add(place.pool.name)
            elif place.device.sharing == "mps":
                yield from _mps(workload, need, place.pool, place.device, memory, path)
            elif not memory.holds(need):
                yield _exceeds(workload, need, place, memory, path, context)


def _exceeds(
    workload: Workload,
    need: int,
    place: Place,
    memory: DeviceMemory,
    path: Path,
    context: CheckContext,
) -> Diagnostic:
    assert place.device is not None
    written = workload.gpu_memory.text if workload.gpu_memory else ""
    left = memory.usable - memory.context
    larger = _larger(context, memory.taken(need))
    return Diagnostic(
        "GP320",
        f"workload '{workload.name}' needs {written} ({need} MiB) per device, and one "
        f"{_device(place.pool, place.device)} of pool '{place.pool.name}' leaves it {left} MiB"
        f"{_parts(memory)}, over by {need - left} MiB",
        path,
        hint=f"at most {left}Mi here" + (f"; {larger}" if larger else ""),
        related=(Related("the device", _shown(place.pool)),),
        notes=unconfirmed_memory(
            place.pool.gpu.model if place.pool.gpu else None,
            _profile(place.pool, place.device),
            decides=need <= memory.total,
        ),
    )


def _device(pool: PoolCapacity, device: Device) -> str:
    return f"{device.profile} of {gpu_name(pool)}" if device.profile else gpu_name(pool)


def _shown(pool: PoolCapacity) -> Path:
    mig = pool.spec.sharing is not None and pool.spec.sharing.mig is not None
    return (*pool.path, "sharing", "mig") if mig else (*pool.path, "gpu")


def _parts(memory: DeviceMemory) -> str:
    if not memory.reserve and not memory.context:
        return ""
    reserve = f" - {memory.reserve} for the driver" if memory.reserve else ""
    return f" ({memory.total}{reserve} - {memory.context} for its CUDA context)"


def _profile(pool: PoolCapacity, device: Device) -> MigProfile | None:
    model = pool.gpu.model if pool.gpu else None
    return model.mig.profile(device.profile) if model and model.mig and device.profile else None


def _larger(context: CheckContext, taken: int) -> str | None:
    """Name devices of the policy that have enough."""
    found = [
        f"pool '{pool.name}' ({_device(pool, device)})"
        for pool in context.capacity.pools.values()
        if is_clear(pool)
        for device in pool.devices
        if device.sharing == "none" and memory_of(pool, device, context.facts).usable >= taken
    ]
    return f"{found[0]} has enough" if found else None


def _unchecked(pool: PoolCapacity, device: Device, path: Path) -> Diagnostic:
    return Diagnostic(
        "GP324",
        f"the catalogue does not know the memory of {_device(pool, device)}, so gpuMemory on "
        f"pool '{pool.name}' is not checked",
        path,
        severity=Severity.WARNING,
        hint="read it from a node (label nvidia.com/gpu.memory) before you rely on it",
    )


def _mps(
    workload: Workload,
    need: int,
    pool: PoolCapacity,
    device: Device,
    memory: DeviceMemory,
    path: Path,
) -> Iterator[Diagnostic]:
    """Compare with card / clients, the limit that the plugin sets; bytes are compared exactly."""
    share = memory.total // device.replicas
    written = workload.gpu_memory.text if workload.gpu_memory else ""
    if need > share:
        yield Diagnostic(
            "GP321",
            f"workload '{workload.name}' needs {written} ({need} MiB), and each of the "
            f"{device.replicas} MPS clients on one {gpu_name(pool)} of pool '{pool.name}' is held "
            f"to {share} MiB ({memory.total} / {device.replicas}), over by {need - share} MiB",
            path,
            hint=_fewer_clients(workload, need, memory),
            related=(Related("the clients", (*pool.path, "sharing", "mps")),),
            notes=unconfirmed_memory(pool.gpu.model if pool.gpu else None, None, decides=False),
        )
    elif need * device.replicas > memory.usable and memory.reserve:
        yield Diagnostic(
            "GP326",
            f"workload '{workload.name}': {device.replicas} clients at {need} MiB take "
            f"{need * device.replicas} MiB, and the driver leaves {memory.usable} of "
            f"{memory.total} MiB on one {gpu_name(pool)}",
            path,
            severity=Severity.NOTE,
            hint=f"{memory.usable // need} clients per GPU leave room",
        )


def _fewer_clients(workload: Workload, need: int, memory: DeviceMemory) -> str:
    """Say the largest count that works, in both readings of a size in GB."""
    most = memory.total // need
    if most < 2:
        return "a whole GPU, or a larger one" if most else "a larger GPU"
    hint = f"at most {most} clients per GPU, {memory.total // most} MiB each"
    other = _other_reading(workload.gpu_memory.text if workload.gpu_memory else "")
    if other is not None:
        again = memory.total // -(-quantity.memory_bytes(other) // quantity.MIB)
        if again > 1 and again != most:
            hint += f"; if {other} is meant, at most {again}"
    return hint


def _other_reading(text: str) -> str | None:
    """Give `6Gi` for `6G` and the other way round: people mean either by "6 GB"."""
    if text[-2:] in ("Mi", "Gi", "Ti"):
        return text[:-1]
    return f"{text}i" if text[-1:] in ("M", "G", "T") else None
