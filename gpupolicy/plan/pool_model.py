"""The pools of the plan: nodes, GPUs, devices, and what the nodes carry.

Units are those of `model.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from gpupolicy.diagnostics.model import Path

NodeWay = Literal["nodeFeatureRule", "patches", "script", "external"]


@dataclass(frozen=True, slots=True)
class TaintPlan:
    """A node taint; `value` is empty where there is none."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class PciId:
    """A PCI id in lower-case hexadecimal; `subsystem` only where cards share an id."""

    vendor: str
    device: str
    subsystem: str | None


@dataclass(frozen=True, slots=True)
class GpuPlan:
    """The GPU of a pool."""

    name: str
    resource: str
    memory_mib: int
    # Values of nvidia.com/gpu.product for an unshared, uncut GPU; empty if described by the user.
    product_labels: tuple[str, ...]
    pci_ids: tuple[PciId, ...]
    # mig-parted's form of the ids: 0x20B210DE.
    device_filters: tuple[str, ...]
    mig_capable: bool
    # DCGM profiling metrics exist for the model.
    profiling: bool
    nvidia: bool


@dataclass(frozen=True, slots=True)
class DevicePlan:
    """One kind of device of a pool. `cap` is how many can be guaranteed."""

    name: str
    resource: str
    base_resource: str
    per_node: int
    total: int
    cap: int
    replicas: int
    sharing: Literal["none", "timeSlicing", "mps"]
    profile: str | None
    memory_mib: int
    share: Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class MigGroup:
    """The layout of some GPUs of a node; an empty map is MIG off."""

    gpus: tuple[int, ...]
    profiles: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MigPlan:
    """The MIG layout of a pool. `config` is the key in the mig-parted file and the node label."""

    strategy: Literal["mixed", "single"]
    groups: tuple[MigGroup, ...]
    config: str


@dataclass(frozen=True, slots=True)
class SharingPlan:
    """The device plugin's sharing block of a pool; `resources` are names before renaming."""

    kind: Literal["timeSlicing", "mps"]
    rename: bool
    resources: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class LevelPlan:
    """A topology level; `host` is always the last one."""

    name: str
    node_label: str
    nodes: int


@dataclass(frozen=True, slots=True)
class NodeFinder:
    """How the nodes of a pool are found; all that are given must hold."""

    names: tuple[str, ...]
    selector: Mapping[str, str]
    # By PCI id of the model, where no other pool has it.
    by_model: bool


@dataclass(frozen=True, slots=True)
class NodePlan:
    """What the nodes of a pool carry, and the way it gets there.

    `labels_way` and `taints_way` differ only where the chosen way cannot say a taint; `reasons`
    say why a way was left for `script`. `script_taints` are those that only the script can set.
    """

    finder: NodeFinder
    labels: Mapping[str, str]
    taints: tuple[TaintPlan, ...]
    labels_way: NodeWay
    rule_taints: tuple[TaintPlan, ...]
    script_taints: tuple[TaintPlan, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """A pool of equal nodes. `gpu` is None for a CPU pool."""

    name: str
    path: Path
    source: str
    gpu: GpuPlan | None
    nodes: int
    min_nodes: int
    autoscaled: bool
    spot: bool
    gpus_per_node: int
    reserve: int
    # Number of nodes whose devices, cpu and memory are quota.
    quota_nodes: int
    managed: bool
    allocatable: Mapping[str, int]
    devices: tuple[DevicePlan, ...]
    mig: MigPlan | None
    sharing: SharingPlan | None
    node: NodePlan
    levels: tuple[LevelPlan, ...]
    # Name of the Kueue Topology; None where Kueue does not place.
    topology: str | None
    numa_policy: str | None

    @property
    def is_cpu(self) -> bool:
        """Tell whether the pool has no GPUs."""
        return self.gpu is None

    def device(self, name: str) -> DevicePlan:
        """Give a device by name. Raises `KeyError` if the pool does not offer it."""
        for device in self.devices:
            if device.name == name:
                return device
        raise KeyError(name)
