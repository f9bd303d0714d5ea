from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gpupolicy.facts.operator import cluster_policy_spec
from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import TaintPlan
from gpupolicy.targets.gpu_operator import emit
from tests.targets import plans
from tests.targets.written import objects
from tests.targets.written import texts
from tests.targets.written import written

PROMETHEUS = {"gpuOperator": "26.7", "kueue": "0.19", "prometheus": "0"}
SEPARATE = {**PROMETHEUS, "dcgmExporter": "4.8", "nodeFeatureDiscovery": "0.19"}
COUNTERS = plans.config("gpupolicy-dcgm-metrics-5f2c9d01", **{"dcgm-metrics.csv": "# none\n"})


def everything() -> Plan:
    """Every component's settings at once: layouts, sharing, taints, alerts."""
    pools = (
        plans.pool("train", node=plans.node("train", taints=[plans.TAINT])),
        plans.pool("infer", 1, mig=plans.mig()),
        plans.pool(
            "dev", 2, sharing=plans.sharing(), node=plans.node("dev", taints=[plans.BARE_TAINT])
        ),
    )
    return plans.plan(
        platform=plans.platform(
            components=PROMETHEUS, mig_reboot=True, prometheus_labels={"release": "stack"}
        ),
        pools=pools,
        mig_strategy="mixed",
        device_plugin=plans.config("gpupolicy-device-plugin-58e0a7c1", default="version: v1\n"),
        mig_parted=plans.config("gpupolicy-mig-9b1f62d4", **{"config.yaml": "version: v1\n"}),
        monitoring=plans.monitoring(counters=COUNTERS),
    )


def separate() -> Plan:
    return plans.plan(
        platform=plans.platform(components=SEPARATE),
        pools=(plans.pool(node=plans.node(taints=[plans.TAINT, plans.BARE_TAINT])),),
        monitoring=plans.monitoring(counters=COUNTERS),
    )


def complete() -> Plan:
    spec = cluster_policy_spec("26.7")
    platform = plans.platform(components=PROMETHEUS, gpu_operator_write="clusterPolicy")
    pools = (plans.pool(mig=plans.mig()), plans.pool("mps", 1, sharing=plans.sharing("mps")))
    return plans.plan(
        platform=platform,
        pools=pools,
        mig_strategy="",
        gpu_operator=plans.operator(cluster_policy=spec),
        mig_parted=plans.config("gpupolicy-mig-9b1f62d4", **{"config.yaml": "version: v1\n"}),
        device_plugin=plans.config("gpupolicy-device-plugin-58e0a7c1", default="version: v1\n"),
    )


@pytest.mark.parametrize(
    "make",
    [plans.plan, everything, separate, complete],
    ids=["plain", "everything", "separate", "complete"],
)
def test_writes(make: Any, snapshot: Any, request: pytest.FixtureRequest) -> None:
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    snapshot.assert_match_dir(written(emit(make())), request.node.callspec.id)


def values(plan: Plan) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(texts(emit(plan))["gpu-operator-values.yaml"])
    return loaded


def with_taints(*taints: TaintPlan) -> Plan:
    return plans.plan(pools=(plans.pool(node=plans.node(taints=taints)),))


def test_writes_nothing_that_the_policy_does_not_own() -> None:
    assert set(values(plans.plan())) == {
        "daemonsets",
        "mig",
        "dcgmExporter",
        "node-feature-discovery",
    }


def test_is_silent_without_the_operator() -> None:
    platform = plans.platform(components={"kueue": "0.19"})
    assert list(emit(plans.plan(platform=platform, gpu_operator=None))) == []


def test_a_029_every_taint_is_tolerated_beside_the_default() -> None:
    found = values(with_taints(plans.BARE_TAINT))
    own = {"key": "dedicated", "operator": "Equal", "value": "ml", "effect": "NoSchedule"}
    assert found["daemonsets"]["tolerations"] == [plans.OPERATOR_TOLERATION, own]
    worker = found["node-feature-discovery"]["worker"]
    assert worker["tolerations"] == [
        plans.CONTROL_PLANE_TOLERATION,
        plans.OPERATOR_TOLERATION,
        own,
    ]


