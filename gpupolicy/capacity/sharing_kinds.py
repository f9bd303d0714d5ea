"""Which ways of sharing a pool asks for. A pool that asks for several has no clear devices."""

from __future__ import annotations

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.spec.v1alpha1.sharing import Sharing


def sharing_kinds(sharing: Sharing | None) -> tuple[str, ...]:
    """List the ways of sharing that are written, as the policy spells them.

    `timeSlicing` beside `mig` is one way, since it divides the instances; only its map is legal
    there, which is said of its shape, not of the pair.
    """
    if sharing is None:
        return ()
    mig = sharing.mig is not None
    written = {
        "timeSlicing": sharing.time_slicing is not None and not mig,
        "mps": sharing.mps is not None,
        "mig": mig,
        "vgpu": sharing.vgpu is not None,
        "passthrough": sharing.passthrough,
        "fractions": sharing.fractions,
    }
    return tuple(name for name, there in written.items() if there)


def is_clear(pool: PoolCapacity) -> bool:
    """Tell whether the devices are known: a GPU, a layout that fits, one way of sharing it."""
    if pool.gpu is None or pool.broken:
        return False
    kinds = sharing_kinds(pool.spec.sharing)
    # Of a described GPU only time-slicing is known; what another operator exposes is not ours.
    model = pool.gpu.model
    known = kinds == ("timeSlicing",) if model is None else model.mps or kinds != ("mps",)
    return not kinds or (len(kinds) == 1 and known and pool.is_managed)
