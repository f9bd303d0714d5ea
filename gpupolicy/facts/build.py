"""Make frozen GPU facts out of the plain data of one catalogue file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpupolicy.facts.model import Cap
from gpupolicy.facts.model import GpuModel
from gpupolicy.facts.model import MigFacts
from gpupolicy.facts.model import MigProfile
from gpupolicy.facts.model import PciId
from gpupolicy.facts.model import Placement

_MIB = 1 << 20


def memory_floor(marketing_gb: int | None) -> int:
    """Return the MiB that a card of this marketing size has at least, 0 if unknown.

    The size taken as decimal GB is below the reported total of every captured card.
    """
    return (marketing_gb or 0) * 1000**3 // _MIB


def model_of(data: Mapping[str, Any]) -> GpuModel:
    """Return the model that a file of `gpus/` describes. Raises KeyError for a missing fact."""
    memory, nvlink, mig = data["memory"], data["nvlink"], data.get("mig")
    cut = _mig(mig) if mig else None
    major, _, minor = data["compute_capability"].partition(".")
    unconfirmed = tuple(data["unconfirmed_fields"])
    return GpuModel(
        id=data["id"],
        name=data["name"],
        product_labels=tuple(data["product_labels"]),
        aliases=tuple(data["aliases"]),
        architecture=data["architecture"],
        compute_capability=(int(major), int(minor)),
        form_factor=data["form_factor"],
        memory_mib=memory["reported_mib"] or _least(memory["marketing_gb"], cut),
        marketing_gb=memory["marketing_gb"],
        pci_ids=tuple(PciId(**pci) for pci in data["pci"]),
        nvlink=nvlink["present"],
        mps_max_replicas=data["mps_max_replicas"],
        mig=cut,
        profiling=data["profiling"],
        confirmed=not unconfirmed,
        unconfirmed_fields=unconfirmed,
        source_ids=tuple(data["sources"]),
        notes=tuple(data.get("notes", ())),
        gfd_family=data["gfd_family"],
        nvlink_bridge=nvlink.get("bridge", False),
        nvlink_gb_per_s=nvlink["gb_per_s"],
        tdp_watts=data["tdp_watts"],
        sm_count=data["sm_count"],
        kubevirt_vgpu=data.get("kubevirt_vgpu"),
        in_default_mig_filters=data["in_default_mig_filters"],
        reserved_mib=memory.get("reserved_mib"),
    )


def _least(marketing_gb: int | None, mig: MigFacts | None) -> int:
    """Return what a card with an unknown total has at least: what its instances add up to."""
    held = [p.memory_mib * p.max_instances for p in mig.profiles] if mig else []
    return max(memory_floor(marketing_gb), *held, 0)


def _mig(data: Mapping[str, Any]) -> MigFacts:
    return MigFacts(
        compute_slices=data["compute_slices"],
        memory_slices=data["memory_slices"],
        max_instances=data["max_instances"],
        media_engines_total=data["media_engines_total"],
        profiles=tuple(_profile(row) for row in data["profiles"]),
        all_balanced=data["all_balanced"],
        name_variants=tuple(data.get("name_variants", ())),
        mode_change_needs_gpu_reset=data["mode_change_needs_gpu_reset"],
        min_driver=data["min_driver"],
        caps=tuple(Cap(tuple(c["profiles"]), c["max_instances"]) for c in data.get("caps", ())),
        all_balanced_static=data.get("all_balanced_static", data["all_balanced"]),
        note=data.get("note"),
        per_gpu_layouts_since=data.get("per_gpu_layouts_since"),
    )


def _profile(row: Mapping[str, Any]) -> MigProfile:
    unconfirmed = tuple(row.get("unconfirmed_fields", ()))
    place = row["placements"]
    return MigProfile(
        name=row["name"],
        profile_id=row["profile_id"],
        compute_slices=row["compute_slices"],
        memory_slices=row["memory_slices"],
        memory_mib=row["memory_mib"] or 0,
        max_instances=row["max_instances"],
        placements=Placement(place["size"], tuple(place["starts"])),
        media=row.get("media"),
        resource=row["resource"],
        min_driver_branch=row.get("min_driver_branch"),
        confirmed=not unconfirmed,
        unconfirmed_fields=unconfirmed,
        sm_count=row.get("sm_count"),
        static_config=row["static_config"],
    )
