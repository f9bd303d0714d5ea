"""Volcano's queues: the worked example, the webhook's rules as laws, the settings."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile
from gpupolicy.quantity import parse
from gpupolicy.targets import volcano
from tests.plan.policies import example
from tests.plan.policies import plan_of
from tests.plan.policies import small

VOLCANO = 'volcano: {version: "1.15"}'
H100 = """
  - {name: train, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8,
     allocatable: {cpu: '180', memory: 1900Gi}}
"""
TREE = """
  - {name: org, quotas: [{pool: train, guaranteed: 20, limit: 24, lend: 4}]}
  - {name: x, parent: org, namespaces: [x], quotas: [{pool: train, guaranteed: 12, lend: 2}]}
  - {name: y, parent: org, namespaces: [y], quotas: [{pool: train, guaranteed: 6, limit: 30}]}
  - {name: z, namespaces: [z], quotas: [{pool: train, guaranteed: 4}]}
"""


def holding() -> str:
    return example().replace('kueue: {version: "0.19"}', VOLCANO)


def queues(plan) -> dict[str, dict]:
    items = [item.data for item in volcano.emit(plan) if isinstance(item, Manifest)]
    return {data["metadata"]["name"]: data["spec"] for data in items}


def settings(plan) -> dict:
    (file,) = [item for item in volcano.emit(plan) if isinstance(item, PlainFile)]
    return yaml.safe_load(yaml.safe_load(file.text)["custom"]["scheduler_config_override"])


def plugins(plan) -> list[str]:
    return [plugin["name"] for tier in settings(plan)["tiers"] for plugin in tier["plugins"]]


def test_example(snapshot):
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    files = {}
    for item in volcano.emit(plan_of(holding())):
        if isinstance(item, PlainFile):
            files[item.path] = item.text
        else:
            files[f"queue-{item.key.name}.yaml"] = dump(item.data)
    snapshot.assert_match_dir(files, "example")


def test_numbers_of_the_example():
    spec = queues(plan_of(holding()))["algorithm"]
    assert spec["deserved"]["cpu"] == "1790"
    assert spec["deserved"]["memory"] == "17020Gi"
    assert spec["guarantee"]["resource"]["cpu"] == "720"
    assert spec["capability"] == {
        "nvidia.com/gpu": "96",
        "nvidia.com/mig-1g.10gb.shared": "0",
        "nvidia.com/mig-2g.20gb": "0",
    }


@pytest.mark.parametrize("text", [holding(), small(H100, TREE, VOLCANO)])
def test_up_to_1_14_a_capability_names_all_there_is(text):
    """There the webhook reads what a capability does not name as 0, in a parent's too."""
    newest, older = queues(plan_of(text)), queues(plan_of(text.replace("1.15", "1.14")))
    for name, spec in older.items():
        capability, before = spec.pop("capability", {}), newest[name].pop("capability", {})
        assert spec == newest[name], "nothing else changes"
        assert {key: capability[key] for key in before} == before
        if capability:
            assert capability.keys() >= spec["deserved"].keys()
            for key, amount in spec["deserved"].items():
                assert parse(amount) <= parse(capability[key])
        spec["capability"] = capability
    for spec in older.values():
        if spec["parent"] != "root":
            parent = older[spec["parent"]]["capability"]
            assert parent.keys() >= spec["capability"].keys()
            for key, amount in spec["capability"].items():
                assert parse(amount) <= parse(parent[key])


@pytest.mark.parametrize(
    "text", [holding(), small(H100, TREE, VOLCANO), small(H100, TREE, VOLCANO.replace("15", "14"))]
)
def test_a_050_what_the_webhook_asks_of_a_tree(text):
    found = queues(plan_of(text))
    children: dict[str, list[dict]] = {}
    for spec in found.values():
        children.setdefault(spec["parent"], []).append(spec)
    for name, spec in found.items():
        deserved = spec.get("deserved", {})
        guarantee = spec.get("guarantee", {}).get("resource", {})
        capability = spec.get("capability", {})
        for key, amount in guarantee.items():
            assert parse(amount) <= parse(deserved[key])
        for key in deserved.keys() & capability.keys():
            assert parse(deserved[key]) <= parse(capability[key])
        for part, own in (("deserved", deserved), ("guarantee", guarantee)):
            for child in children.get(name, ()):
                rows = child.get(part, {})
                for key in rows.get("resource", rows):
                    total = sum(
                        parse((c.get(part, {}).get("resource", c.get(part, {}))).get(key, "0"))
                        for c in children[name]
                    )
                    assert total <= parse(own[key])
        for child in children.get(name, ()):
            for key in child.get("capability", {}).keys() & capability.keys():
                assert parse(child["capability"][key]) <= parse(capability[key])


def test_a_childs_ceiling_is_within_its_parents():
    found = queues(plan_of(small(H100, TREE, VOLCANO)))
    assert found["y"]["capability"]["nvidia.com/gpu"] == "24"


def test_cpu_is_never_a_ceiling_of_zero():
    tenants = "  - {name: t, namespaces: [t], quotas: [{pool: train, guaranteed: 0, limit: 0}]}"
    capability = queues(plan_of(small(H100, tenants, VOLCANO)))["t"]["capability"]
    assert capability == {"nvidia.com/gpu": "0"}


def test_a_048_deserved_with_capacity_and_never_proportion():
    names = plugins(plan_of(holding()))
    assert "capacity" in names
    assert "proportion" not in names


def test_a_049_guarantees_come_back_by_reclaim():
    plan = plan_of(holding())
    assert "reclaim" in settings(plan)["actions"].split(", ")
    assert all(spec["reclaimable"] is True for spec in queues(plan).values())


def test_behind_kueue_it_only_places():
    text = example().replace(
        'kueue: {version: "0.19"}', f'kueue: {{version: "0.19"}}\n    {VOLCANO}'
    )
    plan = plan_of(text)
    assert queues(plan) == {}
    assert settings(plan)["actions"] == "allocate, backfill"
    assert not {"proportion", "capacity", "overcommit", "drf"} & set(plugins(plan))


def test_hypernodes_by_label_end_at_the_host():
    (file,) = [item for item in volcano.emit(plan_of(holding())) if isinstance(item, PlainFile)]
    config = yaml.safe_load(file.text)["custom"]["controller_config_override"]
    (discovery,) = config["networkTopologyDiscovery"]
    ((name, levels),) = discovery["config"]["networkTopologyTypes"].items()
    assert len(name) <= 20
    assert levels[-1] == {"nodeLabel": "kubernetes.io/hostname"}


def test_what_it_cannot_say():
    pools = """
  - {name: a, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}
  - {name: b, gpu: A100-SXM4-80GB, nodes: 4, gpusPerNode: 8}
"""
    tenants = "\n".join(
        f"  - {{name: t{n}, parent: t{n - 1}, weight: 2}}" if n else "  - {name: t0}"
        for n in range(5)
    )
    found = [f.code for f in volcano.unsupported(plan_of(small(pools, tenants, VOLCANO)))]
    assert found.count("GP540") == 1
    assert found.count("GP541") == 1
    assert found.count("GP542") == 4
