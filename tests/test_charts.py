"""The vendors' charts do with our values what the plan says, and ignore none of them.

Rendered by `helm template` from the releases that the Go module proxy serves: GPU Operator 25.10
and 25.3 (newer ones are not there; the fields that we set are spelled alike up to 26.7), Kueue 0.19
and 0.14, Volcano 1.15 and 1.14, Node Feature Discovery 0.19.
"""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.read import read_sources
from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import TaintPlan
from gpupolicy.source.load import SourceText
from tests import charts
from tests.blueprints import ALL
from tests.charts import Chart
from tests.charts import laid_over
from tests.charts import only
from tests.charts import render
from tests.conftest import ROOT
from tests.conftest import Tool
from tests.generated import generated

pytestmark = pytest.mark.tools
Data = dict[str, Any]
every_operator = pytest.mark.parametrize("chart", charts.OPERATOR, ids=str)
every_kueue = pytest.mark.parametrize("chart", charts.KUEUE, ids=str)
every_volcano = pytest.mark.parametrize("chart", charts.VOLCANO, ids=str)
# What a platform may have beside the operator, each of which changes its values.
BESIDE: tuple[Data, ...] = (
    {},
    {"nodeFeatureDiscovery": {"version": "0.19"}},
    {"dcgmExporter": {"version": "4.8"}, "prometheus": {}},
    {"gpuOperator": {"migReboot": True}, "prometheus": {"write": "files"}},
)


def _compiled(platform: Data, path: str, *overlays: str) -> Compiled:
    overlay = json.dumps({"spec": {"platform": platform}})
    made = compile_policy(
        read_sources([str(ROOT / path)]),
        [*read_sources([str(ROOT / one) for one in overlays]), _source(overlay)],
        today="2026-01-01",
    )
    assert made.bundle is not None, [one.message for one in made.diagnostics]
    return made


def _source(text: str) -> SourceText:
    return SourceText("platform.yaml", text.encode())


@functools.cache
def _policies(component: str, line: str) -> tuple[Compiled, ...]:
    """Give every blueprint and some generated policies, for a release of a component."""
    platform = {component: {"version": line}}
    found = [
        _compiled(platform, one.path, *(o for o in one.overlays if o != "--overlay"))
        for one in ALL
        if component in _installed(one.path)
    ]
    for place, beside in enumerate(BESIDE):
        text = json.dumps(laid_over(platform, beside))
        found += [one.made for one in generated(8, place + 1, text)]
    return tuple(found)


def _installed(path: str) -> Data:
    made = compile_policy(read_sources([str(ROOT / path)]), today="2026-01-01")
    assert made.plan is not None
    return dict(made.plan.platform.components)


def _plan(made: Compiled) -> Plan:
    assert made.plan is not None
    return made.plan


def _file(made: Compiled, path: str) -> str:
    assert made.bundle is not None
    texts = [one.text for one in made.bundle.files if one.path == path]
    return texts[0] if texts else ""


def _cluster_policy_of(chart: Chart, values: str) -> Data:
    """Give the `spec` of the ClusterPolicy that the chart makes; it may be changed."""
    spec: Data = copy.deepcopy(only(render(chart, values), "ClusterPolicy")["spec"])
    return spec


# The GPU Operator


def _cluster_policy(plan: Plan, defaults: Data) -> Data:
    """Lay what the plan says over the `spec` that the chart makes by itself."""
    said: Data = {"dcgmExporter": _exporter(plan)}
    if plan.mig_strategy:
        said["mig"] = {"strategy": plan.mig_strategy}
    if plan.device_plugin:
        said["devicePlugin"] = {"config": {"name": plan.device_plugin.name, "default": "default"}}
    if plan.mig_parted:
        config = {"name": plan.mig_parted.name, "default": "all-disabled"}
        said["migManager"] = {"config": config}
    if plan.platform.mig_reboot:
        said.setdefault("migManager", {})["env"] = [{"name": "WITH_REBOOT", "value": "true"}]
    spec = laid_over(defaults, said)
    if not plan.mig_strategy:
        spec["mig"] = None
    return spec


