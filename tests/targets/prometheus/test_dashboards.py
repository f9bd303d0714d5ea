"""Dashboards: Grafana's model as it is today, and no panel on what is not there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import yaml

from gpupolicy.compiler import compile_policy
from gpupolicy.facts.dashboards import panels
from gpupolicy.facts.metrics import metrics
from gpupolicy.plan.dashboard_model import DashboardPlan
from gpupolicy.plan.model import Plan
from gpupolicy.plan.monitoring_model import MonitoringPlan
from gpupolicy.source.load import SourceText
from gpupolicy.targets.prometheus import emit
from tests.targets.prometheus.policies import VARIANTS
from tests.targets.prometheus.policies import policy_text
from tests.targets.written import objects
from tests.targets.written import texts

FIELDS = metrics().fields
SERIES = {series.name: series for series in metrics().series.values()}
HISTOGRAMS = {histogram.name for histogram in metrics().histograms}
# Kinds of panels that Grafana 12 has, of those that are used here.
KINDS = {"timeseries", "stat", "table", "heatmap"}
UNITS = {"none", "percentunit", "celsius", "watt", "s"}
# Their histogram is the policy's own word, which nobody can check.
OWN_WORDS = {"http_request_duration_seconds"}


@cache
def plan_of(name: str) -> Plan:
    text = policy_text(name) + "    dashboards: true\n"
    plan = compile_policy([SourceText("policy.yaml", text.encode())]).plan
    assert plan is not None
    return plan


def monitoring_of(name: str) -> MonitoringPlan:
    found = plan_of(name).monitoring
    assert found is not None
    return found


def models(name: str) -> Iterator[dict[str, Any]]:
    """Give the dashboards as Grafana reads them, from ConfigMaps or from files."""
    items = list(emit(plan_of(name)))
    for one in objects(items, "ConfigMap"):
        if one["metadata"].get("labels", {}).get("grafana_dashboard") == "1":
            (text,) = one["data"].values()
            yield json.loads(text)
    for path, text in texts(items).items():
        if path.startswith("grafana/"):
            yield json.loads(text)


def read_by(expression: str) -> set[str]:
    """Give the metrics that an expression reads, as Prometheus' grammar sees them."""
    import promql_parser

    return set(selected(promql_parser.parse(expression.replace("$__rate_interval", "5m"))))


def selected(tree: Any) -> Iterator[str]:
    import promql_parser

    if isinstance(tree, promql_parser.VectorSelector):
        yield tree.name
        return
    for part in ("vector_selector", "expr", "lhs", "rhs", "param"):
        if getattr(tree, part, None) is not None:
            yield from selected(getattr(tree, part))
    for argument in getattr(tree, "args", None) or ():
        yield from selected(argument)


def base(name: str) -> str:
    return re.sub(r"_(bucket|count|sum)$", "", name)


def recorded(monitoring: MonitoringPlan) -> dict[str, list[dict[str, str]]]:
    """Give the labels of the recordings that the rules make, by name."""
    found: dict[str, list[dict[str, str]]] = {}
    for group in monitoring.groups:
        for rule in group.rules:
            if rule.kind == "record":
                found.setdefault(rule.name, []).append(dict(rule.labels))
    return found


def expressions(dashboard: DashboardPlan) -> Iterator[str]:
    yield from (expr for panel in dashboard.panels for expr, _ in panel.targets)


@pytest.mark.parametrize("name", VARIANTS)
def test_there_is_one_for_the_policy_each_pool_tenant_and_sla(name: str) -> None:
    plan, monitoring = plan_of(name), monitoring_of(name)
    found = [(one.kind, one.name) for one in monitoring.dashboards]
    due = [("policy", "")] + [("pool", pool.name) for pool in plan.pools]
    due += [("tenant", tenant.name) for tenant in plan.tenants]
    assert [each for each in found if each[0] != "sla"] == due
    # Before 0.15 the histogram of Kueue ends below five hours; others have none.
    waits = {"kueue": {"fast", "quick", "slow"}}.get(plan.quota_holder, {"fast"})
    late = {"slow"} if name in ("oldest", "operator-25-10") else set()
    assert {sla for kind, sla in found if kind == "sla"} == waits - late
    assert len(list(models(name))) == len(found)


@pytest.mark.parametrize("name", VARIANTS)
def test_grafana_finds_what_it_needs(name: str) -> None:
    seen = set()
    for model in models(name):
        assert model["schemaVersion"] >= 39
        assert model["id"] is None
        assert not model["editable"]
        assert "__inputs" not in model
        assert len(model["uid"]) <= 40
        seen.add(model["uid"])
        source, *others = model["templating"]["list"]
        assert (source["name"], source["type"], source["query"]) == (
            "datasource",
            "datasource",
            "prometheus",
        )
        used = set(re.findall(r"\$(\w+)", json.dumps(model["panels"]))) - {"__rate_interval"}
        assert used <= {variable["name"] for variable in others}
        assert len(json.dumps(model)) < 200_000, "client-side apply keeps 256 KiB"
    assert len(seen) == len(list(models(name)))


