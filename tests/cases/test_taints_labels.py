"""Taints and labels of nodes: who tolerates them, and which values Kubernetes takes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cases.outcome import PLATFORM
from tests.cases.outcome import Outcome
from tests.cases.outcome import accepted
from tests.cases.outcome import compiled
from tests.cases.outcome import node_labels
from tests.cases.outcome import refused
from tests.cases.outcome import values
from tests.cases.outcome import warned

_MONITORED = f"{PLATFORM[:-1]}, prometheus: {{labels: {{release: stack}}}}}}"
_OWN_CHARTS = (
    '{kubernetes: "1.34", dcgmExporter: {version: "4.8.3"}, nodeFeatureDiscovery: {}, '
    "prometheus: {labels: {release: stack}}}"
)
_NVIDIA = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
_DEDICATED = {"key": "dedicated", "operator": "Equal", "value": "ml", "effect": "NoSchedule"}
_DRAINED = {"key": "example.org/drained", "operator": "Exists", "effect": "NoExecute"}
# A note: the script sets the taint that has no prefix, since rules cannot.
_BY_SCRIPT = "GP510"


def tainted(platform: str) -> str:
    return f"""
        platform: {platform}
        nodePools:
          - name: train
            gpu: H100-SXM5-80GB
            nodes: 2
            gpusPerNode: 8
            taints: [{{key: dedicated, value: ml, effect: NoSchedule}}]
          - name: infer
            gpu: A100-SXM4-80GB
            nodes: 2
            gpusPerNode: 8
            taints: [{{key: example.org/drained, effect: NoExecute}}]
    """


def test_a_029_the_operators_daemons_tolerate_the_taints_of_pools() -> None:
    outcome = accepted(tainted(PLATFORM), _BY_SCRIPT)
    tolerations = values(outcome)["daemonsets"]["tolerations"]
    assert [one for one in (_NVIDIA, _DEDICATED, _DRAINED) if one not in tolerations] == []


def test_a_029_so_does_node_feature_discovery() -> None:
    outcome = accepted(tainted(PLATFORM), _BY_SCRIPT)
    tolerations = values(outcome)["node-feature-discovery"]["worker"]["tolerations"]
    assert [one for one in (_NVIDIA, _DEDICATED, _DRAINED) if one not in tolerations] == []


def test_a_029_node_feature_discovery_of_its_own_chart_too() -> None:
    outcome = compiled(tainted(_OWN_CHARTS))
    tolerations = outcome.file("nfd-values.yaml")["worker"]["tolerations"]
    assert [one for one in (_DEDICATED, _DRAINED) if one not in tolerations] == []


def test_a_029_a_cluster_policy_holds_the_same() -> None:
    platform = PLATFORM.replace('"26.7"', '"26.7", write: clusterPolicy')
    outcome = compiled(tainted(platform))
    tolerations = outcome.only("ClusterPolicy")["spec"]["daemonsets"]["tolerations"]
    assert [one for one in (_NVIDIA, _DEDICATED, _DRAINED) if one not in tolerations] == []


def test_a_029_a_queue_brings_the_toleration_to_the_tenants_pods() -> None:
    outcome = accepted(
        """
        nodePools:
          - name: train
            gpu: H100-SXM5-80GB
            nodes: 2
            gpusPerNode: 8
            allocatable: {cpu: "180", memory: 1900Gi, ephemeral-storage: 7Ti}
            taints: [{key: dedicated, value: ml, effect: NoSchedule}]
        tenants:
          - {name: team, namespaces: [team], quotas: [{pool: train, guaranteed: 8}]}
        """,
        _BY_SCRIPT,
    )
    assert outcome.only("ResourceFlavor")["spec"]["tolerations"] == [_DEDICATED]


def test_a_030_the_exporter_of_its_own_chart_tolerates_the_taints() -> None:
    outcome = compiled(tainted(_OWN_CHARTS))
    tolerations = outcome.file("dcgm-exporter-values.yaml")["tolerations"]
    assert [one for one in (_DEDICATED, _DRAINED) if one not in tolerations] == []


def test_a_030_without_an_exporter_that_we_know_pools_are_dark() -> None:
    platform = '{kubernetes: "1.34", kueue: {version: "0.19"}, prometheus: {labels: {a: b}}}'
    outcome = compiled(tainted(platform))
    (said,) = [one for one in outcome.found() if one.code == "GP503"]
    assert said.severity.value == "warning"
    assert "dcgmExporter" in (said.hint or ""), outcome.shown
    assert "'train'" in said.message, outcome.shown
    assert "'infer'" in said.message, outcome.shown


_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?\Z")


def label_values(data: Any) -> list[str]:
    """Collect what stands as labels, selectors and node labels anywhere in an object."""
    found: list[str] = []
    if isinstance(data, dict):
        for key, item in data.items():
            if key in ("labels", "matchLabels", "nodeLabels", "nodeSelector"):
                found += item.values()
            else:
                found += label_values(item)
    elif isinstance(data, list):
        for item in data:
            found += label_values(item)
    return found


def all_label_values(outcome: Outcome) -> list[str]:
    return [value for one in outcome.objects() for value in label_values(one)]


def test_a_031_a_described_model_with_brackets() -> None:
    outcome = compiled(
        """
        nodePools:
          - name: titan
            gpu: {name: "TITAN X (Pascal)", resource: nvidia.com/gpu, memory: 12Gi}
            nodes: {count: 2, names: [titan-1, titan-2]}
            gpusPerNode: 2
            allocatable: {cpu: "30", memory: 120Gi, ephemeral-storage: 1Ti}
        tenants:
          - {name: team, namespaces: [team], quotas: [{pool: titan, guaranteed: 2}]}
        """
    )
    found = all_label_values(outcome)
    assert "titan" in found
    assert [value for value in found if not _VALUE.match(value)] == []
    assert outcome.only("ResourceFlavor")["spec"]["nodeLabels"] == {"gpupolicy.dev/pool": "titan"}


def test_a_031_a_model_that_the_catalogue_lacks() -> None:
    refused(
        """
        nodePools:
          - {name: titan, gpu: «TITAN X (Pascal)», nodes: 2, gpusPerNode: 2}
        """,
        "GP440",
    ).says("titan", "TITAN X (Pascal)").helps("resource", "memory")


def test_a_031_nodes_are_found_by_what_feature_discovery_writes() -> None:
    outcome = compiled(
        """
        platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}, nodes: {write: script}}
        nodePools:
          - {name: shared, gpu: A10, nodes: 2, gpusPerNode: 2,
             sharing: {timeSlicing: 4, rename: false}}
          - {name: cut, gpu: A100-SXM4-40GB, nodes: 2, gpusPerNode: 2,
             sharing: {mig: {1g.5gb: 7}, migStrategy: single}}
        """
    )
    script = outcome.tree["files/label-nodes.sh"]
    products = set(re.findall(r"NVIDIA-[A-Za-z0-9.-]+", script))
    assert {"NVIDIA-A10", "NVIDIA-A10-SHARED", "NVIDIA-A100-SXM4-40GB"} <= products
    assert all(_VALUE.match(value) for value in products)


@pytest.mark.parametrize("value", ["«TITAN X (Pascal)»", '«"a/b"»', f"«{'x' * 64}»"])
def test_a_031_a_label_value_that_no_label_can_hold(value: str) -> None:
    finding = refused(
        f"""
        nodePools:
          - {{name: titan, gpu: L4, nodes: 2, gpusPerNode: 2,
             labels: {{example.org/model: {value}}}}}
        """,
        "GP107",
    )
    finding.says("' '" if "TITAN" in value else "'/'" if "/" in value else "64")


_ROLE = 'nodePools: [{name: train, gpu: L4, nodes: 2, gpusPerNode: 2, labels: {KEY: "1"}}]'


@pytest.mark.parametrize("key", ["node-role.kubernetes.io/gpu", "topology.kubernetes.io/rack"])
@pytest.mark.parametrize("write", ["script", "external", "nodeFeatureRule"])
def test_a_032_labels_that_a_node_pool_cannot_set(write: str, key: str) -> None:
    platform = '{kubernetes: "1.34", gpuOperator: {version: "26.7"}, nodes: {write: WAY}}'
    spec = f"platform: {platform}\n{_ROLE}".replace("WAY", write).replace("KEY", f"«{key}»")
    finding = warned(spec, "GP454", _BY_SCRIPT)
    finding.says("train", key).explains("new nodes").helps("prefix")


def test_a_032_a_prefix_of_ones_own() -> None:
    outcome = accepted(_ROLE.replace("KEY", "topology.example.org/rack"))
    assert node_labels(outcome)["train"]["topology.example.org/rack"] == "1"
