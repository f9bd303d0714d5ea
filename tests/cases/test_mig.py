"""MIG: profiles, placement, strategies, and what the MIG manager is told."""

from __future__ import annotations

import re

import pytest
import yaml

from gpupolicy.cli import summary
from tests.cases.outcome import PLATFORM
from tests.cases.outcome import accepted
from tests.cases.outcome import cells
from tests.cases.outcome import compiled
from tests.cases.outcome import mig_configs
from tests.cases.outcome import node_labels
from tests.cases.outcome import plugin_configs
from tests.cases.outcome import refused
from tests.cases.outcome import values
from tests.cases.outcome import warned

_OF_80 = ["1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"]


def pool(gpu: str, sharing: str, gpus: int = 8) -> str:
    return f"""
        nodePools:
          - name: slices
            gpu: {gpu}
            nodes: 2
            gpusPerNode: {gpus}
            sharing: {sharing}
    """


def test_a_001_smallest_profile_of_the_40_gb_card_on_the_80_gb_card() -> None:
    refused(pool("A100-SXM4-80GB", "{mig: {«1g.5gb»: 7}}"), "GP201").says(
        "slices", "A100-SXM4-80GB", "1g.5gb"
    ).helps("1g.10gb").explains(*_OF_80)


def test_a_001_the_layout_by_its_name() -> None:
    refused(pool("A100-SXM4-80GB", "{mig: «all-1g.5gb»}"), "GP202").says(
        "slices", "A100-SXM4-80GB", "all-1g.5gb"
    ).helps("all-1g.10gb")


@pytest.mark.parametrize(
    ("wrong", "right"), [("1g.11gb", "1g.12gb"), ("2g.22gb", "2g.24gb"), ("7g.88gb", "7g.94gb")]
)
def test_a_002_slices_named_as_if_it_were_an_88_gb_card(wrong: str, right: str) -> None:
    refused(pool("H100-NVL", f"{{mig: {{«{wrong}»: 1}}}}"), "GP201").says(
        "slices", "H100-NVL", wrong
    ).helps(right).explains("1g.12gb", "1g.24gb", "2g.24gb", "3g.47gb", "4g.47gb", "7g.94gb")


def test_a_002_the_name_that_the_driver_gives() -> None:
    outcome = compiled(pool("H100-NVL", "{mig: {1g.12gb: 7}}"))
    (layout,) = [one for name, one in mig_configs(outcome).items() if name != "all-disabled"]
    assert layout[0]["mig-devices"] == {"1g.12gb": 7}
    assert all("1g.12gb" not in one.message for one in outcome.found()), outcome.shown


def test_a_003_a_half_and_two_quarters() -> None:
    outcome = accepted(pool("A30", "{mig: {2g.12gb: 1, 1g.6gb: 2}}"))
    (layout,) = [one for name, one in mig_configs(outcome).items() if name != "all-disabled"]
    assert layout[0]["mig-devices"] == {"2g.12gb": 1, "1g.6gb": 2}
    assert values(outcome)["mig"]["strategy"] == "mixed"


def test_a_003_three_slices_of_a_card_that_has_four() -> None:
    refused(pool("A30", "{mig: {«3g.12gb»: 1}}"), "GP201").says(
        "slices", "A30", "3g.12gb"
    ).explains("1g.6gb", "2g.12gb", "4g.24gb")


def test_a_004_unequal_slices_with_the_single_strategy() -> None:
    sharing = "{mig: {3g.40gb: 1, 2g.20gb: 2}, migStrategy: «single»}"
    refused(pool("A100-SXM4-80GB", sharing), "GP206").says("slices", "3g.40gb", "2g.20gb").helps(
        "mixed", "uniform layout"
    )


_HALF = "[{gpus: [0], layout: {1g.5gb: 7}}, {gpus: [1], layout: {}}]"


def test_a_005_single_with_a_gpu_left_whole() -> None:
    sharing = f"{{mig: {_HALF}, migStrategy: «single»}}"
    refused(pool("A100-SXM4-40GB", sharing, 2), "GP206").says("slices", "1").helps("mixed")


def _half_whole(whole: str, slices: str) -> str:
    return f"""
        nodePools:
          - {{name: slices, gpu: A100-SXM4-40GB, nodes: 1, gpusPerNode: 2,
             sharing: {{mig: {_HALF}}},
             allocatable: {{cpu: "60", memory: 240Gi, ephemeral-storage: 1Ti}}}}
        tenants:
          - name: team
            namespaces: [team]
            quotas:
              - {{pool: slices, device: gpu, guaranteed: {whole}}}
              - {{pool: slices, device: 1g.5gb, guaranteed: {slices}}}
    """


