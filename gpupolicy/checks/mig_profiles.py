"""The profiles of a MIG layout exist on the card, and are counted from 1.

GP200 mig-unsupported
    The model cannot be cut into MIG instances; only some data-centre cards can (NVIDIA
    Multi-Instance GPU User Guide, Supported GPUs). Share its GPUs by `timeSlicing` (no memory
    isolation) or by `mps` (each client is held to its share of the memory), or use another card.

GP201 mig-profile-unknown
    The card has no such MIG profile. Names say compute slices and memory, so they differ between
    cards of one family: the smallest slice is `1g.5gb` on a card of 40 GB and `1g.10gb` on one of
    80 GB. mig-manager refuses a wrong name on the node, after the roll-out, and the node is left
    without GPUs. The hint names the profile with as many compute slices and all that exist.

GP202 mig-layout-unknown
    A layout name is `all-<profile>` (as many of the profile as a GPU holds), `all-balanced` (what
    mig-manager makes for the model) or `all-disabled`. Other layouts are written as a map of
    profiles, `mig: {3g.40gb: 1, 1g.10gb: 4}`; they need no name.

GP204 mig-count-negative
    A layout counts instances of a profile, and a count below zero means nothing. To leave a
    profile out, leave its line out.

GP205 mig-count-zero
    The profile is named with a count of 0, which is the same as not naming it. It is a warning,
    since a number may have been forgotten. MIG off is written as an empty layout, `{}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.layouts import named_layout
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.placement import nearest_profile
from gpupolicy.capacity.wording import gpu_name
from gpupolicy.capacity.wording import listed
from gpupolicy.capacity.wording import mig_source
from gpupolicy.capacity.wording import unconfirmed_geometry
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import nearest
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.facts.model import GpuModel
from gpupolicy.facts.model import MigFacts
from gpupolicy.spec.v1alpha1.sharing import Layout
from gpupolicy.spec.v1alpha1.sharing import MigLayouts

# What people write to switch MIG off or on; `all-enabled` is a configuration of mig-parted
# (v0.15 deployments/container, config.yaml) that switches it on and cuts nothing.
_OFF = frozenset({"off", "no", "none", "false", "disable", "disabled"})
_ON = frozenset({"on", "yes", "true", "enable", "enabled"})


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find cards without MIG, profiles and layout names that do not exist, and wrong counts."""
    for pool in context.capacity.pools.values():
        written = pool.spec.sharing.mig if pool.spec.sharing else None
        model = pool.gpu.model if pool.gpu else None
        if written is None or model is None:
            continue
        if model.mig is None:
            yield _unsupported(pool, model)
            continue
        for layout, path in _layouts(written, (*pool.path, "sharing", "mig")):
            yield from _layout(pool, model, model.mig, layout, path)


def _layouts(written: MigLayouts, path: Path) -> Iterator[tuple[Layout, Path]]:
    for index, entry in enumerate(written.entries):
        yield entry.layout, path if entry.gpus is None else (*path, index, "layout")


def _unsupported(pool: PoolCapacity, model: GpuModel) -> Diagnostic:
    ways = ["timeSlicing (no memory isolation)"]
    if model.mps:
        ways.append("mps (whole GPUs, memory held to shares)")
    if model.kubevirt_vgpu:
        ways.append("vgpu (for VMs, licensed)")
    return Diagnostic(
        "GP200",
        f"pool '{pool.name}': {gpu_name(pool)} has no MIG",
        (*pool.path, "sharing", "mig"),
        "key",
        hint=f"share it by {listed(ways, 'or')}, or use a card that has MIG",
    )


def _layout(
    pool: PoolCapacity, model: GpuModel, mig: MigFacts, layout: Layout, path: Path
) -> Iterator[Diagnostic]:
    if layout.name is not None:
        if named_layout(mig, layout.name) is None:
            yield _unknown_layout(pool, model, mig, layout.name, path)
        return
    for name, count in (layout.profiles or {}).items():
        at = (*path, name)
        if mig.profile(name) is None:
            yield _unknown_profile(pool, model, mig, name, at)
        elif count < 0:
            message = f"pool '{pool.name}': {count} instances of '{name}' are below zero"
            yield Diagnostic("GP204", message, at, hint="leave the profile out")
        elif count == 0:
            yield Diagnostic(
                "GP205",
                f"pool '{pool.name}': the profile '{name}' has the count 0",
                at,
                severity=Severity.WARNING,
                hint="leave the profile out; MIG off is an empty layout, {}",
            )


def _unknown_profile(
    pool: PoolCapacity, model: GpuModel, mig: MigFacts, name: str, path: Path
) -> Diagnostic:
    near = nearest_profile(mig, name.replace("gb.", "gb+"))
    meant = f"did you mean '{near}'? " if near else ""
    notes = mig_source(model)
    others = [variant for variant in mig.name_variants if variant == name]
    if others:
        notes = (*notes, f"some drivers call a profile of this card '{name}'; write '{near}'")
    return Diagnostic(
        "GP201",
        f"pool '{pool.name}': '{name}' is no MIG profile of {gpu_name(pool)}",
        path,
        "key",
        hint=meant + _profiles(model, mig),
        notes=(*notes, *unconfirmed_geometry(model, mig.profiles)),
    )


def _profiles(model: GpuModel, mig: MigFacts) -> str:
    if not mig.profiles:
        return f"the catalogue knows no profile of {model.display} yet"
    return f"{model.display} has {listed(profile.name for profile in mig.profiles)}"


def _unknown_layout(
    pool: PoolCapacity, model: GpuModel, mig: MigFacts, name: str, path: Path
) -> Diagnostic:
    known = ["all-disabled"] + [f"all-{profile.name}" for profile in mig.profiles]
    if mig.all_balanced is not None:
        known.insert(0, "all-balanced")
    profile = nearest_profile(mig, name.removeprefix("all-").replace("gb.", "gb+"))
    near = f"all-{profile}" if profile else nearest(name, known)
    word = name.lower().removeprefix("all-")
    if name in [p.name for p in mig.profiles]:
        hint = f"write {{{name}: <count>}}, or 'all-{name}'"
    elif word in _OFF:
        hint = "MIG off is an empty layout, {}, or no 'mig' at all"
    elif word in _ON:
        hint = "MIG without instances gives pods no GPU: name a layout; "
        hint += f"names for {model.display} are {listed(known)}"
    else:
        hint = f"did you mean '{near}'? " if near else ""
        hint += f"names for {model.display} are {listed(known)}"
    return Diagnostic(
        "GP202",
        f"pool '{pool.name}': {gpu_name(pool)} has no MIG layout '{name}'",
        path,
        hint=hint,
        notes=(*mig_source(model), *unconfirmed_geometry(model, mig.profiles)),
    )
