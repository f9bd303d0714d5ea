"""Quota: ResourceQuota keys, sums, whole numbers, and what pods ask for."""

from __future__ import annotations

import pytest

from gpupolicy.source.load import SourceText
from tests.cases.outcome import FILE
from tests.cases.outcome import PLATFORM
from tests.cases.outcome import Outcome
from tests.cases.outcome import accepted
from tests.cases.outcome import cells
from tests.cases.outcome import compile_text
from tests.cases.outcome import compiled
from tests.cases.outcome import policy
from tests.cases.outcome import refused
from tests.cases.outcome import warned

_WITHOUT_QUEUES = '{kubernetes: "1.34", gpuOperator: {version: "26.7"}}'
_ROOM = 'allocatable: {cpu: "120", memory: 960Gi, ephemeral-storage: 3Ti}'


def cluster(tenants: str, platform: str = PLATFORM) -> str:
    return f"""
        platform: {platform}
        nodePools:
          - name: train
            gpu: H100-SXM5-80GB
            nodes: 2
            gpusPerNode: 8
            {_ROOM}
        tenants:
          {tenants.strip()}
    """


def three(*numbers: str) -> str:
    rows = [
        f"- {{name: {name}, namespaces: [{name}], quotas: [{{pool: train, guaranteed: {number}}}]}}"
        for name, number in zip(("red", "green", "blue"), numbers, strict=True)
    ]
    return "\n          ".join(rows)


def hard(outcome: Outcome, namespace: str) -> dict[str, str]:
    """Join what the ResourceQuotas of a namespace hold; no key may stand in two of them."""
    own = [o for o in outcome.objects("ResourceQuota") if o["metadata"]["namespace"] == namespace]
    rows = [row for one in own for row in one["spec"]["hard"].items()]
    assert len(dict(rows)) == len(rows)
    return dict(rows)


def test_a_052_a_hard_cap_counts_requests() -> None:
    outcome = accepted(
        f"""
        platform: {_WITHOUT_QUEUES}
        nodePools:
          - {{name: train, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8, {_ROOM}}}
          - {{name: slices, gpu: A100-SXM4-80GB, nodes: 2, gpusPerNode: 8, {_ROOM},
             sharing: {{mig: {{1g.10gb: 4, 3g.40gb: 1}}, timeSlicing: {{1g.10gb: 2}}}}}}
          - {{name: dev, gpu: A10, nodes: 2, gpusPerNode: 2, {_ROOM}, sharing: {{timeSlicing: 4}}}}
        tenants:
          - name: team
            namespaces: [team]
            quotas:
              - {{pool: train, guaranteed: 4}}
              - {{pool: slices, device: 1g.10gb, guaranteed: 6}}
              - {{pool: slices, device: 3g.40gb, guaranteed: 2}}
          - {{name: lab, namespaces: [lab], quotas: [{{pool: dev, guaranteed: 3}}]}}
        """
    )
    assert hard(outcome, "team") == {
        "requests.nvidia.com/gpu": "4",
        "requests.nvidia.com/mig-1g.10gb.shared": "6",
        "requests.nvidia.com/mig-3g.40gb": "2",
        "requests.nvidia.com/gpu.shared": "0",
    }
    assert hard(outcome, "lab")["requests.nvidia.com/gpu.shared"] == "3"
    assert hard(outcome, "lab")["requests.nvidia.com/gpu"] == "0"


def test_a_053_more_is_guaranteed_than_there_is() -> None:
    finding = refused(cluster(three("6", "6", "«6»")), "GP431").says("18", "16", "2", "train")
    finding.says("red", "green", "blue").helps("4")


def test_a_053_tenants_in_files_of_their_own() -> None:
    files = [
        SourceText(
            f"tenants/{name}.yaml",
            f"apiVersion: gpupolicy.dev/v1alpha1\nkind: GPUTenant\nmetadata: {{name: {name}}}\n"
            f"spec:\n  namespaces: [{name}]\n  quotas:\n"
            "    - pool: train\n      guaranteed: 6\n".encode(),
        )
        for name in ("blue", "green", "red")
    ]
    outcome = compile_text(policy(cluster("").rpartition("tenants:")[0]), *files)
    assert outcome.compiled.bundle is None
    (found,) = outcome.found()
    assert found.code == "GP431"
    assert found.span is not None
    assert (found.span.file, found.span.line, found.span.column) == ("tenants/red.yaml", 8, 19)
    others = [place.span.file for place in found.related if place.span]
    assert others == [FILE, "tenants/blue.yaml", "tenants/green.yaml"]


