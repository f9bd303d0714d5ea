"""`sharing`: one way, on a pool that can be shared.

GP300 sharing-without-gpu
    A CPU pool has nothing to share. Add `gpu` and `gpusPerNode`, or leave `sharing` out.

GP301 sharing-contradiction
    A pool shares its GPUs in one way: `timeSlicing`, `mps`, `mig`, `vgpu`, `passthrough` or
    `fractions`. The device plugin takes MPS without a word where a file has both MPS and
    time-slicing. Write two pools if both are wanted. Only `timeSlicing: {<profile>: n}` stands
    beside `mig`, and divides its slices.

GP302 sharing-not-managed
    Sharing is done by NVIDIA's device plugin and mig-manager, and they do not run on this pool:
    its resource is another vendor's, or it says `managed: false`. Share such GPUs with that
    vendor's operator, and describe the result. Of a GPU that the catalogue lacks, only
    `timeSlicing` is possible, since its geometry and limits are not known.

GP307 mps-on-mig
    MPS of the device plugin works on whole GPUs only: its manager skips MIG devices, and with the
    strategy mixed the plugin does not start (k8s-device-plugin v0.20, internal/rm and
    cmd/mps-control-daemon). Share the slices by `timeSlicing: {<profile>: n}`, which does not
    isolate memory, or use smaller slices, which do.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.sharing_kinds import sharing_kinds
from gpupolicy.capacity.wording import gpu_name
from gpupolicy.capacity.wording import quoted
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related

# What the device plugin announces; the only name that it shares without MIG.
_PLUGIN_RESOURCE = "nvidia.com/gpu"
_NO_GPU = "leave 'sharing' out, or add the 'gpu' that the nodes have"


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find sharing on pools that cannot be shared, and several ways at once."""
    for pool in context.capacity.pools.values():
        kinds = _ways(pool)
        if not kinds:
            continue
        if pool.is_cpu:
            yield _wrong(pool, "GP300", "a CPU pool has nothing to share", (), _NO_GPU)
        elif (fault := _not_ours(pool, kinds)) is not None:
            yield _wrong(pool, "GP302", *fault)
        elif "mig" in kinds and "mps" in kinds:
            yield _mps_on_mig(pool)
        elif len(kinds) > 1:
            yield _several(pool, kinds)


def _ways(pool: PoolCapacity) -> tuple[str, ...]:
    return sharing_kinds(pool.spec.sharing)


def _wrong(
    pool: PoolCapacity, code: str, text: str, where: tuple[str, ...], hint: str
) -> Diagnostic:
    path = (*pool.path, "sharing", *where)
    return Diagnostic(code, f"pool '{pool.name}': {text}", path, "key", hint=hint)


def _not_ours(
    pool: PoolCapacity, kinds: tuple[str, ...]
) -> tuple[str, tuple[str, ...], str] | None:
    if pool.gpu is None:
        return None  # The name is wrong, which is said there.
    first = (kinds[0],)
    if not pool.spec.managed:
        text = "managed: false keeps NVIDIA's device plugin away, so nothing here can share"
        return text, first, "leave 'sharing' out: the operator that exposes the GPUs shares them"
    if not pool.gpu.is_nvidia:
        text = f"NVIDIA's device plugin, which shares GPUs, does not expose '{pool.gpu.resource}'"
        return text, first, "leave 'sharing' out: the vendor's own operator shares its GPUs"
    if pool.gpu.model is not None or (
        kinds == ("timeSlicing",) and pool.gpu.resource == _PLUGIN_RESOURCE
    ):
        return None
    wrong = next((kind for kind in kinds if kind != "timeSlicing"), kinds[0])
    text = f"{gpu_name(pool)} is described, and its limits for '{wrong}' are not known"
    return text, (wrong,), f"only timeSlicing of {_PLUGIN_RESOURCE} is possible"


def _mps_on_mig(pool: PoolCapacity) -> Diagnostic:
    return Diagnostic(
        "GP307",
        f"pool '{pool.name}': MPS works on whole GPUs only, and 'mig' cuts them",
        (*pool.path, "sharing", "mps"),
        "key",
        hint="write timeSlicing: {<profile>: n} for the slices, or smaller slices without sharing",
        related=(Related("the layout", (*pool.path, "sharing", "mig")),),
    )


def _several(pool: PoolCapacity, kinds: tuple[str, ...]) -> Diagnostic:
    notes: tuple[str, ...] = ()
    if {"mps", "timeSlicing"} <= set(kinds):
        notes = ("the device plugin would take MPS and ignore time-slicing without a word",)
    return Diagnostic(
        "GP301",
        f"pool '{pool.name}' is shared in {len(kinds)} ways at once: {quoted(kinds)}",
        (*pool.path, "sharing", kinds[-1]),
        "key",
        hint="keep one, or split the nodes into a pool for each",
        related=tuple(
            Related(f"'{kind}' stands here", (*pool.path, "sharing", kind), "key")
            for kind in kinds[:-1]
        ),
        notes=notes,
    )
