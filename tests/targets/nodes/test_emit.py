from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import PciId
from gpupolicy.plan.pool_model import TaintPlan
from gpupolicy.targets.nodes import emit
from tests.targets import plans
from tests.targets.written import objects
from tests.targets.written import texts
from tests.targets.written import written

MIG_LABELS = {
    "nvidia.com/device-plugin.config": "default",
    "nvidia.com/mig.config": "infer-9b1f62d4",
}


def rules() -> Plan:
    """Pools found by model, by name, and one that a rule cannot find."""
    names = plans.node("named", names=["gpu-1", "gpu-2"], taints=[plans.TAINT, plans.BARE_TAINT])
    dev = plans.node("dev", way="script", selector={"b": "2", "a": "1"}, taints=[plans.BARE_TAINT])
    return plans.plan(
        pools=(
            plans.pool("infer", mig=plans.mig(), node=plans.node("infer", labels=MIG_LABELS)),
            plans.pool("named", 1, node=names),
            plans.pool("dev", 2, node=dev),
            plans.cpu_pool("cpu", 3),
            plans.cpu_pool("web", 4, node=plans.node("web", names=["cpu-1"], by_model=False)),
        )
    )


def patches() -> Plan:
    nodes = plans.node(way="patches", names=["gpu-1", "gpu-2"], taints=[plans.TAINT])
    return plans.plan(pools=(plans.pool(node=nodes),))


def external() -> Plan:
    train = plans.node(way="external", taints=[plans.TAINT, TaintPlan("spot", "", "NoExecute")])
    dev = plans.node("dev", way="external", selector={"cloud.example.com/pool": "dev"})
    return plans.plan(
        pools=(
            plans.pool(node=train),
            plans.pool("dev", 1, node=dev, autoscaled=True, min_nodes=1),
            plans.pool("fixed", 2, node=plans.node("fixed", way="external", names=["gpu-9"])),
        )
    )


def numa() -> Plan:
    return plans.plan(pools=(plans.pool(numa_policy="single-numa-node"),))


@pytest.mark.parametrize("make", [rules, patches, external, numa])
def test_writes(make: Any, snapshot: Any) -> None:
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    snapshot.assert_match_dir(written(emit(make())), make.__name__)


def rule_of(**fields: Any) -> dict[str, Any]:
    (found,) = objects(emit(plans.plan(pools=(plans.pool(**fields),))))
    rule: dict[str, Any] = found["spec"]["rules"][0]
    return rule


def expressions(matcher: dict[str, Any]) -> dict[str, Any]:
    return {key: value["value"] for key, value in matcher["matchExpressions"].items()}


def test_all_ids_of_a_model_are_one_term() -> None:
    ids = (PciId("10de", "20b5", None), PciId("10de", "20b2", None))
    (matcher,) = rule_of(gpu=plans.gpu(pci_ids=ids))["matchFeatures"]
    assert matcher["feature"] == "pci.device"
    assert expressions(matcher) == {"vendor": ["10de"], "device": ["20b2", "20b5"]}


def test_cards_that_share_an_id_differ_in_the_subsystem() -> None:
    (matcher,) = rule_of(gpu=plans.gpu(pci_ids=(PciId("10de", "25b6", "14a9"),)))["matchFeatures"]
    assert expressions(matcher)["subsystem_device"] == ["14a9"]


def test_ids_with_and_without_subsystem_are_alternatives() -> None:
    ids = (PciId("10de", "25b6", "14a9"), PciId("10de", "25b7", None), PciId("10de", "25b8", None))
    rule = rule_of(gpu=plans.gpu(pci_ids=ids), node=plans.node(names=["n"]))
    assert "matchFeatures" not in rule
    found = [[expressions(m) for m in term["matchFeatures"]] for term in rule["matchAny"]]
    assert found == [
        [
            {"vendor": ["10de"], "device": ["25b6"], "subsystem_device": ["14a9"]},
            {"nodename": ["n"]},
        ],
        [{"vendor": ["10de"], "device": ["25b7", "25b8"]}, {"nodename": ["n"]}],
    ]


def test_names_and_model_must_both_hold() -> None:
    features = [m["feature"] for m in rule_of(node=plans.node(names=["n"]))["matchFeatures"]]
    assert features == ["pci.device", "system.name"]


def test_a_described_gpu_is_found_by_name_alone() -> None:
    rule = rule_of(gpu=plans.amd(), node=plans.node(names=["n"], by_model=False))
    assert [m["feature"] for m in rule["matchFeatures"]] == ["system.name"]


def test_a_007_only_the_nodes_of_the_cut_pool_carry_its_layout() -> None:
    found = {
        data["metadata"]["name"]: data["spec"]["rules"][0]["labels"].get("nvidia.com/mig.config")
        for data in objects(emit(rules()))
    }
    assert found["gpupolicy-infer"] == "infer-9b1f62d4"
    assert found["gpupolicy-named"] is None


def test_a_taint_without_prefix_is_never_in_a_rule() -> None:
    for data in objects(emit(rules())):
        for taint in data["spec"]["rules"][0].get("taints", []):
            assert "/" in taint["key"]


def test_patches_carry_labels_alone_and_are_no_objects() -> None:
    items = list(emit(patches()))
    assert objects(items) == []
    patch = yaml.safe_load(texts(items)["node-patches/gpu-1.yaml"])
    assert set(patch) == {"apiVersion", "kind", "metadata"}
    assert patch["metadata"]["name"] == "gpu-1"


def test_the_list_says_what_external_nodes_must_carry() -> None:
    found = yaml.safe_load(texts(emit(external()))["nodes.yaml"])["pools"]
    assert found[0]["foundBy"] == {
        "label": "nvidia.com/gpu.product",
        "values": ["NVIDIA-H100-80GB-HBM3", "NVIDIA-H100-80GB-HBM3-SHARED"],
    }
    assert found[0]["taints"][1] == {"key": "spot", "effect": "NoExecute"}
    assert found[1]["nodes"] == {"min": 1, "max": 4}
    assert found[1]["foundBy"] == {"labels": {"cloud.example.com/pool": "dev"}}
    assert "label-nodes.sh" not in texts(emit(external()))
