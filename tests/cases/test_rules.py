"""Rules: what they measure, whose labels they use, and what Prometheus refuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases.outcome import PLATFORM
from tests.cases.outcome import Outcome
from tests.cases.outcome import compiled
from tests.cases.outcome import refused
from tests.cases.outcome import values
from tests.conftest import Tool

_ROOM = 'allocatable: {cpu: "60", memory: 240Gi, ephemeral-storage: 1Ti}'


def cluster(pool: str, more: str = "", labels: str = "{release: stack}") -> str:
    return f"""
platform: {PLATFORM[:-1]}, prometheus: {{labels: {labels}}}}}
nodePools:
  - {{name: pool, nodes: 2, gpusPerNode: 4, {_ROOM}, {pool}}}
tenants:
  - {{name: ml-research, namespaces: [ml], quotas: [{{pool: pool, guaranteed: 50%}}]}}
{more}
"""


def alerts(*rows: str) -> str:
    listed = "".join(f"\n    - {row}" for row in rows)
    return f"monitoring:\n  alerts:{listed}"


def groups(outcome: Outcome) -> list[dict[str, Any]]:
    return [group for one in outcome.objects("PrometheusRule") for group in one["spec"]["groups"]]


def rules(outcome: Outcome, group: str = "") -> Iterator[dict[str, Any]]:
    for one in groups(outcome):
        if group in one["name"]:
            yield from one["rules"]


def rule(outcome: Outcome, name: str) -> dict[str, Any]:
    (found,) = [one for one in rules(outcome) if name in (one.get("alert"), one.get("record"))]
    return found


def behind(outcome: Outcome, name: str) -> str:
    """Give the expression of a rule with those of the records it reads put in place."""
    text: str = rule(outcome, name)["expr"]
    for one in rules(outcome, "gpupolicy-pool-pool"):
        if "record" in one:
            text = text.replace(one["record"], one["expr"])
    return text


_LOW = "GpuPolicyLowUtilization"


def test_a_061_utilisation_of_slices_is_measured_by_the_engine() -> None:
    pool = "gpu: A100-SXM4-80GB, sharing: {mig: {1g.10gb: 7}}"
    spec = cluster(pool, alerts("{name: gpu-low-utilization, threshold: 30%, for: 2h}"))
    outcome = compiled(spec)
    expr = behind(outcome, _LOW)
    assert "DCGM_FI_PROF_GR_ENGINE_ACTIVE" in expr
    assert re.search(r"< (0\.3|bool 0\.3)\b", expr), expr
    everything = "\n".join(one["expr"] for one in rules(outcome, "pool-pool"))
    assert "DCGM_FI_DEV_GPU_UTIL" not in everything


def test_a_061_the_threshold_has_the_scale_of_what_is_measured() -> None:
    spec = cluster("gpu: RTX-4090", alerts("{name: gpu-low-utilization, threshold: 30%}"))
    expr = behind(compiled(spec), _LOW)
    assert "DCGM_FI_DEV_GPU_UTIL" in expr
    percent = re.search(r"< 30\b", expr)
    ratio = re.search(r"DCGM_FI_DEV_GPU_UTIL\)* / 100", expr) and re.search(r"< 0\.3\b", expr)
    assert percent or ratio, expr


def test_a_062_rules_and_monitors_carry_what_prometheus_selects_by() -> None:
    outcome = compiled(cluster("gpu: A10", labels="{release: kps, prometheus: gpu}"))
    selected = {"release": "kps", "prometheus": "gpu"}
    kinds = ("PrometheusRule", "ServiceMonitor", "PodMonitor")
    found = [one for kind in kinds for one in outcome.objects(kind)]
    assert {one["kind"] for one in found} >= {"PrometheusRule", "ServiceMonitor"}
    for one in found:
        assert selected.items() <= one["metadata"]["labels"].items(), one["metadata"]["name"]
    assert values(outcome)["dcgmExporter"]["serviceMonitor"]["additionalLabels"] == selected


def test_a_062_without_labels_it_is_said() -> None:
    outcome = compiled(cluster("gpu: A10", labels="{}"))
    (said,) = [one for one in outcome.found() if one.code == "GP658"]
    assert said.severity.value == "warning"
    assert "labels" in said.message
    assert "release" in (said.hint or "")


_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")
_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\Z")


def test_a_063_labels_of_tenants_become_legal_names() -> None:
    spec = cluster("gpu: A10").replace(
        "namespaces: [ml]", "namespaces: [ml], labels: {example.org/team: vision, cost-centre: '7'}"
    )
    outcome = compiled(spec)
    names = {name for one in rules(outcome) for name in one.get("labels", {})}
    assert [name for name in names if not _LABEL.match(name)] == []
    mine = [one["labels"] for one in rules(outcome, "tenant") if "alert" in one]
    assert mine
    assert all(one["example_org_team"] == "vision" for one in mine)
    assert all(one["cost_centre"] == "7" for one in mine)


def test_a_063_labels_that_become_one_name() -> None:
    spec = cluster("gpu: A10").replace(
        "namespaces: [ml]", "namespaces: [ml], labels: {cost-centre: a, «cost.centre»: b}"
    )
    refused(spec, "GP660").says("cost-centre", "cost.centre", "cost_centre", "ml-research")


def test_a_064_rules_use_the_labels_that_the_monitor_leaves() -> None:
    outcome = compiled(cluster("gpu: A10"))
    assert values(outcome)["dcgmExporter"]["serviceMonitor"]["honorLabels"] is False
    exporter = [one["expr"] for one in rules(outcome) if "DCGM_" in one["expr"]]
    assert any("exported_namespace" in expr for expr in exporter)
    for expr in exporter:
        assert not re.search(r"(?<![a-z_])(namespace|pod|container)\b", expr), expr


def test_a_064_the_same_with_plain_files() -> None:
    platform = f"{PLATFORM[:-1]}, prometheus: {{write: files}}}}"
    outcome = compiled(re.sub("platform: .*", f"platform: {platform}", cluster("gpu: A10")))
    texts = [text for path, text in outcome.tree.items() if path.startswith("files/prometheus/")]
    honoured = re.findall(r"honor_labels: (\w+)", "\n".join(texts))
    assert set(honoured) <= {"false"}
    exporter = [
        one["expr"]
        for path, text in outcome.tree.items()
        if path.startswith("files/prometheus/rules/")
        for group in yaml.safe_load(text)["groups"]
        for one in group["rules"]
        if "DCGM_" in one["expr"]
    ]
    assert any("exported_namespace" in expr for expr in exporter)


@pytest.mark.parametrize(
    ("expr", "said"),
    [
        ("sum(rate(errors_total[5m]) > 0", "never closed"),
        ("queue_depth > 5m", "5m"),
        ("queue_depth > 20%", "a value is due at the end"),
        ("rate(errors_total) > 0", "rate"),
        ("errors_total[5m] > 1", "instant vector"),
        ("queue_depth >", "a value is due at the end"),
        ("errors_total{team=vision} > 0", "vision"),
    ],
)
def test_a_065_a_typo_in_an_expression(expr: str, said: str) -> None:
    row = f"{{name: mine, expr: «'{expr}'», for: 5m}}"
    finding = refused(cluster("gpu: A10", alerts(row)), "GP651").says("mine")
    assert said in finding.one.message


def test_a_065_a_template_that_does_not_close() -> None:
    row = "{name: mine, expr: up == 0, summary: «'down: {{ $labels.node }'»}"
    refused(cluster("gpu: A10", alerts(row)), "GP655").says("mine", "character")


_GOOD = alerts(
    "{name: mine, expr: 'sum by (pod) (rate(errors_total[5m])) > 0.2', for: 1.5h, severity: info}",
    "{name: gpu-low-utilization, threshold: 20%, for: 90m}",
)


@pytest.mark.tools
@pytest.mark.parametrize(
    "pool",
    ["gpu: A10", "gpu: RTX-4090", "gpu: A100-SXM4-80GB, sharing: {mig: {1g.10gb: 7}}"],
)
def test_a_065_promtool_takes_what_is_emitted(
    pool: str, tool: Callable[[str], Tool], tmp_path: Path
) -> None:
    outcome = compiled(cluster(pool, _GOOD))
    paths = []
    for number, group in enumerate(groups(outcome)):
        paths.append(tmp_path / f"{number}.yaml")
        paths[-1].write_text(yaml.safe_dump({"groups": [group]}))
    assert len(paths) > 2
    tool("promtool").run("check", "rules", "--lint-fatal", *paths)


@pytest.mark.parametrize(
    "gpu", ["RTX-4090", "{name: RTX-2080-Ti, resource: nvidia.com/gpu, memory: 11Gi}"]
)
def test_a_066_a_card_without_profiling(gpu: str) -> None:
    pool = f"gpu: {gpu}"
    if "{" in gpu:
        pool = f"gpu: {gpu}".replace("nodes: 2", "")
    spec = cluster(pool).replace("nodes: 2,", "nodes: {count: 2, names: [gpu-1, gpu-2]},")
    outcome = compiled(spec)
    assert "DCGM_FI_DEV_GPU_UTIL" in behind(outcome, _LOW)
    assert [one for one in rules(outcome) if "DCGM_FI_PROF_" in one["expr"]] == []


@pytest.mark.parametrize("written", ["5", "'5'", "1h30", "5 minutes"])
def test_a_067_a_duration_without_a_unit(written: str) -> None:
    row = f"{{name: gpu-low-utilization, for: «{written}»}}"
    refused(cluster("gpu: A10", alerts(row)), "GP109").says(written.strip("'"))


@pytest.mark.parametrize(
    ("written", "emitted"),
    [("1.5h", {"90m", "1h30m"}), ("90m", {"90m", "1h30m"}), ("1d", {"1d", "24h"}), ("5m", {"5m"})],
)
def test_a_067_durations_as_prometheus_writes_them(written: str, emitted: set[str]) -> None:
    spec = cluster("gpu: A10", alerts(f"{{name: gpu-low-utilization, for: {written}}}"))
    assert rule(compiled(spec), _LOW)["for"] in emitted


def test_a_067_names_of_records_and_groups() -> None:
    spec = cluster("gpu: A10").replace(
        "tenants:\n",
        "tenants:\n  - {name: pool-pool, namespaces: [p], quotas: [{pool: pool, guaranteed: 1}]}\n",
    )
    outcome = compiled(spec)
    records = [one["record"] for one in rules(outcome) if "record" in one]
    assert records
    assert [name for name in records if not _METRIC.match(name)] == []
    names = [group["name"] for group in groups(outcome)]
    assert len(set(names)) == len(names)
    assert {"gpupolicy-tenant-ml-research", "gpupolicy-tenant-pool-pool"} <= set(names)