def _exporter(plan: Plan) -> Data:
    if plan.platform.component("dcgmExporter"):
        return {"enabled": False}
    found: Data = {}
    if plan.monitoring and plan.monitoring.counters:
        found["config"] = {"name": plan.monitoring.counters.name}
    if plan.platform.component("prometheus") and plan.platform.prometheus_write == "objects":
        labels = dict(plan.platform.prometheus_labels)
        found["serviceMonitor"] = {
            "enabled": True,
            "interval": "15s",
            "additionalLabels": labels,
            # Alerts name the node; the exporter only knows its pod.
            "relabelings": [
                {
                    "sourceLabels": ["__meta_kubernetes_pod_node_name"],
                    "targetLabel": "node",
                    "action": "replace",
                }
            ],
        }
    else:
        found["serviceMonitor"] = {"enabled": False}
    return found


def _tolerates(toleration: Data, taint: TaintPlan) -> bool:
    """As k8s.io/api core/v1 Toleration.ToleratesTaint."""
    return (
        toleration.get("key", taint.key) == taint.key
        and toleration.get("effect", taint.effect) == taint.effect
        and (toleration["operator"] == "Exists" or toleration.get("value", "") == taint.value)
    )


@every_operator
def test_the_cluster_policy_is_the_plan(chart: Chart) -> None:
    for made in _policies("gpuOperator", chart.line):
        plan = _plan(made)
        defaults = _cluster_policy_of(chart, "{}")
        spec = _cluster_policy_of(chart, _file(made, "gpu-operator-values.yaml"))
        tolerations = spec["daemonsets"].pop("tolerations")
        assert all(one in tolerations for one in defaults["daemonsets"].pop("tolerations"))
        for pool in plan.pools:
            for taint in pool.node.taints if pool.gpu and pool.gpu.nvidia else ():
                assert any(_tolerates(one, taint) for one in tolerations), taint
        assert spec == _cluster_policy(plan, defaults)


@every_operator
def test_the_operator_reads_config_maps_that_are_ours(chart: Chart) -> None:
    """What is named is there once: the chart makes none, and we do."""
    for made in _policies("gpuOperator", chart.line):
        assert made.bundle is not None
        objects = render(chart, _file(made, "gpu-operator-values.yaml"))
        spec = only(objects, "ClusterPolicy")["spec"]
        ours = [one.key.name for one in made.bundle.manifests if one.key.kind == "ConfigMap"]
        theirs = [one["metadata"]["name"] for one in objects if one["kind"] == "ConfigMap"]
        default = _cluster_policy_of(chart, "{}")
        for component in ("devicePlugin", "migManager", "dcgmExporter"):
            name = spec[component].get("config", {}).get("name")
            if name and name != default[component].get("config", {}).get("name"):
                assert ours.count(name) == 1
                assert name not in theirs


@every_operator
def test_the_bundled_node_feature_discovery_reaches_every_node(chart: Chart) -> None:
    for made in _policies("gpuOperator", chart.line):
        plan = _plan(made)
        objects = render(chart, _file(made, "gpu-operator-values.yaml"))
        there = [one for one in objects if "node-feature-discovery" in one["metadata"]["name"]]
        assert bool(there) == (plan.platform.component("nodeFeatureDiscovery") is None)
        if there:
            _assert_nfd(plan, objects)


def _assert_nfd(plan: Plan, objects: list[Data]) -> None:
    """Hold a rendered NFD to the plan: its worker runs on every node, its master sets taints."""
    pod = only(objects, "DaemonSet", "-worker")["spec"]["template"]["spec"]
    tolerations = pod.get("tolerations") or []
    for pool in plan.pools:
        for taint in pool.node.taints:
            assert any(_tolerates(one, taint) for one in tolerations), taint
    text = only(objects, "ConfigMap", "-master-conf")["data"]["nfd-master.conf"]
    taints = bool((yaml.safe_load(text) or {}).get("enableTaints"))
    assert taints == any(pool.node.rule_taints for pool in plan.pools)


def test_node_feature_discovery_s_own_chart_is_held_too() -> None:
    platform = {"nodeFeatureDiscovery": {"version": charts.NFD.line}}
    tainted = False
    for one in ALL:
        made = _compiled(platform, one.path, *(o for o in one.overlays if o != "--overlay"))
        _assert_nfd(_plan(made), render(charts.NFD, _file(made, "nfd-values.yaml")))
        tainted |= any(pool.node.taints for pool in _plan(made).pools)
    assert tainted