@pytest.mark.parametrize("name", VARIANTS)
def test_panels_are_of_kinds_that_exist_and_do_not_overlap(name: str) -> None:
    for model in models(name):
        taken: set[tuple[int, int]] = set()
        assert len({panel["id"] for panel in model["panels"]}) == len(model["panels"])
        for panel in model["panels"]:
            assert panel["type"] in KINDS
            assert panel["title"]
            assert panel["description"].endswith(".")
            assert panel["fieldConfig"]["defaults"]["unit"] in UNITS
            grid = panel["gridPos"]
            assert grid["x"] + grid["w"] <= 24
            cells = {
                (grid["x"] + across, grid["y"] + down)
                for across in range(grid["w"])
                for down in range(grid["h"])
            }
            assert not cells & taken, panel["title"]
            taken |= cells
            letters = [target["refId"] for target in panel["targets"]]
            assert letters
            assert len(set(letters)) == len(letters)
            for target in panel["targets"]:
                assert target["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
                assert target["instant"] != target["range"]
                assert "%{" not in target["expr"] + panel["description"]


@pytest.mark.parametrize("name", VARIANTS)
def test_every_expression_reads_what_is_there(name: str) -> None:
    plan, monitoring = plan_of(name), monitoring_of(name)
    counted: set[str] = set()
    if monitoring.counters:
        (lines,) = monitoring.counters.files.values()
        counted = {line.split(",")[0] for line in lines.splitlines()[1:]}
    records, seen = recorded(monitoring), 0
    for dashboard in monitoring.dashboards:
        for expr in expressions(dashboard):
            for metric in read_by(expr):
                seen += 1
                where = (dashboard.kind, dashboard.name, expr)
                if metric in FIELDS:
                    assert metric in counted, where
                elif metric in SERIES:
                    series = SERIES[metric]
                    installed = plan.platform.component(series.component)
                    if series.component != "kubeStateMetrics":
                        assert installed, where
                        assert series.known_to(str(installed.version)), where
                elif metric in records:
                    assert made_for(dashboard, records[metric]), where
                else:
                    known = HISTOGRAMS | OWN_WORDS
                    assert metric == "ALERTS" or base(metric) in known, (metric, where)
    assert seen > 50


def made_for(dashboard: DashboardPlan, labels: list[dict[str, str]]) -> bool:
    """Tell whether a recording is made for what a dashboard is about, not only for another."""
    own = [found.get(dashboard.kind) for found in labels if dashboard.kind in found]
    return not own or dashboard.kind == "policy" or dashboard.name in own


@pytest.mark.parametrize("name", VARIANTS)
def test_no_panel_reads_what_its_pool_lacks(name: str) -> None:
    plan = plan_of(name)
    for dashboard in monitoring_of(name).dashboards:
        if dashboard.kind != "pool":
            continue
        pool = plan.pool(dashboard.name)
        cut = pool.mig is not None and all(group.profiles for group in pool.mig.groups)
        for expr in expressions(dashboard):
            for field in read_by(expr) & FIELDS.keys():
                assert pool.managed
                assert not (cut and FIELDS[field].mig == "absent"), expr
                assert not (FIELDS[field].profiling and not (pool.gpu and pool.gpu.profiling))


def test_what_is_not_there_is_seen() -> None:
    assert read_by("sum by (a) (rate(made_up_total{x='y'}[$__rate_interval])) / vector(3)") == {
        "made_up_total"
    }
    assert read_by("max by (node) (a:b:c) and on (node) d") == {"a:b:c", "d"}
    with pytest.raises(ValueError, match=r"expected type matrix|type"):
        read_by("sum(rate(a))")


def test_every_panel_is_drawn_somewhere() -> None:
    drawn = {
        (panel.title, panel.type, panel.unit)
        for name in VARIANTS
        for dashboard in monitoring_of(name).dashboards
        for panel in dashboard.panels
    }
    assert {(fact.title, fact.type, fact.unit) for fact in panels()} == drawn


def test_repeated_values_of_instances_count_once() -> None:
    """Power and temperature are the card's, on every MIG instance of it."""
    for name in VARIANTS:
        for dashboard in monitoring_of(name).dashboards:
            for expr in expressions(dashboard):
                assert not re.search(r"(sum|avg)( by \([^)]*\))? ?\(DCGM_FI_DEV_POWER", expr)


def test_the_sidecar_finds_them() -> None:
    found = [
        one
        for one in objects(emit(plan_of("kueue")), "ConfigMap")
        if one["metadata"]["name"].startswith("gpupolicy-dashboard-")
    ]
    assert {one["metadata"]["namespace"] for one in found} == {"monitoring"}
    assert {one["metadata"]["labels"]["grafana_dashboard"] for one in found} == {"1"}
    files = [name for one in found for name in one["data"]]
    assert len(set(files)) == len(files) > 10, "one folder takes them all"


def test_without_the_word_there_are_none() -> None:
    plan = compile_policy([SourceText("policy.yaml", policy_text("kueue").encode())]).plan
    assert plan is not None
    assert plan.monitoring is not None
    assert plan.monitoring.dashboards == ()


def test_fields_that_only_panels_read_are_counted() -> None:
    """A list replaces the exporter's own, so what a panel needs must stand in it too."""
    with_panels, without = monitoring_of("kueue"), yaml.safe_load(policy_text("kueue"))
    assert not without["spec"]["monitoring"].get("dashboards")
    read = {
        metric
        for dashboard in with_panels.dashboards
        for expr in expressions(dashboard)
        for metric in read_by(expr)
    }
    assert with_panels.counters is not None
    assert read & FIELDS.keys() <= set(re.findall(r"\w+", *with_panels.counters.files.values()))


def test_one_policy_in_two_clusters_or_two_in_one_are_told_apart() -> None:
    ids = {one.uid for one in monitoring_of("kueue").dashboards}
    text = policy_text("kueue").replace("name: many}", "name: others}") + "    dashboards: true\n"
    plan = compile_policy([SourceText("policy.yaml", text.encode())]).plan
    assert plan is not None
    assert plan.monitoring is not None
    assert not ids & {one.uid for one in plan.monitoring.dashboards}
