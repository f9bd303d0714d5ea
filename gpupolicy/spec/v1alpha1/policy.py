"""The whole policy, and the tenant that stands in a file of its own."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpupolicy.spec.v1alpha1.base import Model
from gpupolicy.spec.v1alpha1.monitoring import Monitoring
from gpupolicy.spec.v1alpha1.platform import Platform
from gpupolicy.spec.v1alpha1.platform import Scheduling
from gpupolicy.spec.v1alpha1.pools import NodePool
from gpupolicy.spec.v1alpha1.priorities import PriorityClass
from gpupolicy.spec.v1alpha1.priorities import Sla
from gpupolicy.spec.v1alpha1.tenants import Tenant
from gpupolicy.spec.v1alpha1.tenants import TenantFields
from gpupolicy.spec.v1alpha1.text_types import LabelKey
from gpupolicy.spec.v1alpha1.text_types import Name
from gpupolicy.spec.v1alpha1.text_types import Text

API_VERSION = "gpupolicy.dev/v1alpha1"


class Metadata(Model):
    """Name, and what other tools keep beside it."""

    name: Name
    labels: dict[LabelKey, Text] = Field(default_factory=dict)
    annotations: dict[LabelKey, Text] = Field(default_factory=dict)


class Spec(Model):
    """What is meant."""

    platform: Platform = Field(description="What is installed.")
    scheduling: Scheduling = Field(
        default_factory=Scheduling, description="Who holds quota and places gangs."
    )
    guard_rails: Literal["off", "warn", "deny"] = Field(
        "warn", description="What happens to pods that go round the policy."
    )
    node_pools: list[NodePool] = Field(default_factory=list, description="The nodes.")
    priority_classes: list[PriorityClass] = Field(
        default_factory=list, description="Priority classes."
    )
    slas: list[Sla] = Field(
        default_factory=list, description="Objectives that tenants and workloads name."
    )
    tenants: list[Tenant] = Field(default_factory=list, description="Who may use what.")
    monitoring: Monitoring = Field(
        default_factory=Monitoring, description="Alerts and where they go."
    )


class Policy(Model):
    """A `GPUClusterPolicy`."""

    api_version: Literal["gpupolicy.dev/v1alpha1"] = API_VERSION  # type: ignore[assignment]
    kind: Literal["GPUClusterPolicy"] = "GPUClusterPolicy"
    metadata: Metadata
    spec: Spec


class TenantDocument(Model):
    """A `GPUTenant`: one tenant in a file that its team owns."""

    api_version: Literal["gpupolicy.dev/v1alpha1"] = API_VERSION  # type: ignore[assignment]
    kind: Literal["GPUTenant"] = "GPUTenant"
    metadata: Metadata
    spec: TenantFields
