"""Kueue: cohorts, flavors, cells, and the queues that tenants submit to."""

from __future__ import annotations

import pytest

from tests.cases.outcome import Object
from tests.cases.outcome import Outcome
from tests.cases.outcome import accepted
from tests.cases.outcome import cells
from tests.cases.outcome import compiled
from tests.cases.outcome import refused
from tests.cases.outcome import warned

_TWO_POOLS = """
    nodePools:
      - name: old
        gpu: A100-SXM4-80GB
        nodes: 2
        gpusPerNode: 8
        allocatable: {cpu: "120", memory: 960Gi, ephemeral-storage: 3Ti}
      - name: new
        gpu: H100-SXM5-80GB
        nodes: 1
        gpusPerNode: 4
        allocatable: {cpu: "90", memory: 900Gi, ephemeral-storage: 3Ti}
    tenants:
      - name: team
        namespaces: [team-train, team-dev]
        quotas: [{pool: new, guaranteed: 100%}, {pool: old, guaranteed: 100%}]
"""


def one_pool(tenants: str, nodes: str = "2", allocatable: str = "") -> str:
    room = allocatable or 'cpu: "120", memory: 960Gi, ephemeral-storage: 3Ti'
    return f"""
        nodePools:
          - name: train
            gpu: H100-SXM5-80GB
            nodes: {nodes}
            gpusPerNode: 8
            allocatable: {{{room}}}
        tenants:
          {tenants.strip()}
    """


def queue(outcome: Outcome, name: str) -> Object:
    spec: Object = outcome.named("ClusterQueue", name)["spec"]
    return spec


def limited_without_a_cohort(outcome: Outcome) -> list[str]:
    """Name the queues and cohorts that limit borrowing or lending and have nobody to do it with."""
    found = []
    for one in [*outcome.objects("ClusterQueue"), *outcome.objects("Cohort")]:
        key = "cohortName" if one["kind"] == "ClusterQueue" else "parentName"
        above = one.get("spec", {}).get(key)
        limits = {key for cell in cells(one).values() for key in cell} - {"name", "nominalQuota"}
        if limits and not above:
            found.append(one["metadata"]["name"])
    return found


def test_a_036_one_group_with_a_flavor_for_each_pool() -> None:
    (group,) = queue(accepted(_TWO_POOLS, "GP435"), "team")["resourceGroups"]
    assert {"cpu", "memory", "nvidia.com/gpu"} <= set(group["coveredResources"])
    assert group["coveredResources"].count("nvidia.com/gpu") == 1
    # The order of flavors is the order in which the tenant wants its pools tried.
    assert [flavor["name"] for flavor in group["flavors"]] == ["new", "old"]


def test_a_037_nobody_else_to_borrow_from() -> None:
    tenants = (
        "- {name: team, namespaces: [team], quotas: [{pool: train, guaranteed: 8, limit: 12}]}"
    )
    outcome = accepted(one_pool(tenants))
    spec = queue(outcome, "team")
    cell = cells(outcome.named("ClusterQueue", "team"))["train", "nvidia.com/gpu"]
    assert (cell["nominalQuota"], cell["borrowingLimit"]) == ("8", "4")
    root = outcome.named("Cohort", spec["cohortName"])
    assert cells(root)["train", "nvidia.com/gpu"]["nominalQuota"] == "8"
    assert limited_without_a_cohort(outcome) == []


def test_a_037_nothing_to_borrow() -> None:
    tenants = (
        "- {name: team, namespaces: [team], quotas: [{pool: train, guaranteed: 8, limit: «12»}]}"
    )
    finding = warned(one_pool(tenants, nodes="1"), "GP428", "GP435")
    finding.says("team", "train", "12", "8")
    assert limited_without_a_cohort(finding.outcome) == []


def test_a_038_lending_more_than_one_has() -> None:
    tenants = (
        "- {name: team, namespaces: [team], quotas: [{pool: train, guaranteed: 4, lend: «6»}]}"
    )
    refused(one_pool(tenants), "GP427").says("team", "train", "6", "4").helps("4")


def test_a_038_lending_all_that_one_has() -> None:
    tenants = "- {name: team, namespaces: [team], quotas: [{pool: train, guaranteed: 4, lend: 4}]}"
    outcome = accepted(one_pool(tenants))
    cell = cells(outcome.named("ClusterQueue", "team"))["train", "nvidia.com/gpu"]
    assert cell["lendingLimit"] == "4"