# Kueue


@every_kueue
def test_kueue_gets_the_configuration_as_it_is_emitted(
    chart: Chart, tool: Callable[[str], Tool], tmp_path: Path
) -> None:
    texts = {_file(made, "kueue-manager-config.yaml") for made in _policies("kueue", chart.line)}
    assert len(texts) > 1
    for place, text in enumerate(texts):
        path = tmp_path / f"{place}.yaml"
        path.write_text(text, encoding="utf-8")
        given = f"managerConfig.controllerManagerConfigYaml={path}"
        rendered = only(render(chart, "{}", "--set-file", given), "ConfigMap", "-manager-config")
        reads = yaml.safe_load(rendered["data"]["controller_manager_config.yaml"])
        # The chart adds the names of its own certificate.
        reads.pop("internalCertManagement", None)
        assert reads == yaml.safe_load(text)
        path.write_text(rendered["data"]["controller_manager_config.yaml"], encoding="utf-8")
        if chart.line == "0.19":  # Whose loader the tool is made of.
            tool("kueue-config").run(path)


# Volcano


def _volcano_values(chart: Chart) -> set[str]:
    folder = ROOT / "tests" / "testbed" / "policies"
    paths = [f"tests/testbed/policies/{path.name}" for path in sorted(folder.glob("*.yaml"))]
    platform = {"volcano": {"version": chart.line}}
    texts = {
        _file(_compiled(platform, path), "volcano-values.yaml")
        for path in paths
        if "volcano" in _installed(path)
    }
    return {text for text in texts if text}


@every_volcano
def test_volcano_reads_the_settings_as_they_are_emitted(chart: Chart) -> None:
    texts = _volcano_values(chart)
    assert texts
    for text in texts:
        custom = yaml.safe_load(text)["custom"]
        objects = render(chart, text)
        scheduler = only(objects, "ConfigMap", "-scheduler-configmap")["data"]
        assert list(scheduler) == ["volcano-scheduler.conf"]
        wanted = yaml.safe_load(custom["scheduler_config_override"])
        assert yaml.safe_load(scheduler["volcano-scheduler.conf"]) == wanted
        if "controller_config_override" in custom:
            controller = only(objects, "ConfigMap", "-controller-configmap")["data"]
            (read,) = (yaml.safe_load(one) for one in controller.values())
            assert read == custom["controller_config_override"]


# All


def _leaves(values: Data, *before: str) -> Iterator[tuple[str, ...]]:
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, *before, key)
        else:
            yield (*before, key)


def _moved(value: Any) -> Any:
    """Give another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, list):
        return value[:-1] if len(value) > 1 else []
    return {"a": "b"} if isinstance(value, dict) else f"{value}x"


def _with(values: Data, path: tuple[str, ...]) -> Data:
    made = copy.deepcopy(values)
    at = made
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = _moved(at[path[-1]])
    return made


def _ignored(chart: Chart, texts: set[str]) -> list[tuple[str, ...]]:
    """Move every value of ours once; gives those that change nothing that is rendered.

    `config.create` only makes a difference with content, which we never give to the chart.
    """
    heard: dict[tuple[str, ...], bool] = {}
    for text in sorted(texts, key=len, reverse=True):
        values = yaml.safe_load(text)
        for path in _leaves(values):
            if path not in heard and path[-1] != "create":
                moved = yaml.safe_dump(_with(values, path))
                heard[path] = render(chart, text) != render(chart, moved)
    assert heard
    return [path for path, is_heard in heard.items() if not is_heard]


@pytest.mark.parametrize("chart", [*charts.OPERATOR, *charts.VOLCANO], ids=str)
def test_no_value_is_ignored(chart: Chart) -> None:
    if chart in charts.VOLCANO:
        texts = _volcano_values(chart)
    else:
        made = _policies("gpuOperator", chart.line)
        texts = {_file(one, "gpu-operator-values.yaml") for one in made}
    assert _ignored(chart, texts) == []


def test_an_ignored_value_is_noticed() -> None:
    chart = charts.OPERATOR[0]
    text = "mig: {strategy: single}\nmigg: {strategy: single}\n"
    assert _ignored(chart, {text}) == [("migg", "strategy")]
