"""A MIG layout can be built on the card.

GP203 mig-layout-impossible
    The instances cannot be placed on one GPU. Adding up slices is not enough: a card has compute
    slices and memory slices, an instance takes a block of memory slices, and only certain starts
    are legal. On a card of seven compute and eight memory slices two 3g instances take all the
    memory, so that 3g + 3g + 1g fails although it is seven compute slices; 3g + 4 x 1g fits. The
    driver would answer "insufficient resources" on the node, after the roll-out. The message
    names the fewest instances that cannot stand together, the hint the nearest layouts that fit.

GP210 mig-off-everywhere
    The layout is empty on every GPU, so MIG is switched off and the pool offers whole GPUs.
    Leaving `mig` out says the same. It is a warning, since slices may have been meant.

GP219 mig-geometry-unconfirmed
    The layout fits, by placements that no source prints for this very model: they are those of
    models with the same slices and profile numbers. The note is there so that nothing is guessed
    in silence. `nvidia-smi mig -lgipp` on one node of the pool shows the real ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.model import GroupLayout
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.placement import explain_limits
from gpupolicy.capacity.placement import feasible
from gpupolicy.capacity.placement import nearest
from gpupolicy.capacity.placement import smallest_conflict
from gpupolicy.capacity.wording import gpu_name
from gpupolicy.capacity.wording import instances_text
from gpupolicy.capacity.wording import layout_text
from gpupolicy.capacity.wording import listed
from gpupolicy.capacity.wording import mig_source
from gpupolicy.capacity.wording import unconfirmed_geometry
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.facts.model import GpuModel
from gpupolicy.facts.model import MigFacts


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find layouts that no placement can build, and layouts that are empty."""
    for pool in context.capacity.pools.values():
        model = pool.gpu.model if pool.gpu else None
        if model is None or model.mig is None:
            continue
        for group in pool.layouts:
            # Of a layout with unknown names nothing more can be said.
            if not group.unknown and not feasible(model.mig, group.profiles):
                yield _impossible(pool, model, group)
        if not pool.broken:
            yield from _unconfirmed(pool, model, model.mig)
        written = pool.spec.sharing.mig if pool.spec.sharing else None
        if written is not None and not any(g.profiles or g.unknown for g in pool.layouts):
            yield _off(pool)


def _impossible(pool: PoolCapacity, model: GpuModel, group: GroupLayout) -> Diagnostic:
    assert model.mig is not None
    conflict = smallest_conflict(model.mig, group.profiles)
    whole = {name: count for name, count in group.profiles.items() if count}
    of = "" if conflict == whole else f" of {layout_text(whole)}"
    asked = [profile for profile in model.mig.profiles if profile.name in conflict]
    options = (layout_text(layout) for layout in nearest(model.mig, group.profiles))
    return Diagnostic(
        "GP203",
        f"pool '{pool.name}': {instances_text(conflict)}{of} do not fit together on one "
        f"{gpu_name(pool)}: {explain_limits(model.mig, conflict)}",
        group.path,
        hint=f"nearest layouts that fit: {listed(options, 'or')}",
        notes=(*mig_source(model), *unconfirmed_geometry(model, asked)),
    )


def _unconfirmed(pool: PoolCapacity, model: GpuModel, mig: MigFacts) -> Iterator[Diagnostic]:
    used = {name for group in pool.layouts for name in group.profiles}
    notes = unconfirmed_geometry(model, [p for p in mig.profiles if p.name in used])
    if used and notes:
        yield Diagnostic(
            "GP219",
            f"pool '{pool.name}': the layout fits {gpu_name(pool)} by a geometry that no source "
            "confirms for this model",
            (*pool.path, "sharing", "mig"),
            severity=Severity.NOTE,
            hint="compare it with nvidia-smi mig -lgipp on one of its nodes",
            notes=notes,
        )


def _off(pool: PoolCapacity) -> Diagnostic:
    return Diagnostic(
        "GP210",
        f"pool '{pool.name}': the MIG layout is empty on every GPU, so MIG is off",
        (*pool.path, "sharing", "mig"),
        severity=Severity.WARNING,
        hint="leave 'mig' out, or write profiles, such as mig: all-balanced",
    )