def test_a_039_a_queue_serves_the_namespaces_of_its_tenant_and_no_other() -> None:
    spec = queue(accepted(_TWO_POOLS, "GP435"), "team")
    assert spec["namespaceSelector"] == {
        "matchExpressions": [
            {
                "key": "kubernetes.io/metadata.name",
                "operator": "In",
                "values": ["team-dev", "team-train"],
            }
        ]
    }


def test_a_039_a_tenant_without_namespaces_gets_no_queue_for_everyone() -> None:
    refused(one_pool("- {name: «team», quotas: [{pool: train, guaranteed: 4}]}"), "GP419").says(
        "team"
    )


_EIGHT = "- {name: team, namespaces: [team], quotas: [{pool: train, guaranteed: 8}]}"


def test_a_040_cpu_and_memory_come_with_the_gpus() -> None:
    outcome = accepted(one_pool(_EIGHT))
    found = cells(outcome.named("ClusterQueue", "team"))
    assert found["train", "cpu"]["nominalQuota"] == "120"
    assert found["train", "memory"]["nominalQuota"] == "960Gi"
    assert found["train", "nvidia.com/gpu"]["nominalQuota"] == "8"


def test_a_040_nodes_of_which_nothing_is_known_limit_nothing() -> None:
    spec = one_pool(_EIGHT)
    spec = "\n".join(line for line in spec.splitlines() if "allocatable" not in line)
    found = cells(compiled(spec).named("ClusterQueue", "team"))
    assert found["train", "cpu"]["nominalQuota"] == "1M"
    assert found["train", "memory"]["nominalQuota"] == "1Pi"


def test_a_041_a_local_queue_in_each_namespace() -> None:
    outcome = accepted(_TWO_POOLS, "GP435")
    found = {
        one["metadata"]["namespace"]: (one["metadata"]["name"], one["spec"]["clusterQueue"])
        for one in outcome.objects("LocalQueue")
    }
    assert found == {"team-train": ("team", "team"), "team-dev": ("team", "team")}
    assert outcome.compiled.bundle is not None
    order = [one.key for one in outcome.compiled.bundle.manifests]
    first = min(place for place, key in enumerate(order) if key.kind == "LocalQueue")
    made = {key.name for key in order[:first] if key.kind == "Namespace"}
    assert made == {"team-train", "team-dev"}


def test_a_042_quota_is_the_total_of_the_nodes() -> None:
    found = cells(accepted(_TWO_POOLS, "GP435").named("ClusterQueue", "team"))
    assert found["old", "nvidia.com/gpu"]["nominalQuota"] == "16"
    assert found["new", "nvidia.com/gpu"]["nominalQuota"] == "4"


def test_a_043_quota_beyond_what_exists() -> None:
    tenants = """
          - {name: blue, namespaces: [blue], quotas: [{pool: train, guaranteed: 12}]}
          - {name: green, namespaces: [green], quotas: [{pool: train, guaranteed: «12»}]}
    """
    finding = refused(one_pool(tenants), "GP431").says("train", "24", "16", "8")
    finding.explains("blue", "green", "12")


def test_a_043_beyond_the_least_number_of_nodes() -> None:
    tenants = """
          - {name: blue, namespaces: [blue], quotas: [{pool: train, guaranteed: 12}]}
          - {name: green, namespaces: [green], quotas: [{pool: train, guaranteed: 12}]}
    """
    outcome = compiled(one_pool(tenants, nodes="{min: 2, max: 3}"))
    found = [one for one in outcome.found() if one.code == "GP436"]
    assert found, outcome.shown
    assert "24" in found[0].message
    assert "16" in found[0].message


def test_a_044_every_flavor_lists_every_resource_in_one_order() -> None:
    outcome = accepted(
        """
        nodePools:
          - name: slices
            gpu: A100-SXM4-80GB
            nodes: 2
            gpusPerNode: 8
            allocatable: {cpu: "120", memory: 960Gi, ephemeral-storage: 3Ti}
            sharing: {mig: {3g.40gb: 2}}
          - name: whole
            gpu: H100-SXM5-80GB
            nodes: 1
            gpusPerNode: 8
            allocatable: {cpu: "90", memory: 900Gi, ephemeral-storage: 3Ti, rdma/ib: 8}
          - name: cpu
            nodes: {count: 2, names: [cpu-1, cpu-2]}
            allocatable: {cpu: "60", memory: 240Gi, ephemeral-storage: 1Ti}
        tenants:
          - name: team
            namespaces: [team]
            quotas:
              - {pool: slices, guaranteed: 8}
              - {pool: whole, guaranteed: 4, cpu: "50", memory: 500Gi}
              - {pool: cpu, cpu: "100", memory: 400Gi}
        """
    )
    (group,) = queue(outcome, "team")["resourceGroups"]
    assert {"cpu", "memory", "nvidia.com/gpu", "nvidia.com/mig-3g.40gb", "rdma/ib"} <= set(
        group["coveredResources"]
    )
    for flavor in group["flavors"]:
        assert [cell["name"] for cell in flavor["resources"]] == group["coveredResources"]
        assert all("nominalQuota" in cell for cell in flavor["resources"])
    assert len(group["flavors"]) == 3