def test_a_005_mixed_with_a_gpu_left_whole() -> None:
    outcome = accepted(_half_whole("1", "7"), "GP435")
    assert outcome.compiled.plan is not None
    rows = [line.split() for line in summary.pools(outcome.compiled.plan).splitlines()[1:]]
    assert [(row[3], row[5]) for row in rows] == [("gpu", "1"), ("1g.5gb", "7")]
    queue = cells(outcome.named("ClusterQueue", "team"))
    assert queue["slices", "nvidia.com/gpu"]["nominalQuota"] == "1"
    assert queue["slices", "nvidia.com/mig-1g.5gb"]["nominalQuota"] == "7"
    (layout,) = [one for name, one in mig_configs(outcome).items() if name != "all-disabled"]
    by_devices = {str(entry["devices"]): entry for entry in layout}
    assert by_devices["[0]"]["mig-devices"] == {"1g.5gb": 7}
    assert by_devices["[1]"]["mig-enabled"] is False


@pytest.mark.parametrize(("whole", "slices"), [("«2»", "7"), ("1", "«8»")])
def test_a_005_there_is_one_gpu_and_there_are_seven_slices(whole: str, slices: str) -> None:
    have, want = ("1", "2") if "«" in whole else ("7", "8")
    refused(_half_whole(whole, slices), "GP431").says(have, want)


_TWO_STRATEGIES = """
    platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}}
    nodePools:
      - {name: even, gpu: A100-SXM4-80GB, nodes: 2, gpusPerNode: 8,
         sharing: {mig: {1g.10gb: 7}, migStrategy: single}}
      - {name: uneven, gpu: H100-PCIE, nodes: 2, gpusPerNode: 8,
         sharing: {mig: {3g.40gb: 1, 2g.20gb: 2}}}
"""


def test_a_006_a_strategy_for_each_pool() -> None:
    outcome = accepted(_TWO_STRATEGIES, "GP501")
    assert len(re.findall(r"^mig:\n  strategy: .*$", outcome.tree[_VALUES], re.MULTILINE)) == 1
    # The operator gives its one strategy to the plugin's environment, which beats the files.
    assert values(outcome)["mig"]["strategy"] == ""
    configs = plugin_configs(outcome)
    for name, strategy in {"even": "single", "uneven": "mixed"}.items():
        label = node_labels(outcome)[name]["nvidia.com/device-plugin.config"]
        assert configs[label]["flags"]["migStrategy"] == strategy


def test_a_006_one_strategy_needs_no_file() -> None:
    outcome = accepted(_TWO_STRATEGIES.replace(", migStrategy: single", ""))
    assert values(outcome)["mig"]["strategy"] == "mixed"


_VALUES = "files/gpu-operator-values.yaml"
_SOME_NODES = """
    nodePools:
      - {name: cut, gpu: A100-SXM4-80GB, nodes: {count: 1, names: [gpu-a]}, gpusPerNode: 8,
         sharing: {mig: {1g.10gb: 7}}}
      - {name: whole, gpu: A100-SXM4-80GB, nodes: {count: 1, names: [gpu-b]}, gpusPerNode: 8}
"""


def test_a_007_mig_on_some_nodes_only() -> None:
    outcome = accepted(_SOME_NODES)
    labels = node_labels(outcome)
    assert labels["cut"]["nvidia.com/mig.config"] in mig_configs(outcome)
    assert labels["cut"]["nvidia.com/mig.config"] != "all-disabled"
    assert labels["whole"].get("nvidia.com/mig.config", "all-disabled") == "all-disabled"
    assert values(outcome)["migManager"]["config"]["default"] in ("all-disabled", "")
    rules = {one["metadata"]["name"]: str(one) for one in outcome.objects("NodeFeatureRule")}
    assert "gpu-a" in rules["gpupolicy-cut"]
    assert "gpu-b" not in rules["gpupolicy-cut"]
    assert "gpu-a" not in rules["gpupolicy-whole"]


@pytest.mark.parametrize("gpu", ["A100-SXM4-80GB", "H100-SXM5-80GB"])
def test_a_008_seven_slices_that_cannot_be_placed(gpu: str) -> None:
    finding = refused(pool(gpu, "{mig: «{3g.40gb: 2, 1g.10gb: 1}»}"), "GP203")
    finding.says("slices", "3g.40gb").explains("8", "4", "memory slices")
    hint = finding.one.hint or ""
    others = ("{3g.40gb: 1, 1g.10gb: 4}", "{3g.40gb: 1, 2g.20gb: 2}", "{3g.40gb: 2}")
    assert any(other in hint for other in others), finding.outcome.shown


