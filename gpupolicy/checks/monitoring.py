"""Where rules and alerts go: they are loaded, sent, and keep their labels.

GP656 receiver-url
    A receiver has one place to send to: `urlSecret` (a Secret's name and key) where Prometheus is
    written to by objects, `urlFile` (a path that Alertmanager can read) where by files. The
    policy itself never holds a URL, since it often is a password.

GP657 route-unreachable
    Routes are tried in the order written and the first match counts, so one behind a route for
    all severities, or for the same one, never gets anything. Write the narrow ones first.

GP658 rules-unselected
    Prometheus loads only the rules and monitors whose labels it selects, and the policy names
    none. With the common Helm stack it is the label `release` with the name of the release:
    `platform: {prometheus: {labels: {release: kube-prometheus-stack}}}`. If yours selects all,
    suppress this warning.

GP659 monitoring-without-prometheus
    `monitoring` says what to watch, and no `prometheus` is installed under `platform`, so nothing
    is emitted for it.

GP660 alert-labels-collide
    Labels of a tenant stand on the alerts about it, where names have only letters, digits and
    underscores: every other character becomes an underscore. Two labels that become one are an
    error; one that becomes a label which the alert has itself is left out there, with a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.monitoring import Monitoring
from gpupolicy.spec.v1alpha1.monitoring import Receiver
from gpupolicy.spec.v1alpha1.tenants import Tenant

_MONITORING: Path = ("spec", "monitoring")
_PROMETHEUS: Path = ("spec", "platform", "prometheus")


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check receivers, routes, what selects the rules, and the labels of alerts."""
    spec = context.policy.spec
    prometheus = spec.platform.prometheus
    monitoring = spec.monitoring
    if prometheus is None:
        yield from _unwatched(monitoring)
        return
    for index, receiver in enumerate(monitoring.receivers):
        yield from _receiver(receiver, prometheus.write, (*_MONITORING, "receivers", index))
    yield from _routes(monitoring)
    if prometheus.write == "objects" and not prometheus.labels:
        yield Diagnostic(
            "GP658",
            "no labels say by which Prometheus selects the rules: it may never load them",
            _PROMETHEUS,
            part="key",
            severity=Severity.WARNING,
            hint="with the common Helm stack: 'labels: {release: <its release>}'",
        )
    for index, tenant in enumerate(spec.tenants):
        if tenant.labels:
            yield from _labels(tenant, ("spec", "tenants", index, "labels"))


def _unwatched(monitoring: Monitoring) -> Iterator[Diagnostic]:
    said = monitoring.alerts or monitoring.receivers or monitoring.routes or monitoring.dashboards
    if said:
        yield Diagnostic(
            "GP659",
            "'monitoring' has no effect: no Prometheus is installed",
            _MONITORING,
            part="key",
            severity=Severity.WARNING,
            hint="add 'prometheus: {}' to 'platform'",
        )


def _receiver(receiver: Receiver, write: str, path: Path) -> Iterator[Diagnostic]:
    hook, where = receiver.webhook, (*path, "webhook")
    due = "urlSecret" if write == "objects" else "urlFile"
    example = "{name: <Secret>, key: <key>}" if write == "objects" else "<path>"
    found = {"urlSecret": hook.url_secret is not None, "urlFile": hook.url_file is not None}
    if not any(found.values()):
        message = f"receiver '{receiver.name}' has nowhere to send to"
    elif all(found.values()):
        message = f"receiver '{receiver.name}' has both 'urlSecret' and 'urlFile'"
    elif not found[due]:
        other = "urlFile" if write == "objects" else "urlSecret"
        where = (*where, other)
        message = f"'{other}' of receiver '{receiver.name}' does not go with 'write: {write}'"
    else:
        return
    yield Diagnostic("GP656", message, where, hint=f"write '{due}: {example}'")


def _routes(monitoring: Monitoring) -> Iterator[Diagnostic]:
    first: dict[str | None, int] = {}
    for index, route in enumerate(monitoring.routes):
        before = first.get(None, first.get(route.severity))
        if before is not None:
            yield Diagnostic(
                "GP657",
                f"the route to '{route.receiver}' gets nothing: an earlier one takes "
                f"{f'every {route.severity} alert' if route.severity else 'the same alerts'}",
                (*_MONITORING, "routes", index),
                severity=Severity.WARNING,
                hint="write the narrow routes first",
                related=(Related("this one", (*_MONITORING, "routes", before)),),
            )
        first.setdefault(route.severity, index)


def _labels(tenant: Tenant, path: Path) -> Iterator[Diagnostic]:
    from gpupolicy.plan.monitoring_labels import OWN_LABELS  # only labels need it
    from gpupolicy.plan.monitoring_labels import rule_label

    first: dict[str, str] = {}
    for key in tenant.labels:
        name = rule_label(key)
        other = first.setdefault(name, key)
        if other != key:
            yield Diagnostic(
                "GP660",
                f"labels '{other}' and '{key}' of tenant '{tenant.name}' are both '{name}' on "
                "alerts",
                (*path, key),
                part="key",
                hint="rename one of them",
                related=(Related("the other", (*path, other), "key"),),
            )
        elif name in OWN_LABELS:
            yield Diagnostic(
                "GP660",
                f"alerts about tenant '{tenant.name}' keep their own '{name}', not the tenant's",
                (*path, key),
                part="key",
                severity=Severity.WARNING,
                hint="give the label another name if alerts need it",
            )