def test_a_044_a_pool_without_stated_cpu_lists_it_all_the_same() -> None:
    outcome = compiled(
        _TWO_POOLS.replace(
            '        allocatable: {cpu: "90", memory: 900Gi, ephemeral-storage: 3Ti}\n', ""
        )
    )
    (group,) = queue(outcome, "team")["resourceGroups"]
    for flavor in group["flavors"]:
        assert [cell["name"] for cell in flavor["resources"]] == group["coveredResources"]


def test_a_045_quota_is_counted_in_what_it_is_about_not_in_nodes() -> None:
    outcome = accepted(
        """
        nodePools:
          - name: train
            gpu: H100-SXM5-80GB
            nodes: 1024
            gpusPerNode: 8
            allocatable: {cpu: "32", memory: 256Gi, ephemeral-storage: 1Ti}
          - name: slices
            gpu: A100-SXM4-80GB
            nodes: 1024
            gpusPerNode: 8
            allocatable: {cpu: "32", memory: 256Gi, ephemeral-storage: 1Ti}
            sharing: {mig: {1g.10gb: 7}}
          - name: cpu
            nodes: {count: 1024, selector: {example.org/pool: cpu}}
            allocatable: {cpu: "32", memory: 256Gi, ephemeral-storage: 1Ti}
        tenants:
          - name: all
            namespaces: [all]
            quotas:
              - {pool: train, guaranteed: 100%}
              - {pool: slices, guaranteed: 100%}
              - {pool: cpu, cpu: "32768", memory: 256Ti}
        """,
        "GP435",
        "GP510",
    )
    found = cells(outcome.named("ClusterQueue", "all"))
    for flavor in ("train", "slices", "cpu"):
        assert found[flavor, "cpu"]["nominalQuota"] == "32768"
        assert found[flavor, "memory"]["nominalQuota"] == "256Ti"
        assert found[flavor, "ephemeral-storage"]["nominalQuota"] == "1Pi"
    assert found["train", "nvidia.com/gpu"]["nominalQuota"] == "8192"
    assert found["slices", "nvidia.com/mig-1g.10gb"]["nominalQuota"] == "57344"


def test_a_047_a_team_that_lives_on_what_it_borrows() -> None:
    outcome = accepted(
        """
        nodePools:
          - name: reserved
            gpu: H100-SXM5-80GB
            nodes: 2
            gpusPerNode: 8
            allocatable: {cpu: "120", memory: 960Gi, ephemeral-storage: 3Ti}
          - name: spot
            gpu: A100-SXM4-80GB
            nodes: {count: 2, spot: true}
            gpusPerNode: 8
            allocatable: {cpu: "120", memory: 960Gi, ephemeral-storage: 3Ti}
        tenants:
          - {name: a, namespaces: [team-a], quotas: [{pool: reserved, guaranteed: 16}]}
          - name: b
            namespaces: [team-b]
            quotas: [{pool: reserved, guaranteed: 0, limit: 4}, {pool: spot, guaranteed: 12}]
        """,
        "GP435",  # A note: team a is guaranteed all there is.
        "GP437",  # Spot nodes can be taken away, whoever owns the quota on them.
    )
    found = cells(outcome.named("ClusterQueue", "b"))
    cell = found["reserved", "nvidia.com/gpu"]
    assert (cell["nominalQuota"], cell["borrowingLimit"]) == ("0", "4")
    assert found["spot", "nvidia.com/gpu"]["nominalQuota"] == "12"
    assert queue(outcome, "b")["cohortName"] == queue(outcome, "a")["cohortName"]


_BESIDE = """
          - name: org
            namespaces: [org]
            quotas: [{pool: train, guaranteed: 8, limit: 10, lend: 4}]
          - name: team
            namespaces: [team]
            quotas: [{pool: train, guaranteed: 4, limit: 8, lend: 2}]
"""
_BELOW = _BESIDE.replace("namespaces: [org]", "weight: 1").replace(
    "- name: team", "- name: team\n            parent: org"
)


@pytest.mark.parametrize("tenants", [_BESIDE, _BELOW])
def test_a_037_no_limit_stands_without_a_cohort(tenants: str) -> None:
    assert limited_without_a_cohort(compiled(one_pool(tenants))) == []
