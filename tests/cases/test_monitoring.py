"""Acceptance: rules that have data, that Prometheus loads, and that name whom they are about."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cases.outcome import Outcome
from tests.cases.outcome import compiled

_STACK = "prometheus: {labels: {release: kube-prometheus-stack}}"
_PLATFORM = '{kubernetes: "1.34", gpuOperator: {version: "26.7"}, kueue: {version: "0.19"}, %s}'


def watched(pools: str, tenants: str = "", prometheus: str = _STACK, more: str = "") -> Outcome:
    return compiled(
        f"platform: {_PLATFORM % prometheus}\nnodePools: [{pools}]\ntenants: [{tenants}]\n{more}"
    )


def rules(outcome: Outcome) -> list[dict[str, Any]]:
    groups = [group for o in outcome.objects("PrometheusRule") for group in o["spec"]["groups"]]
    return [rule for group in groups for rule in group["rules"]]


def named(outcome: Outcome, name: str) -> dict[str, Any]:
    found = [r for r in rules(outcome) if name in (r.get("alert"), r.get("record"))]
    assert len(found) == 1, [(r["labels"], r["expr"]) for r in found]
    return found[0]


TRAIN = "{name: train, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8}"
SLICES = (
    "{name: infer, gpu: A100-SXM4-80GB, nodes: 2, gpusPerNode: 8, sharing: {mig: {1g.10gb: 7}}}"
)
GAME = "{name: game, gpu: RTX-4090, nodes: 2, gpusPerNode: 8}"


def team(pool: str, name: str = "vision", namespaces: str = "vision", more: str = "") -> str:
    return (
        f"{{name: {name}, namespaces: [{namespaces}], "
        f"quotas: [{{pool: {pool}, guaranteed: 4}}]{more}}}"
    )


def test_a_061_utilisation_of_mig_devices_is_that_of_their_engines() -> None:
    outcome = watched(SLICES, team("infer"))
    busy = named(outcome, "gpupolicy:device_busy:ratio")["expr"]
    assert "DCGM_FI_PROF_GR_ENGINE_ACTIVE" in busy
    assert "DCGM_FI_DEV_GPU_UTIL" not in "".join(rule["expr"] for rule in rules(outcome))
    low = named(outcome, "GpuPolicyLowUtilization")["expr"]
    assert "gpupolicy:device_busy:ratio" in low
    assert low.endswith("< 0.2"), "a ratio from 0 to 1, not a percentage"


def test_a_061_a_threshold_is_scaled() -> None:
    change = "monitoring: {alerts: [{name: gpu-low-utilization, threshold: 35%, for: 90m}]}"
    for pool, name in ((SLICES, "infer"), (GAME, "game")):
        low = named(watched(pool, team(name), more=change), "GpuPolicyLowUtilization")
        assert low["expr"].endswith("< 0.35")
        assert low["for"] == "1h30m"


def test_a_062_everything_carries_the_labels_that_prometheus_selects_by() -> None:
    routes = (
        "monitoring:\n  receivers: [{name: oncall, webhook: {urlSecret: {name: s, key: k}}}]\n"
        "  routes: [{receiver: oncall}]"
    )
    outcome = watched(TRAIN, team("train"), more=routes)
    kinds = ("PrometheusRule", "ServiceMonitor", "AlertmanagerConfig")
    for kind in kinds:
        assert outcome.objects(kind), kind
        for one in outcome.objects(kind):
            assert one["metadata"]["labels"]["release"] == "kube-prometheus-stack"
    values = outcome.file("gpu-operator-values.yaml")
    labels = values["dcgmExporter"]["serviceMonitor"]["additionalLabels"]
    assert labels == {"release": "kube-prometheus-stack"}


def test_a_063_label_names_are_legal() -> None:
    labels = ', labels: {example.org/team: blue, cost-centre: "0042", 9lives: "yes", node: n}'
    outcome = watched(TRAIN, team("train", "ml-research", more=labels))
    about = [r for r in rules(outcome) if r["labels"].get("tenant") == "ml-research"]
    alerts = [rule for rule in about if "alert" in rule]
    assert alerts
    for rule in alerts:
        found = rule["labels"]
        assert found["example_org_team"] == "blue"
        assert found["cost_centre"] == "0042"
        assert found["_9lives"] == "yes"
        assert found["label_node"] == "n", "the series' own label stays"
    names = {name for rule in rules(outcome) for name in rule["labels"]}
    assert [n for n in names if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", n)] == []


def test_a_064_monitors_and_rules_agree_on_whose_namespace_it_is() -> None:
    outcome = watched(TRAIN, team("train", namespaces="vision-a, vision-b"))
    values = outcome.file("gpu-operator-values.yaml")
    assert values["dcgmExporter"]["serviceMonitor"]["honorLabels"] is False
    low = named(outcome, "GpuPolicyLowUtilization")["expr"]
    assert 'exported_namespace=~"vision-a|vision-b"' in low
    for rule in rules(outcome):
        if "DCGM_" in rule["expr"]:
            assert not re.search(r"(?<!exported_)\b(namespace|pod)\b", rule["expr"]), rule["expr"]


def test_a_064_scrape_configuration_agrees_too() -> None:
    outcome = watched(TRAIN, team("train"), "prometheus: {write: files}")
    jobs = outcome.file("prometheus/scrape.yaml")["scrape_configs"]
    assert [job["honor_labels"] for job in jobs] == [False] * len(jobs)
    exporter = next(job for job in jobs if job["job_name"] == "nvidia-dcgm-exporter")
    assert {"node", "namespace", "pod"} <= {
        one.get("target_label") for one in exporter["relabel_configs"]
    }
    roles = [one["role"] for job in jobs for one in job["kubernetes_sd_configs"]]
    legal = {"node", "service", "pod", "endpoints", "endpointslice", "ingress"}
    assert set(roles) <= legal


def test_a_066_cards_without_profiling_are_watched_by_what_they_have() -> None:
    outcome = watched(GAME, team("game"))
    assert "DCGM_FI_DEV_GPU_UTIL / 100" in named(outcome, "gpupolicy:device_busy:ratio")["expr"]
    assert "DCGM_FI_PROF_" not in "".join(rule["expr"] for rule in rules(outcome))
    assert named(outcome, "GpuPolicyLowUtilization")["labels"]["tenant"] == "vision"


def test_a_066_what_never_has_data_is_said() -> None:
    shared = "{name: dev, gpu: A10, nodes: 1, gpusPerNode: 2, sharing: {timeSlicing: 4}}"
    outcome = watched(f"{SLICES}, {shared}", team("dev"))
    said = {one.message: " ".join(one.notes) for one in outcome.found() if one.code == "GP561"}
    (cut,) = [notes for message, notes in said.items() if "'infer'" in message]
    assert "gpu-xid-fatal" in cut
    (device,) = [notes for message, notes in said.items() if "'dev'" in message]
    assert "gpu-low-utilization" in device
    about = [r for r in rules(outcome) if r["labels"].get("tenant") == "vision"]
    assert "GpuPolicyLowUtilization" not in [rule.get("alert") for rule in about]


def test_a_067_names_of_rules_and_groups() -> None:
    tenants = f"{team('train', 'ml-research', 'ml')}, {team('train', 'ml', 'other')}"
    own = "monitoring: {alerts: [{name: my-own, expr: up == 0, for: 90m}]}"
    outcome = watched(f"{TRAIN}, {GAME}", tenants, more=own)
    groups = [g["name"] for o in outcome.objects("PrometheusRule") for g in o["spec"]["groups"]]
    assert len(groups) == len(set(groups))
    assert "gpupolicy-user" in groups
    records = {rule["record"] for rule in rules(outcome) if "record" in rule}
    assert [r for r in records if not re.fullmatch(r"[a-zA-Z_:][a-zA-Z0-9_:]*", r)] == []
    alerts = [
        (r["alert"], tuple(sorted(r["labels"].items()))) for r in rules(outcome) if "alert" in r
    ]
    assert len(alerts) == len(set(alerts)), "promtool calls them duplicates"
    assert named(outcome, "GpuPolicyMyOwn")["for"] == "1h30m"


@pytest.mark.parametrize(("written", "due"), [("1.5h", "1h30m"), ("90m", "1h30m"), ("36h", "36h")])
def test_a_067_durations(written: str, due: str) -> None:
    change = f"monitoring: {{alerts: [{{name: pool-dark, for: {written}}}]}}"
    assert named(watched(TRAIN, more=change), "GpuPolicyPoolDark")["for"] == due


def test_a_066_cut_gpus_of_a_pool_that_is_partly_cut_are_named() -> None:
    pool = (
        "{name: campus, gpu: A100-SXM4-80GB, nodes: 1, gpusPerNode: 2, sharing: "
        "{mig: [{gpus: [0], layout: {1g.10gb: 7}}, {gpus: [1], layout: {}}]}}"
    )
    outcome = watched(pool)
    (said,) = [one for one in outcome.found() if one.code == "GP561"]
    assert "the cut GPUs of pool 'campus'" in said.message
    assert "XidFatal" in "".join(rule.get("alert", "") for rule in rules(outcome))
