"""More than one vendor: names kept apart, and nothing of NVIDIA's for cards of others."""

from __future__ import annotations

import pytest

from tests.cases.outcome import PLATFORM
from tests.cases.outcome import Outcome
from tests.cases.outcome import cells
from tests.cases.outcome import compiled
from tests.cases.outcome import refused
from tests.cases.outcome import texts

_ROOM = 'allocatable: {cpu: "120", memory: 960Gi, ephemeral-storage: 3Ti}'
_TWO = f"""
    platform: {PLATFORM[:-1]}, prometheus: {{labels: {{release: stack}}}}}}
    nodePools:
      - name: green
        gpu: H100-SXM5-80GB
        nodes: 2
        gpusPerNode: 8
        {_ROOM}
        taints: [{{key: nvidia.com/gpu, value: present, effect: NoSchedule}}]
      - name: red
        gpu: {{name: MI300X, resource: amd.com/gpu, memory: 192Gi}}
        nodes: {{count: 2, names: [amd-1, amd-2]}}
        gpusPerNode: 8
        {_ROOM}
        taints: [{{key: amd.com/gpu, value: present, effect: NoSchedule}}]
    tenants:
      - name: models
        namespaces: [models]
        quotas: [{{pool: green, guaranteed: 8}}, {{pool: red, guaranteed: 4}}]
      - {{name: data, namespaces: [data], quotas: [{{pool: red, guaranteed: 4}}]}}
"""


def about(outcome: Outcome, pool: str) -> list[str]:
    """Collect all texts of objects that are about one pool alone."""
    return [
        text
        for one in outcome.objects()
        if one["metadata"]["name"] in (pool, f"gpupolicy-{pool}", f"gpupolicy-pool-{pool}")
        for text in texts(one)
    ]


def test_a_057_the_names_of_two_vendors_are_kept_apart() -> None:
    outcome = compiled(_TWO)
    found = cells(outcome.named("ClusterQueue", "models"))
    assert found["green", "nvidia.com/gpu"]["nominalQuota"] == "8"
    assert found["red", "amd.com/gpu"]["nominalQuota"] == "4"
    assert found["green", "amd.com/gpu"] == {
        "name": "amd.com/gpu",
        "nominalQuota": "0",
        "borrowingLimit": "0",
    }
    assert found["red", "nvidia.com/gpu"]["nominalQuota"] == "0"
    (kept_out,) = [
        one for one in outcome.objects("ResourceQuota") if one["metadata"]["namespace"] == "data"
    ]
    assert kept_out["spec"]["hard"] == {"requests.nvidia.com/gpu": "0"}


def test_a_057_nothing_of_nvidia_for_the_other_pool() -> None:
    outcome = compiled(_TWO)
    mine = about(outcome, "red")
    assert any("amd.com/gpu" in text or "amd_com_gpu" in text for text in mine)
    assert [text for text in mine if "nvidia" in text or "DCGM" in text] == []


def test_a_057_each_flavor_tolerates_its_own_pool() -> None:
    outcome = compiled(_TWO)
    for name, key in {"green": "nvidia.com/gpu", "red": "amd.com/gpu"}.items():
        (toleration,) = outcome.named("ResourceFlavor", name)["spec"]["tolerations"]
        assert toleration["key"] == key
    # The other vendor's operator is not ours to configure, so it is said.
    (said,) = [one for one in outcome.found() if one.code == "GP504"]
    assert "red" in said.message
    assert "amd.com/gpu" in said.message + (said.hint or "")


def test_a_057_a_vendor_that_is_named_without_its_resource() -> None:
    spec = _TWO.replace("{name: MI300X, resource: amd.com/gpu, memory: 192Gi}", "«MI300X»")
    refused(spec, "GP440").says("red", "MI300X").helps("resource")


def _intel(sharing: str, resource: str = "gpu.intel.com/i915") -> str:
    return f"""
        nodePools:
          - name: transcode
            gpu: {{name: Flex-140, resource: {resource}, memory: 12Gi}}
            nodes: {{count: 2, names: [flex-1, flex-2]}}
            gpusPerNode: 4
            {_ROOM}{sharing}
        tenants:
          - name: video
            namespaces: [video]
            quotas: [{{pool: transcode, guaranteed: 8}}]
            workloads: [{{name: encode, pool: transcode, gpusPerPod: 2}}]
    """


@pytest.mark.parametrize("way", ["timeSlicing", "mps"])
def test_a_058_cards_of_another_vendor_are_not_shared_by_us(way: str) -> None:
    spec = _intel(f"\n            sharing: {{«{way}»: 10}}")
    finding = refused(spec, "GP302").says("transcode", "gpu.intel.com/i915")
    finding.helps("vendor")


@pytest.mark.parametrize("resource", ["gpu.intel.com/i915", "gpu.intel.com/xe"])
def test_a_058_the_name_is_the_drivers(resource: str) -> None:
    outcome = compiled(_intel("", resource))
    found = cells(outcome.named("ClusterQueue", "video"))
    assert found["transcode", resource]["nominalQuota"] == "8"
    assert [text for text in about(outcome, "transcode") if "nvidia" in text] == []
