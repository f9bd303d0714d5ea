"""What is the same for all rules of a policy: exporter, schedulers, models, SLAs."""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.facts.alerts import serving_kinds
from gpupolicy.facts.catalog import Facts
from gpupolicy.facts.scrapes import Scrape
from gpupolicy.facts.scrapes import scrapes
from gpupolicy.plan.model import Plan
from gpupolicy.plan.monitoring_model import ScrapePlan
from gpupolicy.plan.monitoring_subjects import Surroundings
from gpupolicy.plan.monitoring_subjects import unshared
from gpupolicy.spec.v1alpha1.platform import Platform

_EXPORTER = "dcgmExporter"


def exporter_version(platform: Platform, facts: Facts) -> str | None:
    """Give the tag of the installed dcgm-exporter; None if nothing that brings it is installed.

    One with a chart of its own takes the place of the operator's.
    """
    for name, written in (
        (_EXPORTER, platform.dcgm_exporter),
        ("gpuOperator", platform.gpu_operator),
    ):
        if written is not None:
            return facts.component(name).resolve(written.version).parts.get(_EXPORTER)
    return None


def scrape_of_exporter(plan: Plan) -> ScrapePlan | None:
    """Give the endpoint of the installed exporter."""
    found = _exporter(plan)
    return _scrape(plan, found) if found else None


def scrapes_of(plan: Plan) -> Iterator[ScrapePlan]:
    """Give the endpoints of the components whose metrics the rules read, beside the exporter."""
    holders = {"kueue": plan.quota_holder, "volcano": plan.quota_holder}
    for scrape in scrapes():
        counts = holders.get(scrape.component, scrape.component) == scrape.component
        if counts and not scrape.exporter and plan.platform.component(scrape.component):
            yield _scrape(plan, scrape)


def _exporter(plan: Plan) -> Scrape | None:
    found = [s for s in scrapes() if s.exporter and plan.platform.component(s.component)]
    return found[-1] if found else None


def _scrape(plan: Plan, scrape: Scrape) -> ScrapePlan:
    component = plan.platform.components[scrape.component]
    return ScrapePlan(
        name=scrape.name,
        namespace=component.namespace,
        selector=scrape.selector,
        port=scrape.port,
        scheme=scrape.scheme,
        job=scrape.job,
    )


def surroundings(platform: Platform, plan: Plan, facts: Facts) -> Surroundings:
    """Describe what is the same for all of a policy."""
    exporter = _exporter(plan)
    operator = plan.platform.component("gpuOperator")
    ours = plan.platform.prometheus_write == "files"
    words = {
        "operator_namespace": operator.namespace if operator else "",
        "exporter_job": exporter.job if exporter else "",
        # With scrape configuration of ours the job is called as we say.
        "exporter_jobs": (exporter.job if ours else exporter.jobs) if exporter else "",
    }
    kinds = serving_kinds()
    return Surroundings(
        conditions=frozenset(_conditions(platform, plan, facts, exporter)),
        words=words,
        models={
            pool.name: _model(pool.gpu.name, facts) for pool in plan.pools if pool.gpu is not None
        },
        slas={sla.name: sla for sla in plan.slas},
        attributable={
            pool.name: frozenset(device.name for device in unshared(pool))
            for pool in plan.pools
            if exporter and pool.managed
        },
        classes={priority.name: priority.value for priority in plan.priorities},
        serving=frozenset((w.tenant, w.pool) for w in plan.workloads if w.kind in kinds),
    )


def _conditions(
    platform: Platform, plan: Plan, facts: Facts, exporter: Scrape | None
) -> Iterator[str]:
    yield plan.quota_holder
    if plan.platform.component("gpuOperator"):
        yield "gpuOperator"
    if exporter:
        yield "exporter"
    if plan.quota_holder == "kueue" and platform.kueue:
        line = facts.component("kueue").resolve(platform.kueue.version).line
        if line.values["localQueueMetrics"]:
            yield "localQueueMetrics"


def _model(name: str, facts: Facts) -> frozenset[str]:
    model = facts.find(name).model()
    if model is None:
        return frozenset()
    # Of models that were taken as one some may have the link.
    return frozenset({model.architecture} | (set() if model.nvlink is False else {"nvlink"}))
