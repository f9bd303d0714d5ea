"""Kueue's objects: the worked example as a snapshot, webhook rules as laws, versions as a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile
from gpupolicy.targets import kueue
from tests.plan.policies import example
from tests.plan.policies import plan_of
from tests.plan.policies import small

H100 = """
  - {name: train, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8,
     allocatable: {cpu: "180", memory: 1900Gi}}
"""
TWO = """
  - {name: a, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8,
     allocatable: {cpu: "180", memory: 1900Gi}}
  - {name: b, gpu: A100-SXM4-80GB, nodes: 2, gpusPerNode: 8}
"""
TENANT = (
    "  - {name: t, namespaces: [y, x], quotas: [{pool: a, guaranteed: 8, limit: 12}, {pool: b}]}"
)


def objects(plan, kind: str) -> dict[str, dict]:
    found = [item.data for item in kueue.emit(plan) if isinstance(item, Manifest)]
    return {data["metadata"]["name"]: data for data in found if data["kind"] == kind}


def test_example(snapshot):
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    files = {}
    for item in kueue.emit(plan_of(example())):
        if isinstance(item, PlainFile):
            files[item.path] = item.text
        else:
            key = item.key
            files[f"{key.kind}-{key.namespace + '-' if key.namespace else ''}{key.name}.yaml"] = (
                dump(item.data)
            )
    snapshot.assert_match_dir(files, "example")


def test_a_036_one_group_a_flavor_a_pool():
    queue = objects(plan_of(small(TWO, TENANT)), "ClusterQueue")["t"]
    (group,) = queue["spec"]["resourceGroups"]
    assert group["coveredResources"] == ["cpu", "memory", "nvidia.com/gpu"]
    assert [flavor["name"] for flavor in group["flavors"]] == ["a", "b"]


def test_a_037_limits_never_without_a_cohort():
    for name, queue in objects(plan_of(small(TWO, TENANT)), "ClusterQueue").items():
        assert queue["spec"]["cohortName"] == "small", name
    cohort = objects(plan_of(small(TWO, TENANT)), "Cohort")["small"]
    assert "borrowingLimit" not in dump(cohort)
    assert "lendingLimit" not in dump(cohort)


def test_a_039_exactly_the_tenants_namespaces():
    queue = objects(plan_of(small(TWO, TENANT)), "ClusterQueue")["t"]
    (term,) = queue["spec"]["namespaceSelector"]["matchExpressions"]
    assert term == {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["x", "y"]}


def test_a_040_cpu_and_memory_are_covered_where_nothing_is_said():
    queue = objects(plan_of(small(TWO, TENANT)), "ClusterQueue")["t"]
    b = queue["spec"]["resourceGroups"][0]["flavors"][1]["resources"]
    assert b[0] == {"name": "cpu", "nominalQuota": "1M", "borrowingLimit": "0", "lendingLimit": "0"}
    assert b[1] == {
        "name": "memory",
        "nominalQuota": "1Pi",
        "borrowingLimit": "0",
        "lendingLimit": "0",
    }


def test_a_041_a_local_queue_in_each_namespace():
    items = [item for item in kueue.emit(plan_of(small(TWO, TENANT))) if isinstance(item, Manifest)]
    queues = [item.data for item in items if item.data["kind"] == "LocalQueue"]
    assert sorted(q["metadata"]["namespace"] for q in queues) == ["x", "y"]
    assert {q["spec"]["clusterQueue"] for q in queues} == {"t"}


def test_a_044_every_flavor_lists_what_the_group_covers_in_its_order():
    for queue in objects(plan_of(example()), "ClusterQueue").values():
        for group in queue["spec"]["resourceGroups"]:
            for flavor in group["flavors"]:
                assert [r["name"] for r in flavor["resources"]] == group["coveredResources"]


def test_a_047_nothing_guaranteed_and_a_limit():
    tenants = "  - {name: b, namespaces: [b], quotas: [{pool: train, guaranteed: 0, limit: 4}]}"
    queue = objects(plan_of(small(H100, tenants)), "ClusterQueue")["b"]
    gpu = queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"][2]
    assert gpu == {"name": "nvidia.com/gpu", "nominalQuota": "0", "borrowingLimit": "4"}


def test_a_057_vendors_are_kept_apart():
    pools = """
  - {name: nv, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 8}
  - {name: amd, gpu: {name: MI300X, resource: amd.com/gpu, memory: 192Gi},
     nodes: {count: 1, names: [n1]}, gpusPerNode: 8}
