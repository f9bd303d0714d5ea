"""`nodePools`: the nodes, their GPUs, and how they are found."""

from __future__ import annotations

from typing import Any
from typing import Literal

from pydantic import Field
from pydantic import model_validator

from gpupolicy.spec.v1alpha1.base import Model
from gpupolicy.spec.v1alpha1.base import either
from gpupolicy.spec.v1alpha1.number_types import Bool
from gpupolicy.spec.v1alpha1.number_types import GpuCount
from gpupolicy.spec.v1alpha1.number_types import Int
from gpupolicy.spec.v1alpha1.number_types import Memory
from gpupolicy.spec.v1alpha1.number_types import NodeCount
from gpupolicy.spec.v1alpha1.number_types import QuantityText
from gpupolicy.spec.v1alpha1.sharing import Sharing
from gpupolicy.spec.v1alpha1.text_types import LabelKey
from gpupolicy.spec.v1alpha1.text_types import LabelValue
from gpupolicy.spec.v1alpha1.text_types import Name
from gpupolicy.spec.v1alpha1.text_types import Text

# Stands in the JSON Schema for what `schema.py` writes there: the names of the catalogue.
GPU_NAME = {"$comment": "GPU names"}


class Gpu(Model):
    """A GPU of the catalogue by name, or one that the catalogue lacks, described."""

    name: Text = Field(
        description="Model, as `gpupolicy catalog` lists it or as the node label says."
    )
    resource: LabelKey | None = Field(None, description="Resource name that pods request.")
    memory: Memory | None = Field(None, description="Memory of one GPU.")

    @model_validator(mode="before")
    @classmethod
    def _long_form(cls, value: Any) -> Any:
        return value if isinstance(value, dict) else {"name": value}

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Any:
        return either(core_schema, handler, GPU_NAME)


class NodeSet(Model):
    """How many nodes a pool has, and how they are found."""

    count: NodeCount | None = Field(None, description="Number of nodes.")
    min: NodeCount | None = Field(None, description="Least nodes of an autoscaled pool.")
    max: NodeCount | None = Field(None, description="Most nodes of an autoscaled pool.")
    names: list[Text] | None = Field(None, description="Names of the nodes.")
    selector: dict[LabelKey, LabelValue] = Field(
        default_factory=dict, description="Labels that the nodes already have."
    )
    spot: Bool = Field(False, description="The nodes can be taken away at any time.")

    @model_validator(mode="before")
    @classmethod
    def _long_form(cls, value: Any) -> Any:
        return value if isinstance(value, dict) else {"count": value}

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Any:
        number = {"type": "integer", "minimum": 1, "description": "Number of nodes."}
        return either(core_schema, handler, number)


class Taint(Model):
    """A node taint."""

    key: LabelKey
    value: LabelValue = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class Reserve(Model):
    """Nodes that may be lost while every guarantee still holds."""

    nodes: NodeCount = Field(description="Number of nodes.")
    per: Text | None = Field(
        None, description="A topology level: the number counts for each domain."
    )


class Level(Model):
    """One topology level, the widest first; `host` is implied as the last."""

    name: Name
    node_label: LabelKey = Field(description="Node label whose value names the domain.")
    nodes: NodeCount = Field(description="Number of nodes in one domain.")


class Numa(Model):
    """The kubelet's Topology Manager."""

    policy: Literal["none", "best-effort", "restricted", "single-numa-node"]
    nodes: Int = Field(2, description="NUMA nodes of a machine.")


class PoolTopology(Model):
    """Where the nodes stand."""

    levels: list[Level] = Field(
        default_factory=list, description="Topology levels, the widest first."
    )
    numa: Numa | None = None


class NodePool(Model):
    """A set of equal nodes; without `gpu` a CPU pool."""

    name: Name
    gpu: Gpu | None = Field(
        None, description="GPU model of the nodes.", examples=["H100-SXM5-80GB"]
    )
    nodes: NodeSet = Field(description="Number of nodes, or how many and how they are found.")
    gpus_per_node: GpuCount | None = Field(None, description="GPUs of one node.")
    allocatable: dict[LabelKey, QuantityText] = Field(
        default_factory=dict, description="What pods may request on one node, besides GPUs."
    )
    labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict, description="Labels put on the nodes."
    )
    taints: list[Taint] = Field(default_factory=list, description="Taints put on the nodes.")
    reserve: Reserve | None = Field(None, description="Guarantees hold with these nodes lost.")
    topology: PoolTopology = Field(default_factory=PoolTopology, description="Racks, blocks, NUMA.")
    sharing: Sharing | None = Field(None, description="How the GPUs are cut or shared.")
    managed: Bool = Field(
        True, description="False: another operator exposes the GPUs; none of ours does."
    )
