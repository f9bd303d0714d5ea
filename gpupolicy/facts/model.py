"""What is true of one GPU model, as frozen data. Sizes are MiB, slices are whole numbers.

The values stand in `gpupolicy/facts/gpus/<id>.yaml` with their sources; this module has the shapes
only. "Memory slice" and "placement" are the terms of `nvidia-smi mig -lgip` and `-lgipp`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field


@dataclass(frozen=True, slots=True)
class Placement:
    """Where instances of a profile may begin: `size` memory slices from each of `starts`."""

    size: int
    starts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cap:
    """At most `max_instances` instances of these profiles together."""

    profiles: tuple[str, ...]
    max_instances: int


@dataclass(frozen=True, slots=True)
class MigProfile:
    """One MIG profile of one model. `memory_mib` 0 means that it is unknown."""

    name: str
    profile_id: int | None
    compute_slices: int
    memory_slices: int
    memory_mib: int
    max_instances: int
    placements: Placement
    media: Mapping[str, int] | None
    resource: str
    min_driver_branch: str | None
    confirmed: bool
    unconfirmed_fields: tuple[str, ...]
    sm_count: int | None = None
    # Name in the GPU Operator's static default MIG config whose filter and count fit this card.
    static_config: str | None = None


@dataclass(frozen=True, slots=True)
class MigFacts:
    """How a model may be cut. `media_engines_total` None: the engines are not known."""

    compute_slices: int
    memory_slices: int
    max_instances: int
    media_engines_total: Mapping[str, int] | None
    profiles: tuple[MigProfile, ...]
    # What `all-balanced` means on this model; None where mig-manager generates none.
    all_balanced: Mapping[str, int] | None
    # Names that other driver branches give to profiles of this model.
    name_variants: tuple[str, ...]
    mode_change_needs_gpu_reset: bool
    min_driver: str | None
    caps: tuple[Cap, ...] = ()
    # What the GPU Operator's static default config calls `all-balanced` for this card.
    all_balanced_static: Mapping[str, int] | None = None
    note: str | None = None
    # First mig-manager that builds layouts which differ from GPU to GPU reliably on this model.
    per_gpu_layouts_since: str | None = None

    def profile(self, name: str) -> MigProfile | None:
        """Return the profile of exactly this name."""
        for profile in self.profiles:
            if profile.name == name:
                return profile
        return None

    @property
    def confirmed(self) -> bool:
        """Tell whether the geometry (not the memory sizes) of every profile is confirmed."""
        shaky = {"name", "placements", "memory_slices", "profile_id"}
        return all(not shaky.intersection(p.unconfirmed_fields) for p in self.profiles)


@dataclass(frozen=True, slots=True)
class PciId:
    """A PCI id, lower-case hex digits. `subsystem` (device part) only where cards share an id."""

    device: str
    vendor: str = "10de"
    subsystem: str | None = None

    @property
    def mig_parted(self) -> str:
        """The form of mig-parted's `device-filter`: `0xDDDDVVVV[:0xSSSSVVVV]`."""
        text = f"0x{self.device.upper()}{self.vendor.upper()}"
        return f"{text}:0x{self.subsystem.upper()}{self.vendor.upper()}" if self.subsystem else text


@dataclass(frozen=True, slots=True)
class GpuModel:
    """One GPU model.

    `memory_mib` is the total that the driver reports; where no capture exists it is what the card
    has at least (its size as decimal GB, or what its MIG instances add up to), and 0 if even that
    is unknown; `memory.reported_mib` then stands in `unconfirmed_fields`. `nvlink` None: the
    merged models differ.
    """

    id: str
    name: str
    product_labels: tuple[str, ...]
    aliases: tuple[str, ...]
    architecture: str
    compute_capability: tuple[int, int]
    form_factor: str
    memory_mib: int
    marketing_gb: int | None
    pci_ids: tuple[PciId, ...]
    nvlink: bool | None
    mps_max_replicas: int
    mig: MigFacts | None
    profiling: bool
    confirmed: bool
    unconfirmed_fields: tuple[str, ...]
    source_ids: tuple[str, ...]
    notes: tuple[str, ...] = ()
    gfd_family: str = "unknown"
    # True: the link needs a bridge between two cards, which is an option of the server.
    nvlink_bridge: bool = False
    nvlink_gb_per_s: float | None = None
    tdp_watts: int | None = None
    sm_count: int | None = None
    kubevirt_vgpu: bool | None = None
    in_default_mig_filters: bool = False
    resource: str = "nvidia.com/gpu"
    # What the driver keeps of `memory_mib` for itself; None where no capture shows it.
    reserved_mib: int | None = None
    # Ids of the models that were merged into this one; empty for a model of the catalogue.
    merged_from: tuple[str, ...] = field(default=())

    @property
    def display(self) -> str:
        """The name as `catalog` prints it."""
        return self.id.upper()

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources as text, in the order of `source_ids`."""
        from gpupolicy.facts.read import source_texts

        return source_texts(self.source_ids)

    @property
    def usable_mib(self) -> int:
        """What processes can have of `memory_mib`; on the safe side where it was not captured.

        An instance of a MIG profile has nothing more taken off its own `memory_mib`.
        """
        from gpupolicy.facts.overheads import overheads

        reserved = self.reserved_mib
        if reserved is None:
            reserved = overheads().uncaptured_reserve_mib
        return max(self.memory_mib - reserved, 0)

    @property
    def context_mib(self) -> int:
        """The CUDA context of one process on the whole GPU, at most."""
        from gpupolicy.facts.overheads import overheads

        return overheads().context_mib(self.sm_count)

    @property
    def mps(self) -> bool:
        """Tell whether MPS can hold clients to a memory share on this model."""
        return self.mps_max_replicas > 0
