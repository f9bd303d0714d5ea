"""What the rules of a policy lack, and why. The manual pages are those of the Prometheus target."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.facts.alerts import AlertFact
from gpupolicy.facts.catalog import Facts
from gpupolicy.facts.versions import version_key
from gpupolicy.plan import names
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import SlaPlan
from gpupolicy.plan.monitoring_choice import Chooser
from gpupolicy.plan.monitoring_choice import without_data
from gpupolicy.plan.monitoring_own import read_by
from gpupolicy.plan.monitoring_slos import FACTORS
from gpupolicy.plan.monitoring_subjects import Subject
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.spec.v1alpha1.number_types import Percent
from gpupolicy.spec.v1alpha1.policy import Spec

_ALERTS: Path = ("spec", "monitoring", "alerts")
_PROMETHEUS: Path = ("spec", "platform", "prometheus")
# First Prometheus that knows `keep_firing_for` (release notes of 2.42).
_KEEPS = (2, 42)
_SECOND = 10**9
_WHY = {
    "queueWait": "Kueue has no deadline for waiting",
    "latency": "only the server itself can answer faster",
}


def all_of(
    spec: Spec,
    plan: Plan,
    facts: Facts,
    chooser: Chooser,
    alerts: Sequence[AlertFact],
    pools: Mapping[str, Subject],
    exporter: str | None,
) -> Iterator[Diagnostic]:
    """Find everything that was left out, and thresholds and names that make no alert."""
    yield from _missing(spec, chooser, exporter)
    yield from _without_data(plan, alerts, pools)
    yield from _thresholds(spec, alerts)
    yield from _names(spec, facts)
    yield from _fields(spec, facts, exporter)
    yield from _waits(plan, facts)
    yield from _only_watched(plan)
    if not keeps(spec):
        yield Diagnostic(
            "GP570",
            "Prometheus keeps alerts up after their cause is gone from 2.42 on: those on XIDs end "
            "with the five minutes in which the exporter counts",
            (*_PROMETHEUS, "version"),
            severity=Severity.NOTE,
        )


def keeps(spec: Spec) -> bool:
    """Tell whether the installed Prometheus knows `keep_firing_for`."""
    prometheus = spec.platform.prometheus
    if prometheus is None or prometheus.version is None:
        return True
    return version_key(prometheus.version)[:2] >= _KEEPS


def _missing(spec: Spec, chooser: Chooser, exporter: str | None) -> Iterator[Diagnostic]:
    if chooser.missing:
        one = len(chooser.missing) == 1
        yield Diagnostic(
            "GP560",
            f"{len(chooser.missing)} {'alert is' if one else 'alerts are'} left out: dcgm-exporter "
            f"{exporter} does not know what {'it reads' if one else 'they read'}",
            _exporter_path(spec),
            severity=Severity.NOTE,
            notes=tuple(
                f"'{name}' reads {' and '.join(fields)}" for name, fields in chooser.missing.items()
            ),
        )


def _exporter_path(spec: Spec) -> Path:
    """Point at the version that brings the exporter along, or at its component."""
    platform = spec.platform
    component = platform.dcgm_exporter or platform.gpu_operator
    name = "dcgmExporter" if platform.dcgm_exporter else "gpuOperator"
    version = ("version",) if component and component.version else ()
    return ("spec", "platform", name, *version)


def _without_data(
    plan: Plan, alerts: Sequence[AlertFact], pools: Mapping[str, Subject]
) -> Iterator[Diagnostic]:
    for pool in plan.pools:
        subject = pools[pool.name]
        if "dcgm" not in subject.conditions:
            continue
        if "mig" in subject.conditions:
            every = "cut" in subject.conditions
            cut = replace(subject, conditions=subject.conditions | {"cut"})
            where = f"pool '{pool.name}'" if every else f"the cut GPUs of pool '{pool.name}'"
            why = "the exporter does not read what the driver books on MIG instances"
            yield from _no_data(pool, where, why, without_data(alerts, cut, "cut"))
        if "shared" in subject.conditions:
            found = tuple(
                alert.name
                for alert in alerts
                if any("attributable" in form.when for form in alert.forms)
            )
            why = "the exporter cannot tell who uses how much of one"
            yield from _no_data(pool, f"shared devices of pool '{pool.name}'", why, found)


def _no_data(pool: PoolPlan, where: str, why: str, alerts: Sequence[str]) -> Iterator[Diagnostic]:
    if alerts:
        yield Diagnostic(
            "GP561",
            f"no data for {len(alerts)} alerts on {where}: {why}",
            (*pool.path, "sharing"),
            part="key",
            severity=Severity.NOTE,
            notes=(f"without it: {', '.join(alerts)}",),
        )


def _thresholds(spec: Spec, alerts: Sequence[AlertFact]) -> Iterator[Diagnostic]:
    known = {alert.name: alert.threshold for alert in alerts}
    for index, alert in enumerate(spec.monitoring.alerts):
        fact, written = known.get(alert.name), alert.threshold
        if fact is None or written is None or not alert.enabled:
            continue
        value = written.fraction if isinstance(written, Percent) else written
        if fact.unit == "ratio" and value == (1 if fact.fires == "above" else 0):
            yield Diagnostic(
                "GP566",
                f"alert '{alert.name}' never fires: no part of one is {fact.fires} {value}",
                (*_ALERTS, index, "threshold"),
                hint="write 'enabled: false' to do without it",
            )


def _names(spec: Spec, facts: Facts) -> Iterator[Diagnostic]:
    """Find alerts of the policy's own that would be called like another."""
    taken = {names.alert(name): name for name in facts.alert_names()}
    for index, alert in enumerate(spec.monitoring.alerts):
        if alert.expr is None:
            continue
        other = taken.setdefault(names.alert(alert.name), alert.name)
        if other != alert.name:
            yield Diagnostic(
                "GP569",
                f"alerts '{alert.name}' and '{other}' are both called '{names.alert(alert.name)}'",
                (*_ALERTS, index, "name"),
                hint="give it another name",
            )


