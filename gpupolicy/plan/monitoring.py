"""`monitoring` -> rules, their tests, exporters' settings.

Which alerts there are is data (`facts/alerts`); here they are chosen for the policy, its pools and
its tenants. One group for the policy, one for each pool, one for each tenant with a queue, and one
for the alerts that the policy itself adds.
"""

from __future__ import annotations

from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace

from gpupolicy.facts import alerts as tables
from gpupolicy.facts.catalog import Facts
from gpupolicy.plan import monitoring_findings as findings
from gpupolicy.plan import names
from gpupolicy.plan.dashboard_model import DashboardPlan
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.plan.monitoring_around import exporter_version
from gpupolicy.plan.monitoring_around import scrape_of_exporter
from gpupolicy.plan.monitoring_around import scrapes_of
from gpupolicy.plan.monitoring_around import surroundings
from gpupolicy.plan.monitoring_choice import Chooser
from gpupolicy.plan.monitoring_counters import counters
from gpupolicy.plan.monitoring_model import InhibitionPlan
from gpupolicy.plan.monitoring_model import MonitoringPlan
from gpupolicy.plan.monitoring_model import ReceiverPlan
from gpupolicy.plan.monitoring_model import RoutePlan
from gpupolicy.plan.monitoring_model import RuleGroupPlan
from gpupolicy.plan.monitoring_model import RuleInstance
from gpupolicy.plan.monitoring_model import XidPlan
from gpupolicy.plan.monitoring_own import changes
from gpupolicy.plan.monitoring_own import own_alerts
from gpupolicy.plan.monitoring_own import own_fields
from gpupolicy.plan.monitoring_slos import class_subjects
from gpupolicy.plan.monitoring_slos import latency_subjects
from gpupolicy.plan.monitoring_subjects import Subject
from gpupolicy.plan.monitoring_subjects import Surroundings
from gpupolicy.plan.monitoring_subjects import device_subjects
from gpupolicy.plan.monitoring_subjects import item_subjects
from gpupolicy.plan.monitoring_subjects import policy_subject
from gpupolicy.plan.monitoring_subjects import pool_subject
from gpupolicy.plan.monitoring_subjects import tenant_subject
from gpupolicy.plan.monitoring_templates import Origin
from gpupolicy.plan.names import POOL_LABEL
from gpupolicy.spec.v1alpha1.monitoring import Monitoring
from gpupolicy.spec.v1alpha1.policy import Spec

_MIG_STATE_LABEL = "nvidia.com/mig.config.state"


def lower_monitoring(spec: Spec, plan: Plan, facts: Facts) -> MonitoringPlan | None:
    """Decide the rules of a plan; None without Prometheus."""
    prometheus = plan.platform.component("prometheus")
    if prometheus is None:
        return None
    metrics = facts.metrics()
    exporter = exporter_version(spec.platform, facts)
    around = surroundings(spec.platform, plan, facts)
    changed = changes(spec.monitoring)
    off = {alert.name for alert in spec.monitoring.alerts if not alert.enabled or alert.expr}
    known = [alert for alert in facts.alerts().values() if alert.name not in off]
    if not findings.keeps(spec):
        known = [replace(alert, keep_firing_for=0) for alert in known]
    origin = Origin(plan.name, spec.monitoring.runbook_url)
    chooser = Chooser(origin, metrics, exporter, known, tables.recordings(), changed)
    used = {line.pool for tenant in plan.tenants for line in tenant.lines}
    pools = {p.name: pool_subject(around, p, has_tenants=p.name in used) for p in plan.pools}
    tenants = list(_tenant_subjects(around, plan, facts))
    groups = [
        *_policy_group(around, plan, chooser),
        *_pool_groups(around, plan, pools, chooser),
        *with_tests(_tenant_groups(tenants, chooser)),
        *own_alerts(spec.monitoring, origin),
    ]
    needed = chooser.needed | own_fields(spec.monitoring, metrics)
    dashboards: tuple[DashboardPlan, ...] = ()
    if spec.monitoring.dashboards:
        from gpupolicy.plan.dashboards import Drawer
        from gpupolicy.plan.dashboards import lower_dashboards

        drawer = Drawer(plan.name, chooser.knows)
        dashboards = tuple(lower_dashboards(drawer, around, plan, pools, tenants))
        needed |= drawer.needed
    scrape = scrape_of_exporter(plan)
    return MonitoringPlan(
        namespace=prometheus.namespace,
        groups=tuple(groups),
        receivers=tuple(_receivers(spec.monitoring)),
        routes=tuple(RoutePlan(r.severity, r.receiver) for r in spec.monitoring.routes),
        dashboards=dashboards,
        counters=counters(metrics, exporter, needed, scrape.namespace) if scrape else None,
        node_labels=(POOL_LABEL, *([_MIG_STATE_LABEL] if any(p.mig for p in plan.pools) else [])),
        inhibitions=tuple(_inhibitions({alert.name for alert in known})),
        exporter=scrape,
        scrapes=tuple(scrapes_of(plan)),
        xids=tuple(_xids(facts)) if scrape else (),
        findings=tuple(findings.all_of(spec, plan, facts, chooser, known, pools, exporter)),
    )


def _policy_group(around: Surroundings, plan: Plan, chooser: Chooser) -> Iterator[RuleGroupPlan]:
    if plan.pools:
        instances = chooser.instances(policy_subject(around))
        yield from _group("gpupolicy", "monitoring", instances)


