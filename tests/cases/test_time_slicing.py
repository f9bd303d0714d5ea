"""Time-slicing: replicas, names, the operator's ConfigMap, memory that nobody partitions."""

from __future__ import annotations

import pytest

from tests.cases.outcome import PLATFORM
from tests.cases.outcome import Outcome
from tests.cases.outcome import accepted
from tests.cases.outcome import cells
from tests.cases.outcome import node_labels
from tests.cases.outcome import plugin_configs
from tests.cases.outcome import refused
from tests.cases.outcome import texts
from tests.cases.outcome import values
from tests.cases.outcome import warned

_ROOM = 'allocatable: {cpu: "60", memory: 240Gi, ephemeral-storage: 1Ti}'


def pool(gpu: str, sharing: str) -> str:
    return f"""
        nodePools:
          - {{name: shared, gpu: {gpu}, nodes: 2, gpusPerNode: 4, sharing: {sharing}}}
    """


def with_work(gpu: str, sharing: str, workload: str) -> str:
    return f"""
        nodePools:
          - {{name: shared, gpu: {gpu}, nodes: 2, gpusPerNode: 1, {_ROOM}, sharing: {sharing}}}
        tenants:
          - name: team
            namespaces: [team]
            quotas: [{{pool: shared, guaranteed: 100%}}]
            workloads:
              - {{name: notebook, kind: StatefulSet, pool: shared, {workload}}}
    """


def replicas(outcome: Outcome) -> list[int]:
    """Give every number of replicas that the device plugin is told."""
    found = []
    for config in plugin_configs(outcome).values():
        for way in config.get("sharing", {}).values():
            found += [resource["replicas"] for resource in way["resources"]]
    return found


@pytest.mark.parametrize("way", ["timeSlicing", "mps"])
def test_a_017_one_replica_is_no_sharing(way: str) -> None:
    finding = warned(pool("A10", f"{{{way}: «1»}}"), "GP306").says("shared", "1")
    # Without any shared pool there is no ConfigMap at all; beside one there is the safe default.
    assert "devicePlugin" not in values(finding.outcome)
    assert finding.outcome.objects("ConfigMap") == []


def test_a_017_one_replica_beside_a_pool_that_is_shared() -> None:
    finding = warned(
        """
        nodePools:
          - {name: alone, gpu: A10, nodes: 2, gpusPerNode: 4, sharing: {timeSlicing: «1»}}
          - {name: shared, gpu: L4, nodes: 2, gpusPerNode: 4, sharing: {timeSlicing: 4}}
        """,
        "GP306",
    )
    key = node_labels(finding.outcome)["alone"]["nvidia.com/device-plugin.config"]
    assert "sharing" not in plugin_configs(finding.outcome)[key]
    assert replicas(finding.outcome) == [4]


def test_a_017_one_replica_of_one_kind_of_slice() -> None:
    finding = warned(
        pool(
            "A100-SXM4-80GB",
            "{mig: {1g.10gb: 4, 3g.40gb: 1}, timeSlicing: {1g.10gb: 2, 3g.40gb: «1»}}",
        ),
        "GP306",
    )
    assert replicas(finding.outcome) == [2]


@pytest.mark.parametrize("count", ["0", "-4"])
@pytest.mark.parametrize("way", ["timeSlicing", "mps"])
def test_a_017_no_replica_and_fewer(way: str, count: str) -> None:
    refused(pool("A10", f"{{{way}: «{count}»}}"), "GP305").says("shared", count.lstrip("-"))


# Both are about monitoring: what kube-state-metrics must show, and what nobody measures.
_NOTES = ("GP561", "GP562")
_SHARED = f"""
    platform: {PLATFORM[:-1]}, prometheus: {{labels: {{release: stack}}}}}}
    nodePools:
      - {{name: shared, gpu: A10, nodes: 2, gpusPerNode: 4, {_ROOM}, sharing: {{timeSlicing: 4}}}}
      - {{name: whole, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8, {_ROOM}}}
    tenants:
      - name: lab
        namespaces: [lab]
        quotas: [{{pool: shared, guaranteed: 20}}]
      - name: other
        namespaces: [other]
        quotas: [{{pool: whole, guaranteed: 8}}]
"""


def test_a_018_the_rename_switch_stands_where_the_plugin_reads_it() -> None:
    outcome = accepted(_SHARED, *_NOTES)
    config = plugin_configs(outcome)[
        node_labels(outcome)["shared"]["nvidia.com/device-plugin.config"]
    ]
    assert config["sharing"]["timeSlicing"]["renameByDefault"] is True
    assert config["sharing"]["timeSlicing"]["resources"] == [
        {"name": "nvidia.com/gpu", "replicas": 4}
    ]
    assert "flags" not in config


def test_a_018_everything_else_uses_the_new_name() -> None:
    outcome = accepted(_SHARED, *_NOTES)
    queue = outcome.named("ClusterQueue", "lab")
    assert queue["spec"]["resourceGroups"][0]["coveredResources"] == [
        "cpu",
        "memory",
        "ephemeral-storage",
        "nvidia.com/gpu.shared",
    ]
    assert cells(queue)["shared", "nvidia.com/gpu.shared"]["nominalQuota"] == "20"
    root = cells(outcome.named("Cohort", "ai"))
    assert root["shared", "nvidia.com/gpu.shared"]["nominalQuota"] == "12"
    namespace = outcome.named("Namespace", "lab")
    assert namespace["metadata"]["annotations"]["gpupolicy.dev/devices"] == "nvidia.com/gpu.shared"
    (kept_out,) = [o for o in outcome.objects("ResourceQuota") if _in(o, "lab")]
    assert kept_out["spec"]["hard"] == {"requests.nvidia.com/gpu": "0"}
    rules = [o for o in outcome.objects("PrometheusRule") if "shared" in str(o)]
    assert any("nvidia_com_gpu_shared" in text for one in rules for text in texts(one))


