"""Objects and files: what there is, where it is, and that the real schemas take it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpupolicy.plan.model import Plan
from gpupolicy.targets.prometheus import emit
from gpupolicy.targets.prometheus import unsupported
from tests.schema_check import validate_object
from tests.targets import plans
from tests.targets.prometheus.policies import VARIANTS
from tests.targets.prometheus.policies import compiled
from tests.targets.written import objects
from tests.targets.written import texts


def plan_of(name: str) -> Plan:
    found = compiled(name).plan
    assert found is not None
    return found


def names(plan: Plan, kind: str) -> list[tuple[str, str]]:
    found = objects(emit(plan), kind)
    return [(one["metadata"]["namespace"], one["metadata"]["name"]) for one in found]


def test_nothing_without_prometheus() -> None:
    assert list(emit(plans.plan())) == []
    assert list(unsupported(plans.plan())) == []


@pytest.mark.parametrize("name", VARIANTS)
def test_the_schemas_take_every_object(name: str) -> None:
    for one in objects(emit(plan_of(name))):
        assert validate_object(one, {}) == [], one["metadata"]["name"]


@pytest.mark.parametrize("name", VARIANTS)
def test_it_is_the_same_every_time(name: str) -> None:
    assert list(emit(plan_of(name))) == list(emit(plan_of(name)))


def test_one_object_for_the_policy_each_pool_and_each_tenant() -> None:
    found = names(plan_of("kueue"), "PrometheusRule")
    assert {namespace for namespace, _ in found} == {"monitoring"}
    pools = ["train", "slices", "mixed", "newest", "auto", "game", "dev", "other", "cpu"]
    tenants = ["ml-research", "other", "third", "cores"]
    assert [name for _, name in found] == [
        "gpupolicy",
        *(f"gpupolicy-pool-{pool}" for pool in pools),
        *(f"gpupolicy-tenant-{tenant}" for tenant in tenants),
    ]


def test_plain_rules_are_those_of_the_objects() -> None:
    """They are there for promtool, which takes no PrometheusRule."""
    items = list(emit(plan_of("changed")))
    files = texts(items)
    rules = objects(items, "PrometheusRule")
    for rule in rules:
        plain = yaml.safe_load(files[f"prometheus/rules/{rule['metadata']['name']}.yaml"])
        assert plain == rule["spec"]
    assert len(rules) == len([path for path in files if path.startswith("prometheus/rules/")])
    for path in files:
        if path.startswith("prometheus/tests/"):
            name = path.rpartition("/")[2]
            assert yaml.safe_load(files[path])["rule_files"] == [f"../rules/{name}"]


def test_files_without_the_operator() -> None:
    items = list(emit(plan_of("own-exporter")))
    assert {one["kind"] for one in objects(items)} == {"ConfigMap"}
    assert {path for path in texts(items) if "rules/" not in path and "tests/" not in path} == {
        "alertmanager.yaml",
        "kube-state-metrics-values.yaml",
        "prometheus/scrape.yaml",
        "runbook/alerts.md",
        "runbook/checks.md",
    }


def test_the_counters_stand_where_the_exporter_looks() -> None:
    plan = plan_of("kueue")
    assert plan.monitoring is not None
    assert plan.monitoring.counters is not None
    (found,) = objects(emit(plan), "ConfigMap")
    name = plan.monitoring.counters.name
    assert found["metadata"] == {"name": name, "namespace": "gpu-operator"}
    assert list(found["data"]) == ["dcgm-metrics.csv"]
    assert names(plan_of("own-exporter-objects"), "ConfigMap")[0][0] == "default"


def test_monitors_of_what_the_rules_read() -> None:
    kueue = names(plan_of("kueue"), "ServiceMonitor")
    assert kueue == [
        ("gpu-operator", "gpupolicy-gpu-operator"),
        ("kueue-system", "gpupolicy-kueue"),
    ]
    assert names(plan_of("resource-quota"), "ServiceMonitor") == kueue[:1]
    (monitor,) = [
        one
        for one in objects(emit(plan_of("kueue")), "ServiceMonitor")
        if one["metadata"]["name"] == "gpupolicy-kueue"
    ]
    (endpoint,) = monitor["spec"]["endpoints"]
    assert endpoint["port"] == "https"
    assert endpoint["bearerTokenFile"].endswith("/token")
    assert endpoint["honorLabels"] is False


def test_routes_of_objects() -> None:
    (found,) = objects(emit(plan_of("kueue")), "AlertmanagerConfig")
    spec: dict[str, Any] = found["spec"]
    assert spec["route"]["matchers"] == [{"name": "gpupolicy", "value": "many", "matchType": "="}]
    assert [route["receiver"] for route in spec["route"]["routes"]] == ["oncall"]
    secret = {"name": "hook", "key": "url"}
    assert spec["receivers"][1]["webhookConfigs"] == [{"urlSecret": secret, "sendResolved": True}]
    known = {receiver["name"] for receiver in spec["receivers"]}
    assert {spec["route"]["receiver"], *(r["receiver"] for r in spec["route"]["routes"])} <= known


def test_routes_of_files() -> None:
    config = yaml.safe_load(texts(emit(plan_of("volcano")))["alertmanager.yaml"])
    (ours,) = config["route"]["routes"]
    assert ours["matchers"] == ['gpupolicy="many"']
    assert [(r["receiver"], r.get("matchers")) for r in ours["routes"]] == [
        ("oncall", ['severity="critical"']),
        ("null", None),
    ]
    assert "0s" not in {ours["group_interval"], ours["repeat_interval"]}
    assert config["receivers"][1]["webhook_configs"][0]["url_file"] == "/etc/hook/url"


def test_what_is_inhibited_exists() -> None:
    plan = plan_of("kueue")
    assert plan.monitoring is not None
    alerts = {rule.name for group in plan.monitoring.groups for rule in group.rules}
    named = {name for one in plan.monitoring.inhibitions for name in (one.by, *one.alerts)}
    assert named
    assert named <= alerts


def test_kube_state_metrics_is_told_which_labels() -> None:
    values = yaml.safe_load(texts(emit(plan_of("kueue")))["kube-state-metrics-values.yaml"])
    assert values == {
        "metricLabelsAllowlist": ["nodes=[gpupolicy.dev/pool,nvidia.com/mig.config.state]"]
    }


def test_the_operators_values_name_the_counters() -> None:
    outcome = compiled("kueue")
    assert outcome.bundle is not None
    assert outcome.plan is not None
    assert outcome.plan.monitoring is not None
    (values,) = [f.text for f in outcome.bundle.files if f.path == "gpu-operator-values.yaml"]
    config = yaml.safe_load(values)["dcgmExporter"]["config"]
    assert outcome.plan.monitoring.counters is not None
    assert config == {"create": False, "name": outcome.plan.monitoring.counters.name}
