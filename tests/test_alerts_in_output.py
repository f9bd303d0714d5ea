"""Alerts as they stand in `output/`: tested both ways, and none that upstream refutes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from gpupolicy.compiler import compile_policy
from gpupolicy.manifest.canonical import dump
from gpupolicy.source.load import SourceText
from tests.blueprints import ALL
from tests.blueprints import Blueprint
from tests.targets.prometheus.policies import VARIANTS
from tests.targets.prometheus.policies import compiled

WATCHED = [one for one in ALL if any("prometheus/" in path for path in one.files())]
watched = pytest.mark.parametrize("blueprint", WATCHED, ids=lambda one: one.name)

# What public guides say and upstream contradicts, with what they say. Sources: dcgm-exporter
# 4.6.0-4.8.3 internal/pkg/{counters,rendermetrics}, Prometheus 2.42 discovery/kubernetes, kubelet
# 1.25 (accelerator metrics dropped), Alertmanager 0.26 config, Grafana 12 (Angular removed),
# NVIDIA's Xid catalog. `by` and the like are looked at in rules, where an expression has one line.
REFUTED = {
    "a field that no exporter has": (
        r"PIPE_TENS_ACTIVE|REMOVED_REPS",
        "DCGM_FI_PROF_PIPE_TENS_ACTIVE > 0.9",
    ),
    "a rate of the last XID": (
        r"(increase|rate|changes|delta)\s*\(\s*DCGM_(FI_DEV_XID_ERRORS|EXP_\w+_COUNT)\b",
        "increase(DCGM_FI_DEV_XID_ERRORS[5m]) > 0",
    ),
    "a rate of what is bytes a second": (
        r"rate\s*\(\s*DCGM_FI_PROF_(PCIE|NVLINK)",
        "rate(DCGM_FI_PROF_PCIE_TX_BYTES[1m])",
    ),
    "bandwidth taken for memory": (r"expr.*MEM_COPY_UTIL", "expr: DCGM_FI_DEV_MEM_COPY_UTIL > 90"),
    "a role that discovery has not": (
        r"role: daemonset",
        "kubernetes_sd_configs: [{role: daemonset}]",
    ),
    "a job that the operator does not make": (
        r"up\{job=~?\"dcgm-exporter\"",
        'up{job="dcgm-exporter"} == 0',
    ),
    "a metric that Volcano has not": (r"volcano_job_pending", "volcano_job_pending > 5"),
    "metrics that the kubelet dropped": (
        r"container_accelerator",
        "rate(container_accelerator_duty_cycle[1m])",
    ),
    "a label that the exporter has not": (
        r"by \(node\) ?\(DCGM_FI_DEV_GPU_UTIL\)(?! and)",
        "avg by (node) (DCGM_FI_DEV_GPU_UTIL)",
    ),
    "a label that changed its spelling": (r"by \([^)]*\b[Hh]ostname", "max by (Hostname) (x)"),
    "capacity taken for cards": (
        r"sum\(kube_node_status_capacity",
        'sum(kube_node_status_capacity{resource="nvidia_com_gpu"})',
    ),
    "a part that is never all": (r"1 - count\(", "1 - count(x < 30) / count(x)"),
    "clocks taken for throttling": (r"SM_CLOCK[^\n]*<", "DCGM_FI_DEV_SM_CLOCK < 1000"),
    "one temperature for all cards": (
        r"(GPU|MEMORY)_TEMP\b(\{[^}]*\})?\)? *>=? *\d{2}",
        "DCGM_FI_DEV_GPU_TEMP > 85",
    ),
    "intervals that Alertmanager refuses": (
        r"(group_?[iI]nterval|repeat_?[iI]nterval): \"?0s",
        "group_interval: 0s",
    ),
    "matchers of old": (
        r"\bmatch(_re)?:\n? *(\{|severity|alertname)",
        "match: {severity: critical}",
    ),
    "a dashboard of panels that are gone": (
        r"\"type\": ?\"(graph|singlestat|table-old)\"|\b12239\b",
        '"type": "graph"',
    ),
    "workloads whose names hide the exporter's": (
        r"honor_?[lL]abels\"?: true",
        "honorLabels: true",
    ),
    "an exporter that takes a card": (
        r"app: nvidia-dcgm-exporter[\s\S]{0,900}limits:\s+nvidia\.com/gpu",
        "app: nvidia-dcgm-exporter\nresources:\n  limits:\n    nvidia.com/gpu: 1",
    ),
}
# Faults of programs: the card is healthy, and a node that is fenced for one is lost for nothing.
OF_PROGRAMS = {"13", "31", "43", "45", "68"}


def alerts_of(groups: list[Any]) -> Counter[str]:
    rules = [rule for group in groups for rule in group["rules"]]
    return Counter(rule["alert"] for rule in rules if "alert" in rule)


def cases_of(text: bytes | None) -> tuple[Counter[str], Counter[str]]:
    """Count the cases of a test file that fire, and those that are silent, by alert."""
    fires: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    for test in yaml.load(text, Loader=yaml.CSafeLoader)["tests"] if text else ():
        for case in test["alert_rule_test"]:
            (fires if case.get("exp_alerts") else silent)[case["alertname"]] += 1
    return fires, silent


def untested(blueprint: Blueprint) -> Iterator[str]:
    files = blueprint.files()
    for path, data in blueprint.objects().items():
        if data["kind"] != "PrometheusRule":
            continue
        name = data["metadata"]["name"]
        fires, silent = cases_of(files.get(f"files/prometheus/tests/{name}.yaml"))
        for alert, count in alerts_of(data["spec"]["groups"]).items():
            if fires[alert] < count or silent[alert] < count:
                yield f"{path}: {count} of {alert}, {fires[alert]} fire, {silent[alert]} are silent"


@watched
def test_every_alert_has_a_case_that_fires_and_one_that_is_silent(blueprint: Blueprint) -> None:
    """One of each for every rule: an alert of several devices or classes has as many of both."""
    assert list(untested(blueprint)) == []


def test_there_is_something_to_count() -> None:
    counted = sum(
        alerts_of(data["spec"]["groups"]).total()
        for one in WATCHED
        for data in one.objects().values()
        if data["kind"] == "PrometheusRule"
    )
    assert counted > 400


def test_a_missing_case_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    files = dict(WATCHED[0].files())
    path = "files/prometheus/tests/gpupolicy.yaml"
    tests = yaml.safe_load(files[path])
    tests["tests"] = [test for test in tests["tests"] if "is silent" not in test["name"]]
    files[path] = dump(tests).encode()
    monkeypatch.setattr(Blueprint, "files", lambda _: files)
    assert list(untested(WATCHED[0]))


def test_of_very_many_tenants_each_kind_is_tested() -> None:
    """Above 200 tenants one of each kind has its tests, and there is no alert without them."""
    tenants = "".join(
        f"    - {{name: t{i}, namespaces: [t{i}], quotas: [{{pool: {'train' if i % 2 else 'dev'}, "
        f"guaranteed: {i % 3 and 1}}}]}}\n"
        for i in range(230)
    )
    text = (
        "apiVersion: gpupolicy.dev/v1alpha1\nkind: GPUClusterPolicy\nmetadata: {name: many}\n"
        'spec:\n  platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}, '
        'kueue: {version: "0.19"}, prometheus: {labels: {release: stack}}}\n'
        "  nodePools:\n    - {name: train, gpu: H100-SXM5-80GB, nodes: 40, gpusPerNode: 8}\n"
        "    - {name: dev, gpu: A10, nodes: 40, gpusPerNode: 4, sharing: {timeSlicing: 2}}\n"
        f"  tenants:\n{tenants}"
    )
    bundle = compile_policy([SourceText("policy.yaml", text.encode())]).bundle
    assert bundle is not None
    files = {file.path: file.text.encode() for file in bundle.files}
    rules = [one.data for one in bundle.manifests if one.data["kind"] == "PrometheusRule"]
    assert len(rules) > 230
    kinds: dict[tuple[tuple[str, int], ...], list[bool]] = {}
    for data in rules:
        alerts = alerts_of(data["spec"]["groups"])
        text_of_tests = files.get(f"prometheus/tests/{data['metadata']['name']}.yaml")
        fires, silent = cases_of(text_of_tests)
        tested = all(min(fires[name], silent[name]) >= count for name, count in alerts.items())
        assert tested or not text_of_tests
        kinds.setdefault(tuple(sorted(alerts.items())), []).append(tested)
    assert [kind for kind, tested in kinds.items() if not any(tested)] == []
    assert sum(map(sum, kinds.values())) < 20, "most tenants have none of their own"


def texts() -> Iterator[tuple[str, str]]:
    """Give everything that is compiled: the output of the blueprints, and of many policies."""
    for one in ALL:
        for path, data in one.files().items():
            yield f"{one.name}/{path}", data.decode()
    for name in VARIANTS:
        bundle = compiled(name).bundle
        assert bundle is not None
        yield from ((f"{name}/{one.key}", dump(one.data)) for one in bundle.manifests)
        yield from ((f"{name}/{file.path}", file.text) for file in bundle.files)


@pytest.fixture(scope="module")
def every_text() -> list[tuple[str, str]]:
    return list(texts())


@pytest.mark.parametrize("claim", REFUTED)
def test_what_upstream_refutes_is_nowhere(claim: str, every_text: list[tuple[str, str]]) -> None:
    pattern = re.compile(REFUTED[claim][0])
    assert pattern.search(REFUTED[claim][1]), "the pattern sees what the guides say"
    # An exporter with a chart of its own has that job; it is the operator's that has not.
    apart = "own-exporter" if "operator" in claim else "\0"
    found = [path for path, text in every_text if pattern.search(text)]
    assert [path for path in found if not path.startswith(apart)] == []


def test_no_fault_of_a_program_is_fatal(every_text: list[tuple[str, str]]) -> None:
    seen = 0
    for path, text in every_text:
        if "prometheus/rules/" not in path:
            continue
        for group in yaml.load(text, Loader=yaml.CSafeLoader)["groups"]:
            for rule in group["rules"]:
                found = re.search(r'xid=~"([^"]*)"', rule.get("expr", ""))
                critical = rule.get("labels", {}).get("severity") == "critical"
                if found and critical:
                    seen += 1
                    assert not OF_PROGRAMS & set(found[1].split("|")), f"{path}: {rule['alert']}"
    assert seen > 10