@pytest.mark.parametrize(
    ("taint", "toleration"),
    [
        (plans.TAINT, None),
        (TaintPlan("nvidia.com/gpu", "", "NoSchedule"), None),
        (
            TaintPlan("nvidia.com/gpu", "present", "NoExecute"),
            {
                "key": "nvidia.com/gpu",
                "operator": "Equal",
                "value": "present",
                "effect": "NoExecute",
            },
        ),
        (
            TaintPlan("spot", "", "PreferNoSchedule"),
            {"key": "spot", "operator": "Exists", "effect": "PreferNoSchedule"},
        ),
    ],
)
def test_a_toleration_is_as_the_taint_demands(taint: TaintPlan, toleration: Any) -> None:
    found = values(with_taints(taint, taint))["daemonsets"]["tolerations"]
    assert found == [plans.OPERATOR_TOLERATION] + ([toleration] if toleration else [])


def test_operands_run_beside_a_foreign_device_plugin_and_not_on_other_vendors_nodes() -> None:
    foreign = plans.pool(
        "hami", managed=False, node=plans.node(taints=[TaintPlan("hami", "", "NoSchedule")])
    )
    other = plans.pool("amd", 1, gpu=plans.amd(), node=plans.node(taints=[plans.BARE_TAINT]))
    found = values(plans.plan(pools=(foreign, other)))
    assert [t["key"] for t in found["daemonsets"]["tolerations"]] == ["nvidia.com/gpu", "hami"]
    worker = found["node-feature-discovery"]["worker"]["tolerations"]
    assert [t["key"] for t in worker[2:]] == ["hami", "dedicated"]


def test_a_030_the_exporters_own_chart_tolerates_every_taint() -> None:
    found = yaml.safe_load(texts(emit(separate()))["dcgm-exporter-values.yaml"])
    keys = [(t["key"], t.get("value")) for t in found["tolerations"]]
    assert keys == [
        ("node-role.kubernetes.io/control-plane", None),
        ("nvidia.com/gpu", "present"),
        ("dedicated", "ml"),
    ]
    # The bundled exporter is off, or every GPU would be counted twice.
    assert values(separate())["dcgmExporter"] == {"enabled": False}
    assert values(separate())["nfd"] == {"enabled": False}


def test_a_011_the_layouts_are_our_config_map_under_the_only_default_there_is() -> None:
    config = values(everything())["migManager"]["config"]
    assert config == {"create": False, "name": "gpupolicy-mig-9b1f62d4", "default": "all-disabled"}


def test_a_019_the_default_is_the_file_that_shares_nothing() -> None:
    config = values(everything())["devicePlugin"]["config"]
    assert config["default"] == "default"


@pytest.mark.parametrize(
    ("components", "write"),
    [({"gpuOperator": "26.7"}, "objects"), (PROMETHEUS, "files")],
    ids=["no prometheus", "files"],
)
def test_the_service_monitor_is_switched_off_in_words(components: Any, write: Any) -> None:
    platform = plans.platform(components=components, prometheus_write=write)
    found = values(plans.plan(platform=platform))
    assert found["dcgmExporter"]["serviceMonitor"] == {"enabled": False}


def test_taints_by_rule_need_the_switch_of_nfd() -> None:
    assert "master" not in values(with_taints(plans.BARE_TAINT))["node-feature-discovery"]
    master = values(with_taints(plans.TAINT))["node-feature-discovery"]["master"]
    assert master == {"config": {"enableTaints": True}}


def test_a_059_one_cluster_policy_and_the_chart_makes_none() -> None:
    items = list(emit(complete()))
    (policy,) = objects(items)
    assert policy["metadata"] == {"name": "cluster-policy"}
    assert values(complete())["clusterPolicy"] == {"deployCR": False}
    assert "daemonsets" not in values(complete())


def test_the_cluster_policy_has_an_image_for_all_that_is_on() -> None:
    (policy,) = objects(emit(complete()))
    for name, part in policy["spec"].items():
        if isinstance(part, dict) and part.get("enabled") and name not in ("cdi", "kataManager"):
            assert part["repository"], name
            assert part["image"], name
            assert part["version"], name


def test_a_068_defaults_that_the_api_server_would_fill_in_are_written() -> None:
    (policy,) = objects(emit(complete()))
    assert policy["spec"]["cdi"] == {"enabled": True, "default": False, "nriPluginEnabled": False}
    assert policy["spec"]["hostPaths"]["kubeletRootDir"] == "/var/lib/kubelet"


def test_a_006_a_strategy_for_each_pool_leaves_the_clusters_out() -> None:
    (policy,) = objects(emit(complete()))
    assert policy["spec"]["mig"] == {}
    assert values(plans.plan(mig_strategy=""))["mig"] == {"strategy": ""}


def test_the_data_of_the_release_is_not_changed_by_laying_over_it() -> None:
    before = repr(cluster_policy_spec("26.7"))
    list(emit(complete()))
    assert repr(cluster_policy_spec("26.7")) == before
