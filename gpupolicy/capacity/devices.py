"""The devices of a pool: their resource names, how many there are, what goes with each.

Resource names follow the device plugin (k8s-device-plugin v0.20 internal/rm, api/config/v1):
`nvidia.com/gpu`, under strategy mixed `nvidia.com/mig-<profile>` with `+` as `.`, and `.shared`
behind it where replicas are renamed.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import GroupLayout
from gpupolicy.capacity.model import PoolGpu
from gpupolicy.capacity.model import SharingKind
from gpupolicy.spec.v1alpha1.pools import NodePool
from gpupolicy.spec.v1alpha1.sharing import Sharing


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    base: str
    per_node: int
    weight: Fraction
    memory_mib: int
    profile: str | None = None
    replicas: int = 1
    sharing: SharingKind = "none"


def devices(
    pool: NodePool,
    gpu: PoolGpu,
    layouts: tuple[GroupLayout, ...],
    nodes: int,
    reserve: int,
    allocatable: Mapping[str, int],
) -> tuple[Device, ...]:
    """List what a node of the pool offers: whole GPUs, then profiles as the model lists them."""
    g = pool.gpus_per_node or 0
    sharing = pool.sharing or Sharing()
    kinds = list(_cut(gpu, layouts, sharing) if layouts else _whole(gpu, sharing, g))
    total_weight = sum((kind.per_node * kind.weight for kind in kinds), Fraction(0))
    return tuple(
        _device(kind, sharing, nodes, reserve, allocatable, total_weight) for kind in kinds
    )


def _whole(gpu: PoolGpu, sharing: Sharing, g: int) -> Iterator[_Kind]:
    one = Fraction(1)
    if sharing.vgpu:
        for name, count in sharing.vgpu.items():
            # KubeVirt's name of the type; vgpu-device-manager v0.5, cloud-native-docs.
            resource = f"nvidia.com/NVIDIA_{name}"
            yield _Kind(name, resource, g * count, one / max(count, 1), 0, None, 1, "vgpu")
        return
    if sharing.passthrough:
        yield _Kind("gpu", gpu.resource, g, one, gpu.memory_mib, None, 1, "passthrough")
    elif sharing.fractions:
        yield _Kind("gpu", gpu.resource, g, one, gpu.memory_mib, None, 1, "fractions")
    elif sharing.mps is not None and sharing.mps > 1:
        k = sharing.mps
        yield _Kind("gpu", gpu.resource, g * k, one / k, gpu.memory_mib // k, None, k, "mps")
    elif sharing.time_slicing is not None and (sharing.time_slicing.replicas or 1) > 1:
        k = sharing.time_slicing.replicas or 1
        yield _Kind("gpu", gpu.resource, g * k, one / k, gpu.memory_mib, None, k, "timeSlicing")
    else:
        yield _Kind("gpu", gpu.resource, g, one, gpu.memory_mib)


def _cut(gpu: PoolGpu, layouts: tuple[GroupLayout, ...], sharing: Sharing) -> Iterator[_Kind]:
    mig = gpu.model.mig if gpu.model else None
    if mig is None:
        return
    whole = sum(len(group.gpus) for group in layouts if not group.profiles and not group.unknown)
    if whole:
        yield _Kind("gpu", gpu.resource, whole, Fraction(mig.memory_slices), gpu.memory_mib)
    replicas = (sharing.time_slicing.profiles if sharing.time_slicing else None) or {}
    for profile in mig.profiles:
        count = sum(len(group.gpus) * group.profiles.get(profile.name, 0) for group in layouts)
        if not count:
            continue
        k = max(replicas.get(profile.name, 1), 1)
        base = gpu.resource if sharing.mig_strategy == "single" else profile.resource
        shared: SharingKind = "timeSlicing" if k > 1 else "none"
        weight = Fraction(profile.memory_slices, k)
        yield _Kind(
            profile.name, base, count * k, weight, profile.memory_mib, profile.name, k, shared
        )


def _device(
    kind: _Kind,
    sharing: Sharing,
    nodes: int,
    reserve: int,
    allocatable: Mapping[str, int],
    total_weight: Fraction,
) -> Device:
    renamed = kind.replicas > 1 and sharing.rename is not False
    return Device(
        name=kind.name,
        resource=f"{kind.base}.shared" if renamed else kind.base,
        base_resource=kind.base,
        per_node=kind.per_node,
        total=nodes * kind.per_node,
        cap=max(nodes - reserve, 0) * kind.per_node,
        weight=kind.weight,
        memory_mib=kind.memory_mib,
        replicas=kind.replicas,
        sharing=kind.sharing,
        profile=kind.profile,
        share={r: amount * kind.weight / total_weight for r, amount in allocatable.items()}
        if total_weight
        else {},
    )
