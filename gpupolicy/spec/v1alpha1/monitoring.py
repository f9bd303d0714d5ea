"""`monitoring`: changes to the alerts that follow from the policy, and where they go."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpupolicy.spec.v1alpha1.base import Model
from gpupolicy.spec.v1alpha1.number_types import Bool
from gpupolicy.spec.v1alpha1.number_types import Duration
from gpupolicy.spec.v1alpha1.number_types import Threshold
from gpupolicy.spec.v1alpha1.text_types import Address
from gpupolicy.spec.v1alpha1.text_types import FilledText
from gpupolicy.spec.v1alpha1.text_types import Name
from gpupolicy.spec.v1alpha1.text_types import ObjectName
from gpupolicy.spec.v1alpha1.text_types import SecretKeyName
from gpupolicy.spec.v1alpha1.text_types import Text

SeverityName = Literal["critical", "warning", "info"]


class Alert(Model):
    """A change of an alert by its name, or with `expr` an alert of your own."""

    name: Name
    threshold: Threshold | None = Field(None, description="A number, or a percentage.")
    for_: Duration | None = Field(None, alias="for", description="How long it must hold.")
    severity: SeverityName | None = None
    enabled: Bool = True
    expr: Text | None = Field(None, description="PromQL of an alert of your own.")
    summary: Text | None = Field(None, description="One line for people.")


class SecretKey(Model):
    """A key of a Secret that exists; the policy never holds its content."""

    name: ObjectName
    key: SecretKeyName


class Webhook(Model):
    """Where notifications are sent; `urlSecret` with objects, `urlFile` with files."""

    url_secret: SecretKey | None = None
    url_file: FilledText | None = None


class Receiver(Model):
    """An Alertmanager receiver."""

    name: Name
    webhook: Webhook


class Route(Model):
    """Alerts of one severity, or all, to a receiver; the first match counts."""

    severity: SeverityName | None = None
    receiver: Name


class Monitoring(Model):
    """Alerts, receivers, routes, dashboards and where the runbook is."""

    alerts: list[Alert] = Field(default_factory=list, max_length=500)
    receivers: list[Receiver] = Field(default_factory=list)
    routes: list[Route] = Field(default_factory=list)
    dashboards: Bool = Field(False, description="Emit Grafana dashboards.")
    runbook_url: Address | None = Field(
        None,
        description="Where files/runbook/alerts.md is published; alerts point into it.",
        examples=["https://wiki.example.com/gpu/alerts"],
    )
