"""MIG layouts as written -> one map of profiles for every group of GPUs.

Names are expanded here, before anything else sees them: `all-<profile>` is that profile at the
model's maximum, `all-balanced` what mig-manager generates for the model (mig-parted v0.15
pkg/mig/builder), `all-disabled` is MIG off.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpupolicy.capacity.model import GroupLayout
from gpupolicy.diagnostics.model import Path
from gpupolicy.facts.model import MigFacts
from gpupolicy.spec.v1alpha1.sharing import Layout
from gpupolicy.spec.v1alpha1.sharing import MigLayouts


def expand(
    mig: MigFacts, layouts: MigLayouts, gpus_per_node: int, path: Path
) -> tuple[GroupLayout, ...]:
    """Expand `sharing.mig`. A name that the model cannot expand is among `unknown`."""
    groups = []
    for index, entry in enumerate(layouts.entries):
        where = path if entry.gpus is None else (*path, index, "layout")
        gpus = range(gpus_per_node) if entry.gpus is None else entry.gpus
        profiles, unknown = _profiles(mig, entry.layout)
        groups.append(GroupLayout(tuple(gpus), profiles, unknown, where))
    return tuple(groups)


def _profiles(mig: MigFacts, layout: Layout) -> tuple[Mapping[str, int], tuple[str, ...]]:
    if layout.name is not None:
        named = named_layout(mig, layout.name)
        return ({}, (layout.name,)) if named is None else (named, ())
    written = layout.profiles or {}
    known = {name: count for name, count in written.items() if count > 0 and mig.profile(name)}
    return known, tuple(name for name in written if not mig.profile(name))


def named_layout(mig: MigFacts, name: str) -> Mapping[str, int] | None:
    """Expand a layout name; None if the model has no such layout."""
    if name == "all-disabled":
        return {}
    if name == "all-balanced":
        return mig.all_balanced
    wanted = name.removeprefix("all-")
    for profile in mig.profiles:
        if name != wanted and wanted in (profile.name, profile.name.replace("+", ".")):
            return {profile.name: profile.max_instances}
    return None