def _fields(spec: Spec, facts: Facts, exporter: str | None) -> Iterator[Diagnostic]:
    metrics = facts.metrics()
    for index, alert in enumerate(spec.monitoring.alerts):
        for word in sorted(read_by(alert)):
            field, right = metrics.fields.get(word), metrics.mistaken.get(word)
            if right is not None:
                message = f"nothing publishes '{word}', so alert '{alert.name}' never fires"
                hint = f"did you mean '{right}'?"
            elif field is not None and (exporter is None or not field.known_to(exporter)):
                which = f"dcgm-exporter {exporter} does not know" if exporter else "nobody exports"
                message = f"{which} '{word}', so alert '{alert.name}' never fires"
                hint = f"exporters know it from {field.since} on"
            else:
                continue
            yield Diagnostic(
                "GP568",
                message,
                (*_ALERTS, index, "expr"),
                severity=Severity.WARNING,
                hint=hint,
            )


def _waits(plan: Plan, facts: Facts) -> Iterator[Diagnostic]:
    """Find objectives that this holder, or any burn rate, cannot watch."""
    for index, sla in enumerate(plan.slas):
        path: Path = ("spec", "slas", index, "queueWait")
        if sla.wait_within and plan.quota_holder == "volcano":
            yield Diagnostic(
                "GP567",
                f"Volcano does not count waiting times: approximated, SLA '{sla.name}' is watched "
                "by the alert for queues in which work waits all the time",
                path,
                severity=Severity.WARNING,
                hint="let Kueue hold quota, which counts them, or take 'queueWait' out",
            )
        if sla.wait_objective and plan.quota_holder == "kueue":
            yield from _below_first(sla, facts, path)
            yield from _unreachable(sla.name, sla.wait_objective, (*path, "objective"))
        for at, latency in enumerate(sla.latency):
            which = () if len(sla.latency) == 1 else (at,)
            where = ("spec", "slas", index, "latency", *which, "objective")
            yield from _unreachable(sla.name, latency.objective, where)


def _only_watched(plan: Plan) -> Iterator[Diagnostic]:
    """Say of every SLA that somebody names what of it nothing enforces."""
    named = {tenant.sla for tenant in plan.tenants} | {w.sla for w in plan.workloads}
    for index, sla in enumerate(plan.slas):
        waits = sla.wait_within and plan.quota_holder == "kueue"
        parts = (["queueWait"] if waits else []) + (["latency"] if sla.latency else [])
        if sla.name not in named or not parts:
            continue
        why = " and ".join(_WHY[part] for part in parts)
        yield Diagnostic(
            "GP573",
            f"SLA '{sla.name}': {' and '.join(parts)} {'are' if parts[1:] else 'is'} watched by "
            f"alerts and enforced by nothing: {why}",
            ("spec", "slas", index, parts[0]),
            part="key",
            severity=Severity.NOTE,
        )


def _below_first(sla: SlaPlan, facts: Facts, path: Path) -> Iterator[Diagnostic]:
    histogram = facts.metrics().queue_wait()
    if histogram is None or not sla.wait_within:
        return
    within = Fraction(sla.wait_within, _SECOND)
    if within < histogram.bounds[0]:
        yield Diagnostic(
            "GP572",
            f"within {float(within):g} s is below the first bound of waiting times, "
            f"{histogram.bounds[0]} s: only the alert for work that is not let in is left",
            (*path, "within"),
            severity=Severity.WARNING,
            hint=f"write 'within: {histogram.bounds[0]}s' or more",
        )


def _unreachable(name: str, objective: Fraction, path: Path) -> Iterator[Diagnostic]:
    lost = [f"{float(f):g}" for f in (FACTORS["fast"], FACTORS["slow"]) if f * (1 - objective) >= 1]
    if lost:
        yield Diagnostic(
            "GP565",
            f"SLA '{name}' allows {float(1 - objective):.0%} to be late: burning "
            f"{' or '.join(lost)} times as fast is more than everything, and is not watched",
            path,
            severity=Severity.NOTE,
            hint="the fast alerts need an objective above 93.1%, any that call somebody 83.4%",
        )
