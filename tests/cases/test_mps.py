"""MPS: whole GPUs, how many clients a card holds, and how much memory each gets."""

from __future__ import annotations

import pytest

from gpupolicy.cli import summary
from tests.cases.outcome import accepted
from tests.cases.outcome import plugin_configs
from tests.cases.outcome import refused


def pool(gpu: str, sharing: str) -> str:
    return f"""
        nodePools:
          - {{name: shared, gpu: {gpu}, nodes: 2, gpusPerNode: 4, sharing: {sharing}}}
    """


def client(gpu: str, clients: str, memory: str) -> str:
    return f"""
        nodePools:
          - name: shared
            gpu: {gpu}
            nodes: 2
            gpusPerNode: 4
            allocatable: {{cpu: "60", memory: 240Gi, ephemeral-storage: 1Ti}}
            sharing: {{mps: {clients}}}
        tenants:
          - name: team
            namespaces: [team]
            quotas: [{{pool: shared, guaranteed: 100%}}]
            workloads:
              - {{name: infer, kind: Deployment, pool: shared, pods: 2, gpuMemory: {memory}}}
    """


def test_a_024_mps_on_slices() -> None:
    finding = refused(pool("A100-SXM4-80GB", "{mig: {1g.10gb: 7}, «mps»: 4}"), "GP307")
    finding.says("shared").explains("whole GPUs")
    finding.helps("timeSlicing", "smaller")


def test_a_025_more_clients_than_an_a100_holds() -> None:
    finding = refused(pool("A100-SXM4-40GB", "{mps: «64»}"), "GP308")
    finding.says("shared", "A100-SXM4-40GB", "64", "48").helps("48")


def test_a_025_more_clients_than_a_v100_holds() -> None:
    finding = refused(pool("V100-SXM2-32GB", "{mps: «32»}"), "GP308")
    finding.says("shared", "V100-SXM2-32GB", "32", "16").helps("16")


@pytest.mark.parametrize("clients", ["32", "16"])
def test_a_025_a_card_that_cannot_hold_clients_to_their_memory(clients: str) -> None:
    # The plugin lets 16 clients on such a card; the memory of each is limited from Volta on.
    finding = refused(pool("P100-PCIE-16GB", f"{{«mps»: {clients}}}"), "GP309")
    finding.says("shared", "P100-PCIE-16GB").helps("timeSlicing")


@pytest.mark.parametrize(("gpu", "most"), [("A100-SXM4-40GB", 48), ("V100-SXM2-32GB", 16)])
def test_a_025_as_many_clients_as_the_card_holds(gpu: str, most: int) -> None:
    configs = plugin_configs(accepted(pool(gpu, f"{{mps: {most}}}")))
    ways = [one["sharing"] for one in configs.values() if "sharing" in one]
    assert [way["mps"]["resources"][0]["replicas"] for way in ways] == [most]


@pytest.mark.parametrize(("memory", "most"), [("6G", "8"), ("6Gi", "7")])
def test_a_026_a_client_gets_less_than_it_needs(memory: str, most: str) -> None:
    finding = refused(client("L40S", "10", f"«{memory}»"), "GP321")
    finding.says("infer", "shared", "L40S", "10", "4606 MiB").helps(most)


@pytest.mark.parametrize(("memory", "clients"), [("6G", "8"), ("6Gi", "7"), ("4606Mi", "10")])
def test_a_026_the_numbers_that_a_refusal_names_work(memory: str, clients: str) -> None:
    # What a process itself takes on the card is in another finding, a note.
    accepted(client("L40S", clients, memory), "GP435", "GP326", "GP519")


def test_a_026_the_summary_shows_what_a_client_gets() -> None:
    outcome = accepted(client("L40S", "10", "4Gi"), "GP435", "GP326", "GP519")
    assert outcome.compiled.plan is not None
    head, row = summary.pools(outcome.compiled.plan).splitlines()
    assert "L40S" in row
    assert row[: head.index("MIB EACH") + len("MIB EACH")].split()[-1] == "4606"


def test_a_027_both_ways_of_sharing() -> None:
    finding = refused(pool("L40S", "{«mps»: 4, timeSlicing: 8}"), "GP301")
    finding.says("shared", "mps", "timeSlicing").helps("one")
    finding.explains("MPS and ignore time-slicing")