def _pool_groups(
    around: Surroundings, plan: Plan, pools: Mapping[str, Subject], chooser: Chooser
) -> Iterator[RuleGroupPlan]:
    promised = _promised(plan)
    for pool in plan.pools:
        subject = pools[pool.name]
        subjects = [subject, *device_subjects(subject, pool, promised)]
        instances = (each for s in subjects for each in chooser.instances(s))
        yield from _group(f"gpupolicy-pool-{pool.name}", pool.source, instances)


def _promised(plan: Plan) -> dict[tuple[str, str], int]:
    """Sum what is guaranteed by pool and device, and the cores of CPU pools (milli).

    A budget counts once, and where a parent says nothing about a device its children count.
    """
    cpu_pools = {pool.name for pool in plan.pools if pool.is_cpu}
    below: dict[str | None, list[TenantPlan]] = {}
    for tenant in plan.tenants:
        below.setdefault(tenant.parent, []).append(tenant)
    return _promised_below(None, below, cpu_pools)


def _promised_below(
    parent: str | None, below: Mapping[str | None, list[TenantPlan]], cpu_pools: Container[str]
) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for tenant in below.get(parent, ()):
        said = _said(tenant, cpu_pools)
        for key, amount in {**_promised_below(tenant.name, below, cpu_pools), **said}.items():
            found[key] = found.get(key, 0) + amount
    return found


def _said(tenant: TenantPlan, cpu_pools: Container[str]) -> dict[tuple[str, str], int]:
    said = {(line.pool, line.device): line.guaranteed for line in tenant.lines if line.device}
    cores = {
        (row.pool, "cpu"): cell.guaranteed
        for row in tenant.pools
        if row.pool in cpu_pools
        for cell in row.cells
        if cell.resource == "cpu" and cell.bound
    }
    return said | cores


def _tenant_subjects(
    around: Surroundings, plan: Plan, facts: Facts
) -> Iterator[tuple[TenantPlan, tuple[Subject, ...]]]:
    """Describe each tenant with a queue: itself first, then what is its own."""
    kueue = plan.platform.component("kueue") if plan.quota_holder == "kueue" else None
    histogram = facts.metrics().queue_wait(str(kueue.version)) if kueue else None
    own = _workloads_with_sla(plan)
    for tenant in plan.tenants:
        if tenant.is_parent or not tenant.pools:
            continue
        subject = tenant_subject(around, tenant)
        workloads = own.get(tenant.name, [])
        yield (
            tenant,
            (
                subject,
                *item_subjects(around, subject, tenant),
                *class_subjects(around, subject, tenant, workloads, histogram),
                *latency_subjects(around, subject, tenant, workloads),
            ),
        )


def _tenant_groups(
    tenants: Iterable[tuple[TenantPlan, tuple[Subject, ...]]], chooser: Chooser
) -> Iterator[RuleGroupPlan]:
    for tenant, subjects in tenants:
        instances = (each for s in subjects for each in chooser.instances(s))
        yield from _group(f"gpupolicy-tenant-{tenant.name}", tenant.source, instances)


# Up to so many tenants every one has tests of its own. In larger policies they would be more than
# anybody runs, and tenants of a kind differ in names only.
_TESTED = 200


def with_tests(groups: Iterable[RuleGroupPlan]) -> Iterator[RuleGroupPlan]:
    """Decide which tenants' rules are tested: all, or of many one of each kind.

    A kind is a list of templates; the first by name stands for it, wherever it is written.
    """
    every = tuple(groups)
    if len(every) <= _TESTED:
        yield from every
        return
    first: dict[tuple[int, ...], str] = {}
    for group in every:
        kind = _kind(group)
        first[kind] = min(group.name, first.get(kind, group.name))
    for group in every:
        yield replace(group, tested=first[_kind(group)] == group.name)


def _kind(group: RuleGroupPlan) -> tuple[int, ...]:
    return tuple(id(instance.template) for instance in group.instances)


def _workloads_with_sla(plan: Plan) -> dict[str, list[WorkloadPlan]]:
    """Give the workloads whose SLA is not their tenant's, by tenant."""
    slas = {tenant.name: tenant.sla for tenant in plan.tenants}
    found: dict[str, list[WorkloadPlan]] = {}
    for workload in plan.workloads:
        if workload.sla and workload.sla != slas.get(workload.tenant):
            found.setdefault(workload.tenant, []).append(workload)
    return found


def _group(name: str, source: str, instances: Iterable[RuleInstance]) -> Iterator[RuleGroupPlan]:
    """Make a group, recordings before what reads them; none without an alert."""
    ordered = sorted(instances, key=lambda instance: instance.template.kind == "alert")
    if ordered and ordered[-1].template.kind == "alert":
        yield RuleGroupPlan(name, source, tuple(ordered))


def _xids(facts: Facts) -> Iterator[XidPlan]:
    """Give the codes that call for something, for the runbook."""
    for xid in facts.xids():
        if xid.action != "none":
            yield XidPlan(xid.code, xid.name, xid.suspect, xid.action, xid.then, xid.isolate)


def _inhibitions(known: Container[str]) -> Iterator[InhibitionPlan]:
    for fact in tables.inhibitions():
        alerts = tuple(names.alert(name) for name in fact.alerts if name in known)
        if fact.by in known and alerts:
            yield InhibitionPlan(names.alert(fact.by), alerts, fact.equal)


def _receivers(monitoring: Monitoring) -> Iterator[ReceiverPlan]:
    for receiver in monitoring.receivers:
        secret = receiver.webhook.url_secret
        yield ReceiverPlan(
            name=receiver.name,
            secret_name=secret.name if secret else None,
            secret_key=secret.key if secret else None,
            url_file=receiver.webhook.url_file,
        )