def _in(one: dict[str, dict[str, str]], namespace: str) -> bool:
    return one["metadata"]["namespace"] == namespace


@pytest.mark.parametrize("place", ["flags: {renameByDefault: true}", "renameByDefault: true"])
def test_a_018_the_switch_elsewhere_is_no_word_of_the_language(place: str) -> None:
    key = place.split(":")[0]
    spec = pool("A10", f"{{timeSlicing: 4, «{key}»{place.removeprefix(key)}}}")
    finding = refused(spec, "GP101").says(key)
    if key == "renameByDefault":
        finding.helps("rename")


_THREE = """
    nodePools:
      - {name: notebooks, gpu: A10, nodes: 2, gpusPerNode: 4, sharing: {timeSlicing: 4}}
      - {name: inference, gpu: L40S, nodes: 2, gpusPerNode: 4, sharing: {mps: 6}}
      - {name: train, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8}
"""


@pytest.mark.parametrize("namespace", ["gpu-operator", "nvidia"])
def test_a_019_the_config_map_is_where_the_operator_reads_it(namespace: str) -> None:
    platform = PLATFORM.replace('"26.7"', f'"26.7", namespace: {namespace}')
    outcome = accepted(f"platform: {platform}\n" + _flush_left(_THREE))
    config = values(outcome)["devicePlugin"]["config"]
    assert config["create"] is False
    written = outcome.named("ConfigMap", config["name"])
    assert written["metadata"]["namespace"] == namespace


def _flush_left(text: str) -> str:
    return "".join(line.removeprefix("    ") for line in text.splitlines(keepends=True))


def test_a_019_the_default_is_a_key_and_shares_nothing() -> None:
    outcome = accepted(_THREE)
    configs = plugin_configs(outcome)
    default = values(outcome)["devicePlugin"]["config"]["default"]
    assert "sharing" not in configs[default]
    labels = {
        name: one["nvidia.com/device-plugin.config"] for name, one in node_labels(outcome).items()
    }
    assert set(labels.values()) <= set(configs)
    assert configs[labels["notebooks"]]["sharing"]["timeSlicing"]["resources"][0]["replicas"] == 4
    assert configs[labels["inference"]]["sharing"]["mps"]["resources"][0]["replicas"] == 6
    assert labels["train"] == default


@pytest.mark.parametrize("way", ["timeSlicing: 4", "mps: 4"])
def test_a_020_two_replicas_for_one_pod(way: str) -> None:
    finding = refused(with_work("A10", f"{{{way}}}", "gpusPerPod: «2»"), "GP316")
    finding.says("notebook", "shared", "2").helps("1")


def test_a_020_two_replicas_of_a_slice() -> None:
    sharing = "{mig: {1g.10gb: 7}, timeSlicing: {1g.10gb: 2}}"
    spec = with_work("A100-SXM4-80GB", sharing, "gpusPerPod: «2»")
    finding = refused(spec, "GP212")
    finding.says("notebook", "shared", "2")


@pytest.mark.parametrize(
    "sharing", ["{timeSlicing: 4}", "{mps: 4}", "{timeSlicing: 4, rename: false}"]
)
def test_a_020_the_strict_switch_is_on(sharing: str) -> None:
    configs = plugin_configs(accepted(pool("A10", sharing)))
    ways = [way for one in configs.values() for way in one.get("sharing", {}).values()]
    assert [way["failRequestsGreaterThanOne"] for way in ways] == [True]


def test_a_021_more_memory_than_the_card_has() -> None:
    spec = with_work("T4", "{timeSlicing: «8»}", "pods: 8, gpuMemory: 4Gi")
    finding = refused(spec, "GP322").says("notebook", "shared", "T4", "8", "4096 MiB", "14909 MiB")
    finding.says("no memory isolation").helps("3", "timeSlicing: 3")


def test_a_021_three_of_them_fit() -> None:
    accepted(with_work("T4", "{timeSlicing: 3}", "pods: 6, gpuMemory: 4Gi"), "GP435", "GP519")


def test_a_021_what_is_said_to_be_accepted_is() -> None:
    sharing = "{timeSlicing: 8, overcommit: 3}"
    accepted(with_work("T4", sharing, "pods: 8, gpuMemory: 4Gi"), "GP435", "GP519")


def test_a_023_a_replica_for_each_mebibyte() -> None:
    finding = refused(pool("L4", "{timeSlicing: «16384»}"), "GP305")
    finding.says("shared", "16384").explains("memory")


def test_a_023_more_replicas_than_a_node_runs_pods() -> None:
    finding = warned(pool("L4", "{timeSlicing: «1024»}"), "GP312")
    finding.says("shared", "1024").explains("memory")


def test_a_023_a_number_that_nodes_are_run_with() -> None:
    accepted(pool("L4", "{timeSlicing: 10}"))
