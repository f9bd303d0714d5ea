"""`sharing`: how the GPUs of a pool are cut or shared.

Short forms are made long here (`timeSlicing: 4` becomes `{replicas: 4}`), so that there is one
model for each thing, and a finding never speaks of the alternatives of a union.
"""

from __future__ import annotations

from typing import Any
from typing import Literal

from pydantic import Field
from pydantic import model_validator

from gpupolicy.spec.v1alpha1.base import Model
from gpupolicy.spec.v1alpha1.base import either
from gpupolicy.spec.v1alpha1.number_types import Amount
from gpupolicy.spec.v1alpha1.number_types import Bool
from gpupolicy.spec.v1alpha1.number_types import Int
from gpupolicy.spec.v1alpha1.text_types import Text

_LAYOUT_NAME = {"type": "string", "description": "Name of a layout.", "examples": ["all-balanced"]}
_PER_PROFILE = {
    "type": "object",
    "description": "MIG profile to number.",
    "additionalProperties": {"type": "integer", "minimum": 0},
}
_REPLICAS = {"type": "integer", "minimum": 1, "description": "Replicas per GPU."}


class Layout(Model):
    """A MIG layout of one GPU: profile to number of instances, or the name of a layout."""

    name: Text | None = None
    profiles: dict[Text, Int] | None = None

    @model_validator(mode="before")
    @classmethod
    def _long_form(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return value if isinstance(value.get("profiles"), dict) else {"profiles": value}
        return {"name": value}

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Any:
        return either(core_schema, handler, _LAYOUT_NAME, _PER_PROFILE, long=False)


class GpuLayout(Model):
    """The layout of some GPUs of a node, by index; `gpus` absent means every GPU."""

    gpus: list[Int] | None = Field(None, description="GPU indices on the node, from 0.")
    layout: Layout = Field(description="Profile to number of instances; {} is MIG off.")


class MigLayouts(Model):
    """`mig`: one layout for every GPU, or one for each group of GPU indices."""

    entries: list[GpuLayout]

    @model_validator(mode="before")
    @classmethod
    def _long_form(cls, value: Any) -> Any:
        if isinstance(value, list):
            return {"entries": value}
        if isinstance(value, dict) and isinstance(value.get("entries"), list):
            return value
        return {"entries": [{"layout": value}]}

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Any:
        described = handler.resolve_ref_schema(handler(core_schema))
        groups = described["properties"]["entries"]
        return {"anyOf": [_LAYOUT_NAME, _PER_PROFILE, groups]}


class TimeSlicing(Model):
    """`timeSlicing`: replicas per GPU, or per instance of the profiles of a MIG layout."""

    replicas: Int | None = None
    profiles: dict[Text, Int] | None = None

    @model_validator(mode="before")
    @classmethod
    def _long_form(cls, value: Any) -> Any:
        if isinstance(value, dict):
            long = {"replicas", "profiles"} & value.keys()
            return value if long and len(value) == len(long) else {"profiles": value}
        return {"replicas": value}

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Any:
        return either(core_schema, handler, _REPLICAS, _PER_PROFILE, long=False)


class Sharing(Model):
    """How the GPUs of a pool are cut or shared; absent means whole GPUs."""

    time_slicing: TimeSlicing | None = Field(
        None,
        description="Replicas per GPU (no memory isolation), or per instance of a MIG profile.",
    )
    mps: Int | None = Field(
        None, description="MPS clients per GPU; each is held to memory / clients."
    )
    mig: MigLayouts | None = Field(
        None,
        description="MIG layout: profile to number per GPU, a name, or a list by GPU index.",
        examples=[{"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}],
    )
    mig_strategy: Literal["mixed", "single"] | None = Field(
        None, description="How the device plugin names slices; mixed unless said."
    )
    rename: Bool | None = Field(
        None, description="Shared resources are called <name>.shared; true unless said."
    )
    overcommit: Amount | None = Field(
        None, description="Accepts that workloads on one GPU need this many times its memory."
    )
    vgpu: dict[Text, Int] | None = Field(None, description="vGPU type to number per GPU.")
    passthrough: Bool = Field(False, description="Whole GPUs are given to VMs.")
    fractions: Bool = Field(
        False, description="KAI divides GPUs; numbers of GPUs may have decimals."
    )