"""
    tenants = """
  - {name: t, namespaces: [t], quotas: [{pool: nv, guaranteed: 8}, {pool: amd, guaranteed: 4}]}
"""
    queue = objects(plan_of(small(pools, tenants)), "ClusterQueue")["t"]
    nominal = {
        (flavor["name"], row["name"]): row["nominalQuota"]
        for flavor in queue["spec"]["resourceGroups"][0]["flavors"]
        for row in flavor["resources"]
    }
    assert nominal["nv", "nvidia.com/gpu"] == "8"
    assert nominal["nv", "amd.com/gpu"] == "0"
    assert nominal["amd", "amd.com/gpu"] == "4"
    assert nominal["amd", "nvidia.com/gpu"] == "0"


def test_a_budgets_ceiling_counts_from_its_guarantee_not_from_its_buffer():
    tenants = """
  - {name: org, weight: 2, quotas: [{pool: train, guaranteed: 20, limit: 24, lend: 10}]}
  - {name: x, parent: org, namespaces: [x], quotas: [{pool: train, guaranteed: 12}]}
"""
    cohort = objects(plan_of(small(H100, tenants)), "Cohort")["org"]
    rows = {r["name"]: r for r in cohort["spec"]["resourceGroups"][0]["flavors"][0]["resources"]}
    assert rows["nvidia.com/gpu"] == {
        "name": "nvidia.com/gpu",
        "nominalQuota": "8",
        "borrowingLimit": "4",
        "lendingLimit": "10",
    }
    # 8 x 22.5 of cpu is the buffer's; the ceiling is 4 x 22.5, the lending 10 x 22.5.
    assert rows["cpu"] == {
        "name": "cpu",
        "nominalQuota": "180",
        "borrowingLimit": "90",
        "lendingLimit": "225",
    }
    assert cohort["spec"]["fairSharing"] == {"weight": "2"}


@pytest.mark.parametrize(
    ("version", "queue", "cohort", "topology", "field", "parent"),
    [
        ("0.19", "v1beta2", "v1beta2", "v1beta2", "cohortName", "parentName"),
        ("0.15", "v1beta2", "v1beta2", "v1beta2", "cohortName", "parentName"),
        ("0.14", "v1beta1", "v1beta1", "v1beta1", "cohort", "parentName"),
        ("0.13", "v1beta1", "v1beta1", "v1alpha1", "cohort", "parentName"),
        ("0.12", "v1beta1", "v1alpha1", "v1alpha1", "cohort", "parent"),
    ],
)
def test_versions(version, queue, cohort, topology, field, parent):
    tenants = """
  - {name: org, quotas: [{pool: train, guaranteed: 20}]}
  - {name: x, parent: org, namespaces: [x], quotas: [{pool: train, guaranteed: 12}]}
"""
    plan = plan_of(small(H100, tenants, f'kueue: {{version: "{version}"}}'))
    queues, cohorts = objects(plan, "ClusterQueue"), objects(plan, "Cohort")
    assert queues["x"]["apiVersion"] == f"kueue.x-k8s.io/{queue}"
    assert queues["x"]["spec"][field] == "org"
    assert cohorts["org"]["apiVersion"] == f"kueue.x-k8s.io/{cohort}"
    assert cohorts["org"]["spec"][parent] == "small"
    (only,) = objects(plan, "Topology").values()
    assert only["apiVersion"] == f"kueue.x-k8s.io/{topology}"


def test_nothing_where_kueue_does_not_hold_quota():
    plan = plan_of(small(H100, "  - {name: t, namespaces: [t]}", 'volcano: {version: "1.15"}'))
    assert list(kueue.emit(plan)) == []


def test_never_preempting_tenants_do_not_preempt():
    tenants = "  - {name: t, namespaces: [t], quotas: [{pool: train, guaranteed: 8}]}"
    more = "priorityClasses: [{name: low, value: 1, preemptionPolicy: Never}]"
    queue = objects(plan_of(small(H100, tenants, more=more)), "ClusterQueue")["t"]
    assert queue["spec"]["preemption"]["withinClusterQueue"] == "Never"
    more = (
        "priorityClasses: [{name: low, value: 1, preemptionPolicy: Never}, {name: high, value: 2}]"
    )
    queue = objects(plan_of(small(H100, tenants, more=more)), "ClusterQueue")["t"]
    assert queue["spec"]["preemption"]["withinClusterQueue"] == "LowerPriority"