def test_a_053_an_exact_fit_is_legal() -> None:
    # That nobody can borrow then is a note.
    outcome = accepted(cluster(three("6", "6", "4")), "GP435")
    queues = [cells(one)["train", "nvidia.com/gpu"] for one in outcome.objects("ClusterQueue")]
    assert sorted(int(cell["nominalQuota"]) for cell in queues) == [4, 6, 6]


@pytest.mark.parametrize("number", ["0.5", "2.5"])
def test_a_054_a_part_of_a_gpu(number: str) -> None:
    finding = refused(cluster(three(f"«{number}»", "4", "4")), "GP425").says(number, "red")
    finding.helps("mig", "timeSlicing", "mps")


@pytest.mark.parametrize("number", ["0.5", "1.5"])
def test_a_054_a_part_of_a_gpu_for_a_pod(number: str) -> None:
    tenants = f"""
          - name: red
            namespaces: [red]
            quotas: [{{pool: train, guaranteed: 4}}]
            workloads: [{{name: notebook, pool: train, gpusPerPod: «{number}»}}]
    """
    refused(cluster(tenants), "GP620").says("notebook", number).helps("mig", "timeSlicing", "mps")


def test_a_054_a_whole_number_with_a_point() -> None:
    outcome = accepted(cluster(three("2.0", "4", "4")))
    cell = cells(outcome.named("ClusterQueue", "red"))["train", "nvidia.com/gpu"]
    assert cell["nominalQuota"] == "2"


@pytest.mark.parametrize("key", ["requests", "limits", "defaults", "limitRange"])
def test_a_055_requests_and_limits_are_no_words_of_the_language(key: str) -> None:
    tenants = f"""
          - name: red
            namespaces: [red]
            quotas: [{{pool: train, guaranteed: 4}}]
            workloads: [{{name: notebook, pool: train, «{key}»: {{gpu: 1}}}}]
    """
    refused(cluster(tenants), "GP101").says(key, "notebook")


def test_a_055_nothing_is_filled_in_for_pods() -> None:
    for platform in (PLATFORM, _WITHOUT_QUEUES):
        outcome = compiled(cluster(three("6", "6", "4"), platform))
        assert outcome.objects("LimitRange") == []
        keys = {key for one in outcome.objects("ResourceQuota") for key in one["spec"]["hard"]}
        assert [key for key in keys if key.startswith("limits.")] == []


def elastic(*rows: str) -> str:
    made = [
        f"- {{name: {name}, namespaces: [{name}], quotas: [{{pool: train, {row}}}]}}"
        for name, row in zip(("red", "green"), rows, strict=True)
    ]
    return cluster("\n          ".join(made))


def test_a_056_the_minima_are_more_than_the_pool() -> None:
    spec = elastic("guaranteed: 10, limit: 16", "guaranteed: «8», limit: 16")
    refused(spec, "GP431").says("18", "16", "2", "red", "green")


def test_a_056_the_minima_are_all_of_the_pool() -> None:
    outcome = compiled(elastic("guaranteed: 8, limit: 16", "guaranteed: 8, limit: 16"))
    (said,) = [one for one in outcome.found() if one.code == "GP435"]
    assert "nobody can borrow" in said.message
    assert "train" in said.message
    assert [one.code for one in outcome.found()] == ["GP435"], outcome.shown


def test_a_056_a_minimum_above_the_maximum() -> None:
    spec = elastic("guaranteed: 8, limit: «4»", "guaranteed: 4, limit: 8")
    refused(spec, "GP426").says("red", "8", "4")


def test_a_056_a_minimum_that_is_the_maximum() -> None:
    outcome = accepted(elastic("guaranteed: 8, limit: 8", "guaranteed: 4, limit: 4"))
    cell = cells(outcome.named("ClusterQueue", "red"))["train", "nvidia.com/gpu"]
    assert cell["borrowingLimit"] == "0"


def test_a_056_nothing_is_lent_and_nothing_can_be_borrowed() -> None:
    spec = elastic("guaranteed: 8, lend: 0", "guaranteed: 8, limit: «16»")
    warned(spec, "GP428", "GP435").says("green", "16", "8")