@pytest.mark.parametrize("fits", ["3g.40gb: 1, 1g.10gb: 4", "3g.40gb: 1, 2g.20gb: 2", "3g.40gb: 2"])
def test_a_008_what_can_be_placed(fits: str) -> None:
    accepted(pool("A100-SXM4-80GB", f"{{mig: {{{fits}}}}}"))


def test_a_009_one_large_and_four_small() -> None:
    outcome = accepted(pool("H100-SXM5-80GB", "{mig: {3g.40gb: 1, 1g.10gb: 4}}"))
    (layout,) = [one for name, one in mig_configs(outcome).items() if name != "all-disabled"]
    assert layout[0]["mig-devices"] == {"3g.40gb": 1, "1g.10gb": 4}


def test_a_009_one_large_and_five_small() -> None:
    finding = refused(pool("H100-SXM5-80GB", "{mig: «{3g.40gb: 1, 1g.10gb: 5}»}"), "GP203")
    finding.says("slices").explains("8", "7", "compute slices")
    assert "1g.10gb" in (finding.one.hint or "")


def test_a_010_every_layout_that_a_label_names_is_there() -> None:
    outcome = accepted(
        """
        nodePools:
          - {name: teaching, gpu: A100-SXM4-40GB, nodes: 2, gpusPerNode: 8,
             sharing: {mig: all-balanced}}
          - {name: notebooks, gpu: A100-SXM4-80GB, nodes: 2, gpusPerNode: 8,
             sharing: {mig: {1g.10gb: 7}}}
          - {name: train, gpu: H100-PCIE, nodes: 2, gpusPerNode: 8}
          - {name: halves, gpu: A30, nodes: 2, gpusPerNode: 2,
             sharing: {mig: [{gpus: [0], layout: {2g.12gb: 2}}, {gpus: [1], layout: {1g.6gb: 4}}]}}
        """
    )
    chosen = {name: one["nvidia.com/mig.config"] for name, one in node_labels(outcome).items()}
    assert set(chosen) == {"teaching", "notebooks", "train", "halves"}
    assert set(chosen.values()) <= set(mig_configs(outcome))
    assert len(set(chosen.values())) == 4
    assert values(outcome)["migManager"]["config"]["default"] in mig_configs(outcome)


@pytest.mark.parametrize("write", ["nodeFeatureRule", "patches", "script", "external"])
def test_a_010_whichever_way_labels_reach_the_nodes(write: str) -> None:
    outcome = compiled(
        f"""
        platform:
          {{kubernetes: "1.34", gpuOperator: {{version: "26.7"}}, nodes: {{write: {write}}}}}
        nodePools:
          - {{name: cut, gpu: A100-SXM4-40GB, nodes: {{count: 2, names: [gpu-1, gpu-2]}},
             gpusPerNode: 8, sharing: {{mig: all-balanced, timeSlicing: {{1g.5gb: 2}}}}}}
          - {{name: whole, gpu: A100-SXM4-40GB, nodes: {{count: 1, names: [gpu-3]}},
             gpusPerNode: 8}}
        """
    )
    text = "\n".join(
        text for path, text in outcome.tree.items() if path.startswith(("nodes/", "files/"))
    )
    layouts = set(re.findall(r"nvidia\.com/mig\.config['\"]?[=:] ?['\"]?([\w.-]+)", text))
    assert layouts == {"all-disabled", *layouts} <= set(mig_configs(outcome))
    assert len(layouts) == 2
    keys = set(re.findall(r"nvidia\.com/device-plugin\.config['\"]?[=:] ?['\"]?([\w.-]+)", text))
    assert keys == {"cut", "default"} == set(plugin_configs(outcome))


def test_a_010_a_layout_that_nobody_defined() -> None:
    refused(pool("A100-SXM4-40GB", "{mig: «all-ballanced»}"), "GP202").says(
        "slices", "all-ballanced"
    ).helps("all-balanced")


@pytest.mark.parametrize("namespace", ["gpu-operator", "nvidia"])
def test_a_011_the_operators_own_config_map_is_left_alone(namespace: str) -> None:
    platform = PLATFORM.replace('"26.7"', f'"26.7", namespace: {namespace}')
    outcome = accepted(f"platform: {platform}\n" + pool_at_margin("{mig: {1g.10gb: 7}}"))
    config = values(outcome)["migManager"]["config"]
    assert config["name"] not in ("default-mig-parted-config", "mig-parted-config")
    assert config["create"] is False
    written = outcome.named("ConfigMap", config["name"])
    assert written["metadata"]["namespace"] == namespace
    assert list(written["data"]) == ["config.yaml"]
    assert yaml.safe_load(written["data"]["config.yaml"])["version"] == "v1"


