"""One model for a name that fits several: what they have in common, the safe side where not."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from gpupolicy.facts.model import GpuModel
from gpupolicy.facts.model import MigFacts
from gpupolicy.facts.model import MigProfile

T = TypeVar("T")


def differences(models: tuple[GpuModel, ...]) -> tuple[str, ...]:
    """Say in which facts that matter the models differ, one text each; empty if they agree."""
    found = []
    if len({model.marketing_gb for model in models}) > 1:
        sizes = " or ".join(str(size) for size in _sorted(model.memory_mib for model in models))
        found.append(f"memory {sizes} MiB")
    if not same_mig(models):
        found.append("MIG profiles " + " or ".join(_unique(_profile_names(m) for m in models)))
    if len({model.mps_max_replicas for model in models}) > 1:
        limits = " or ".join(str(n) for n in _sorted(model.mps_max_replicas for model in models))
        found.append(f"MPS clients at most {limits}")
    if len({model.resource for model in models}) > 1:
        found.append("resource " + " or ".join(_unique(model.resource for model in models)))
    return tuple(found)


def same_mig(models: tuple[GpuModel, ...]) -> bool:
    """Tell whether the models have one list of profiles with one geometry, or none of them MIG."""
    return len({_geometry(model.mig) for model in models}) == 1


def merge(name: str, models: tuple[GpuModel, ...]) -> GpuModel | None:
    """Return the common model under `name`, or None where the facts that matter differ.

    Memory is the smallest, PCI ids and product labels are the union, so that a filter or a
    selector made from them finds each of the boards.
    """
    if not models or differences(models):
        return None
    first = models[0]
    return replace(
        first,
        id=name,
        name=" or ".join(model.name for model in models),
        product_labels=_flat(model.product_labels for model in models),
        aliases=(),
        compute_capability=min(model.compute_capability for model in models),
        memory_mib=min(model.memory_mib for model in models),
        pci_ids=_flat(model.pci_ids for model in models),
        nvlink=_common(model.nvlink for model in models),
        nvlink_bridge=any(model.nvlink_bridge for model in models),
        nvlink_gb_per_s=_common(model.nvlink_gb_per_s for model in models),
        sm_count=_largest(model.sm_count for model in models),
        tdp_watts=_common(model.tdp_watts for model in models),
        form_factor=" or ".join(_unique(model.form_factor for model in models)),
        kubevirt_vgpu=_common(model.kubevirt_vgpu for model in models),
        in_default_mig_filters=all(model.in_default_mig_filters for model in models),
        mig=_merge_mig([model.mig for model in models if model.mig]),
        profiling=all(model.profiling for model in models),
        reserved_mib=_largest(model.reserved_mib for model in models),
        confirmed=all(model.confirmed for model in models),
        unconfirmed_fields=_flat(model.unconfirmed_fields for model in models),
        source_ids=_flat(model.source_ids for model in models),
        notes=_flat(model.notes for model in models),
        merged_from=tuple(model.id for model in models),
    )


def _geometry(mig: MigFacts | None) -> object:
    if mig is None:
        return None
    rows = (
        (p.name, p.resource, p.placements, p.compute_slices, p.max_instances) for p in mig.profiles
    )
    return (mig.compute_slices, mig.memory_slices, frozenset(rows))


def _profile_names(model: GpuModel) -> str:
    return ", ".join(p.name for p in model.mig.profiles) or "unknown" if model.mig else "none"


def _merge_mig(facts: list[MigFacts]) -> MigFacts | None:
    if not facts:
        return None
    rows = zip(*(sorted(mig.profiles, key=_row_key) for mig in facts), strict=True)
    merged = {row[0].name: _merge_profile(row) for row in rows}
    return replace(
        facts[0],
        media_engines_total=_least([mig.media_engines_total for mig in facts]),
        profiles=tuple(merged[p.name] for p in facts[0].profiles),
        name_variants=_flat(mig.name_variants for mig in facts),
        mode_change_needs_gpu_reset=any(mig.mode_change_needs_gpu_reset for mig in facts),
        min_driver=max((mig.min_driver for mig in facts if mig.min_driver), default=None),
        caps=_flat(mig.caps for mig in facts),
        note=" ".join(_unique(mig.note for mig in facts if mig.note)) or None,
    )


def _row_key(profile: MigProfile) -> str:
    return profile.name


def _merge_profile(rows: tuple[MigProfile, ...]) -> MigProfile:
    return replace(
        rows[0],
        memory_mib=min(row.memory_mib for row in rows),
        media=_most([row.media for row in rows]),
        confirmed=all(row.confirmed for row in rows),
        unconfirmed_fields=_flat(row.unconfirmed_fields for row in rows),
        sm_count=_common(row.sm_count for row in rows),
        static_config=_common(row.static_config for row in rows),
    )


def _least(tables: list[Mapping[str, int] | None]) -> Mapping[str, int] | None:
    known = [table for table in tables if table is not None]
    return {key: min(t.get(key, 0) for t in known) for key in known[0]} if known else None


def _most(tables: list[Mapping[str, int] | None]) -> Mapping[str, int] | None:
    known = [table for table in tables if table is not None]
    return {key: max(t.get(key, 0) for t in known) for key in known[0]} if known else None


def _common(values: Iterable[T]) -> T | None:
    distinct = list(dict.fromkeys(values))
    return distinct[0] if len(distinct) == 1 else None


def _largest(values: Iterable[int | None]) -> int | None:
    known = list(values)
    numbers = [value for value in known if value is not None]
    return max(numbers) if numbers and len(numbers) == len(known) else None


def _flat(groups: Iterable[Iterable[T]]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _sorted(numbers: Iterable[int]) -> list[int]:
    return sorted(set(numbers))
