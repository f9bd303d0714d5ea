"""Numbers of replicas: their form, and their size.

GP303 time-slicing-shape
    `timeSlicing: 4` is for whole GPUs, `timeSlicing: {<profile>: 4}` for the slices of `mig`. The
    one that was written does not go with the pool: beside `mig` a map says which profiles are
    divided, and without `mig` there are no profiles.

GP304 time-slicing-profile-absent
    The map divides slices of a profile that the pool's layout does not have, so nothing would be
    divided. Name a profile of the layout.

GP305 replicas-wrong
    A number of replicas, MPS clients or vGPUs below 1, or so many that a node would have more than
    60000 devices: each is an entry in one message of the device plugin to the kubelet, and beyond
    4 MiB that message is refused, so the node would expose none (kubernetes, issue 109304). To
    switch sharing off leave it out.

GP306 replicas-one
    One replica per GPU is no sharing. It is compiled so, without a sharing block (the device
    plugin refuses `replicas: 1`), and it is a warning, since leaving it out says the same.

GP312 replicas-absurd
    More replicas of one GPU than the node runs pods: the kubelet's `maxPods` is 110 unless
    `allocatable` says otherwise (`pods: 250`; then all replicas of the node count), and a pod
    takes one replica at most. Replicas carry no memory and no share of compute; each is a device
    that the kubelet tracks. To divide memory use MIG or MPS, or a tool made for it, such as HAMi,
    with `managed: false`.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import layout_text
from gpupolicy.capacity.wording import listed
from gpupolicy.capacity.wording import number
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import nearest
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.sharing import Sharing
from gpupolicy.spec.v1alpha1.sharing import TimeSlicing

# Kubelet: default of maxPods (kubelet.config.k8s.io/v1beta1).
_MAX_PODS = 110
# What fits in a gRPC message of 4 MiB, the kubelet's default, with some 70 bytes a device.
_MAX_DEVICES = 60_000


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find numbers that are no number of replicas, and maps that fit no layout."""
    for pool in context.capacity.pools.values():
        sharing = pool.spec.sharing
        if sharing is None or pool.is_cpu:
            continue
        if sharing.time_slicing is not None:
            yield from _shape(pool, sharing, sharing.time_slicing)
        faults = [f for counted in _counts(pool, sharing) for f in _count(pool, *counted)]
        yield from faults
        yield from _crowded(pool, {fault.path for fault in faults})


def _shape(pool: PoolCapacity, sharing: Sharing, slicing: TimeSlicing) -> Iterator[Diagnostic]:
    path = (*pool.path, "sharing", "timeSlicing")
    if sharing.mig is None and slicing.profiles is not None:
        text = f"timeSlicing names profiles, and the pool has no 'mig': {listed(slicing.profiles)}"
        hint = "write a number of replicas per GPU, or add the layout under 'mig'"
        yield Diagnostic("GP303", f"pool '{pool.name}': {text}", path, hint=hint)
    elif sharing.mig is not None and slicing.replicas is not None:
        used = _profiles(pool)
        example = layout_text(dict.fromkeys(used[:1] or ["<profile>"], slicing.replicas))
        text = f"timeSlicing {slicing.replicas} does not say which slices of 'mig' it divides"
        yield Diagnostic(
            "GP303", f"pool '{pool.name}': {text}", path, hint=f"write timeSlicing: {example}"
        )
    elif sharing.mig is not None and not pool.broken and pool.layouts:
        yield from _absent(pool, slicing, path)


def _absent(pool: PoolCapacity, slicing: TimeSlicing, path: Path) -> Iterator[Diagnostic]:
    used = _profiles(pool)
    for name in slicing.profiles or {}:
        if name not in used:
            near = nearest(name, used)
            has = f"the layout has {listed(used)}" if used else "MIG is off on every GPU"
            yield Diagnostic(
                "GP304",
                f"pool '{pool.name}': timeSlicing divides '{name}', which is not in its layout",
                (*path, name),
                "key",
                hint=f"did you mean '{near}'? {has}" if near else has,
            )


def _profiles(pool: PoolCapacity) -> list[str]:
    return list(dict.fromkeys(name for group in pool.layouts for name in group.profiles))


def _counts(pool: PoolCapacity, sharing: Sharing) -> Iterator[tuple[str, int, Path]]:
    path = (*pool.path, "sharing")
    slicing = sharing.time_slicing
    if slicing is not None and slicing.replicas is not None:
        yield "timeSlicing", slicing.replicas, (*path, "timeSlicing")
    for name, count in ((slicing.profiles if slicing else None) or {}).items():
        yield f"timeSlicing of '{name}'", count, (*path, "timeSlicing", name)
    if sharing.mps is not None:
        yield "mps", sharing.mps, (*path, "mps")
    for name, count in (sharing.vgpu or {}).items():
        yield f"vgpu '{name}'", count, (*path, "vgpu", name)


def _count(pool: PoolCapacity, what: str, count: int, path: Path) -> Iterator[Diagnostic]:
    if count < 1:
        hint = "leave it out to switch sharing off"
        yield Diagnostic("GP305", f"pool '{pool.name}': {what} {count} is below 1", path, hint=hint)
    elif count * pool.gpus_per_node > _MAX_DEVICES:
        yield Diagnostic(
            "GP305",
            f"pool '{pool.name}': {what} {count} on {number(pool.gpus_per_node, 'GPU')} makes more "
            f"than the {_MAX_DEVICES} devices that a kubelet takes from its device plugin",
            path,
            hint=f"at most {_MAX_DEVICES // pool.gpus_per_node}; replicas carry no memory: to "
            "divide it use mig or mps, or a tool made for it with managed: false",
        )
    elif count == 1 and not what.startswith("vgpu"):
        yield Diagnostic(
            "GP306",
            f"pool '{pool.name}': {what} 1 is no sharing",
            path,
            severity=Severity.WARNING,
            hint="leave it out",
        )
    elif count > _pods(pool) and what.startswith("timeSlicing"):
        yield Diagnostic(
            "GP312",
            f"pool '{pool.name}': {what} {count} is more than the {_pods(pool)} pods that a node "
            "runs (kubelet maxPods), and a replica carries no memory",
            path,
            severity=Severity.WARNING,
            hint="to divide memory use mig or mps, or a tool made for it with managed: false",
        )


def _pods(pool: PoolCapacity) -> int:
    """Give what a node runs at most: as `allocatable` says, or the kubelet's default."""
    return pool.allocatable.get("pods", _MAX_PODS)


def _crowded(pool: PoolCapacity, said: AbstractSet[Path]) -> Iterator[Diagnostic]:
    """Compare all replicas of a node, one for each pod, with the pods that it is said to run.

    Where nothing is said `maxPods` may be larger, since dense nodes are set up so.
    """
    if "pods" not in pool.allocatable:
        return
    shared = [device for device in pool.devices if device.replicas > 1]
    total, most = sum(device.per_node for device in shared), _pods(pool)
    key = "mps" if any(device.sharing == "mps" for device in shared) else "timeSlicing"
    path = (*pool.path, "sharing", key)
    if total <= most or any(one[: len(path)] == path for one in said):
        return
    yield Diagnostic(
        "GP312",
        f"pool '{pool.name}': a node has {total} replicas and runs {most} pods, with one replica "
        f"each: {total - most} are never used",
        path,
        severity=Severity.WARNING,
        hint="write fewer, or let the nodes run more pods (kubelet maxPods)",
    )
