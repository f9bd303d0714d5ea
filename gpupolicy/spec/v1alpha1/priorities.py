"""`priorityClasses` and `slas`."""

from __future__ import annotations

from typing import Any
from typing import Literal

from pydantic import Field
from pydantic import field_validator

from gpupolicy.spec.v1alpha1.base import Model
from gpupolicy.spec.v1alpha1.number_types import Bool
from gpupolicy.spec.v1alpha1.number_types import Bound
from gpupolicy.spec.v1alpha1.number_types import Duration
from gpupolicy.spec.v1alpha1.number_types import Int
from gpupolicy.spec.v1alpha1.number_types import Objective
from gpupolicy.spec.v1alpha1.text_types import MetricName
from gpupolicy.spec.v1alpha1.text_types import Name
from gpupolicy.spec.v1alpha1.text_types import Text


class PriorityClass(Model):
    """A priority class; the fields are those of scheduling.k8s.io/v1 PriorityClass."""

    name: Text
    value: Int = Field(description="From -2147483648 to 1000000000; the larger goes first.")
    description: Text = Field("", description="For people.")
    global_default: Bool = Field(
        False, description="Pods without a class get this one, in every namespace."
    )
    preemption_policy: Literal["PreemptLowerPriority", "Never"] | None = Field(
        None, description="PreemptLowerPriority unless said."
    )


class QueueWait(Model):
    """How long work may wait for admission."""

    objective: Objective = Field(description="Share of the work that must keep the bound.")
    within: Bound = Field(description="The bound.", examples=["40s"])


class Latency(Model):
    """A latency objective on a histogram."""

    metric: MetricName = Field(description="Histogram, without its suffix.")
    objective: Objective = Field(description="Share of the requests that must keep the bound.")
    within: Bound = Field(description="The bound, an edge of the histogram.", examples=["500ms"])


def _one_or_more(schema: dict[str, Any]) -> None:
    many = {"type": schema.pop("type"), "items": schema.pop("items")}
    schema["anyOf"] = [many["items"], many]


class Sla(Model):
    """Objectives of a tenant or of one workload."""

    name: Name
    preemptible: Bool = Field(
        True, description="False: work inside the guarantee is never evicted."
    )
    queue_wait: QueueWait | None = None
    latency: list[Latency] = Field(
        default_factory=list,
        description="One objective, or a list.",
        json_schema_extra=_one_or_more,
    )
    max_run_time: Duration | None = Field(None, description="A job is stopped after this time.")

    @field_validator("latency", mode="before")
    @classmethod
    def _long_form(cls, value: Any) -> Any:
        return [value] if isinstance(value, dict) else value
