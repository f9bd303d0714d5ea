"""Objects of operators: one ClusterPolicy, and definitions before what they define."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.cases.outcome import PLATFORM
from tests.cases.outcome import Outcome
from tests.cases.outcome import compiled
from tests.cases.outcome import values

_ROOM = 'allocatable: {cpu: "120", memory: 960Gi, ephemeral-storage: 3Ti}'
_WHOLE = f"""
    platform: {PLATFORM[:-1]}, prometheus: {{labels: {{release: stack}}}}}}
    guardRails: deny
    nodePools:
      - {{name: train, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8, {_ROOM}}}
      - {{name: slices, gpu: A100-SXM4-80GB, nodes: 2, gpusPerNode: 8, {_ROOM},
         sharing: {{mig: {{1g.10gb: 7}}}}}}
      - {{name: dev, gpu: A10, nodes: 2, gpusPerNode: 2, {_ROOM}, sharing: {{timeSlicing: 4}}}}
    priorityClasses: [{{name: high, value: 1000}}]
    tenants:
      - {{name: org, quotas: [{{pool: train, guaranteed: 12}}]}}
      - name: blue
        parent: org
        namespaces: [blue]
        members: {{groups: [blue]}}
        quotas: [{{pool: train, guaranteed: 8}}, {{pool: slices, guaranteed: 8}}]
      - name: green
        parent: org
        namespaces: [green]
        quotas: [{{pool: train, guaranteed: 4}}, {{pool: dev, guaranteed: 4}}]
"""
# What refers to something comes after it; what is in one row may come in any order.
_ORDER = [
    ["Namespace"],
    ["PriorityClass", "WorkloadPriorityClass"],
    ["Topology"],
    ["ResourceFlavor"],
    ["Cohort"],
    ["ClusterQueue"],
    ["LocalQueue"],
    ["ValidatingAdmissionPolicy"],
    ["ValidatingAdmissionPolicyBinding"],
]


def kinds(outcome: Outcome) -> list[str]:
    assert outcome.compiled.bundle is not None
    return [one.key.kind for one in outcome.compiled.bundle.manifests]


def test_a_059_the_chart_makes_the_one_cluster_policy() -> None:
    outcome = compiled(_WHOLE)
    assert kinds(outcome).count("ClusterPolicy") == 0
    assert [path for path in outcome.tree if "gpu-operator-values" in path] == [
        "files/gpu-operator-values.yaml"
    ]
    assert values(outcome)["daemonsets"]


def test_a_059_there_is_one_for_all_pools_and_tenants() -> None:
    outcome = compiled(_WHOLE.replace('"26.7"', '"26.7", write: clusterPolicy'))
    assert outcome.only("ClusterPolicy")["metadata"]["name"] == "cluster-policy"
    # The chart, which would make its own, is told not to.
    assert values(outcome)["clusterPolicy"] == {"deployCR": False}


def test_a_060_what_refers_to_something_comes_after_it() -> None:
    found = kinds(compiled(_WHOLE))
    for earlier, later in pairwise(_ORDER):
        last = max(found.index(kind) + found.count(kind) - 1 for kind in earlier)
        first = min(found.index(kind) for kind in later)
        assert last < first, (earlier, later)


def test_a_060_a_cohort_comes_after_the_one_it_hangs_on() -> None:
    outcome = compiled(_WHOLE)
    assert outcome.compiled.bundle is not None
    found = [m.key.name for m in outcome.compiled.bundle.manifests if m.key.kind == "Cohort"]
    assert found.index("ai") < found.index("org")


def _wave(one: dict[str, dict[str, dict[str, str]]]) -> int:
    return int(one["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"])


def test_a_060_argo_cd_is_told_the_same_order() -> None:
    outcome = compiled(_WHOLE)
    for earlier, later in pairwise(_ORDER):
        first = [_wave(one) for kind in earlier for one in outcome.objects(kind)]
        second = [_wave(one) for kind in later for one in outcome.objects(kind)]
        assert max(first) <= min(second), (earlier, later)
        assert min(first) < max(second), (earlier, later)


def _is_built_in(version: str) -> bool:
    return version.startswith(("scheduling.k8s.io", "rbac.authorization", "admissionregistration"))


@pytest.mark.parametrize("cluster_policy", [False, True])
def test_a_060_argo_cd_waits_for_definitions_of_custom_resources(cluster_policy: bool) -> None:
    text = _WHOLE.replace('"26.7"', '"26.7", write: clusterPolicy') if cluster_policy else _WHOLE
    custom = [
        one
        for one in compiled(text).objects()
        if "." in one["apiVersion"].partition("/")[0] and not _is_built_in(one["apiVersion"])
    ]
    assert {"ClusterQueue", "NodeFeatureRule", "PrometheusRule"} <= {one["kind"] for one in custom}
    for one in custom:
        options = one["metadata"]["annotations"]["argocd.argoproj.io/sync-options"].split(",")
        assert "SkipDryRunOnMissingResource=true" in options, one["metadata"]["name"]