def pool_at_margin(sharing: str) -> str:
    return (
        "nodePools:\n  - {name: slices, gpu: A100-SXM4-80GB, nodes: 2, gpusPerNode: 8, "
        f"sharing: {sharing}}}\n"
    )


def _training(workload: str) -> str:
    return f"""
        nodePools:
          - {{name: slices, gpu: A100-SXM4-80GB, nodes: 2, gpusPerNode: 8,
             allocatable: {{cpu: "60", memory: 240Gi, ephemeral-storage: 1Ti}},
             sharing: {{mig: {{1g.10gb: 7}}}}}}
        tenants:
          - name: team
            namespaces: [team]
            quotas: [{{pool: slices, guaranteed: 56}}]
            workloads:
              - {workload}
    """


def test_a_013_several_slices_for_one_training_pod() -> None:
    spec = _training("{name: train, pool: slices, gpusPerPod: «4», gang: true, pods: 2}")
    finding = refused(spec, "GP212").says("train", "4")
    finding.explains("CUDA", "one MIG", "NVLink").helps("whole GPUs")


def test_a_013_a_gang_on_slices() -> None:
    spec = _training("{name: train, pool: slices, pods: 4, gang: «true»}")
    warned(spec, "GP213").says("train").explains("NVLink").helps("whole GPUs")


@pytest.mark.parametrize("gpu", ["A40", "V100-SXM2-32GB", "T4", "L40S", "L4", "RTX-4090"])
def test_a_014_mig_on_a_card_that_has_none(gpu: str) -> None:
    finding = refused(pool(gpu, "{«mig»: {1g.5gb: 7}}"), "GP200").says("slices", gpu)
    finding.helps("timeSlicing", "mps")
    # NVIDIA lists A40 and L4 for vGPUs of KubeVirt; no GeForce card has any.
    if gpu in ("A40", "L4"):
        finding.helps("vgpu", "licensed")
    if gpu == "RTX-4090":
        assert "vgpu" not in (finding.one.hint or "")


def test_a_014_a_layout_by_name_on_a_card_that_has_none() -> None:
    refused(pool("L40S", "{«mig»: all-balanced}"), "GP200").says("slices", "L40S")


def _uneven_a30(version: str) -> str:
    platform = f'{{kubernetes: "1.34", gpuOperator: {{version: "{version}"}}}}'
    layouts = "[{gpus: [0], layout: {1g.6gb: 4}}, {gpus: [1], layout: {2g.12gb: 2}}]"
    return f"""
        platform: {platform}
        nodePools:
          - name: slices
            gpu: A30
            nodes: 2
            gpusPerNode: 2
            sharing:
              mig: «{layouts}»
    """


@pytest.mark.parametrize("version", ["26.3", "25.10"])
def test_a_015_layouts_that_differ_with_an_old_version(version: str) -> None:
    finding = warned(_uneven_a30(version), "GP216").says("slices", "A30", version)
    finding.helps("26.7")
    assert len(mig_configs(finding.outcome)) == 2


def test_a_015_layouts_that_differ_with_the_version_that_has_the_fix() -> None:
    accepted(_uneven_a30("26.7"))


def test_a_016_a_layout_for_a_gpu_that_is_not_there() -> None:
    indices = "0, 1, 2, 3, 4, 5, 6, 7"
    sharing = f"{{mig: [{{gpus: [{indices}, «8»], layout: {{1g.10gb: 7}}}}]}}"
    refused(pool("A100-SXM4-80GB", sharing), "GP207").says("slices", "8").explains("0", "7")


def test_a_016_gpus_that_no_layout_names() -> None:
    sharing = "{mig: «[{gpus: [0, 1, 2, 3], layout: {1g.10gb: 7}}]»}"
    finding = refused(pool("A100-SXM4-80GB", sharing), "GP208").says("slices", "4", "7")
    finding.helps("layout: {}")


def test_a_016_gpus_that_are_said_to_stay_whole() -> None:
    layouts = "[{gpus: [0, 1, 2, 3], layout: {1g.10gb: 7}}, {gpus: [4, 5, 6, 7], layout: {}}]"
    accepted(pool("A100-SXM4-80GB", f"{{mig: {layouts}}}"))
