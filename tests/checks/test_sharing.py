"""Sharing: one way, right numbers, names that mean one thing."""

from __future__ import annotations

import pytest

from gpupolicy.checks import mps_clients
from gpupolicy.checks import overcommits
from gpupolicy.checks import replicas
from gpupolicy.checks import resource_names
from gpupolicy.checks import shared_requests
from gpupolicy.checks import sharing_ways
from gpupolicy.checks import vgpu_types
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import context
from tests.checks.subject import findings

SHARING_CHECKS = (
    sharing_ways.check,
    replicas.check,
    mps_clients.check,
    resource_names.check,
    overcommits.check,
    vgpu_types.check,
    shared_requests.check,
)


def pool(gpu: str, sharing: str, extra: str = "", name: str = "dev") -> str:
    inside = f"name: {name}, gpu: {gpu}, nodes: 2, gpusPerNode: 2, sharing: {sharing}{extra}"
    return f"nodePools:\n- {{{inside}}}\n"


def all_sharing(text: str) -> list[str]:
    subject = context(text)
    return [found.code for check in SHARING_CHECKS for found in check(subject)]


@pytest.mark.parametrize(
    "sharing",
    [
        "{timeSlicing: 4}",
        "{timeSlicing: 4, rename: false, overcommit: 2}",
        "{mps: 4}",
        "{mig: all-balanced}",
        "{mig: {1g.10gb: 2, 3g.40gb: 1}, timeSlicing: {1g.10gb: 2}}",
        "{passthrough: true}",
        "{}",
    ],
)
def test_one_way_of_sharing_is_accepted(sharing: str) -> None:
    assert all_sharing(pool("A100-SXM4-80GB", sharing)) == []


def test_a_027_mps_and_time_slicing_for_the_same_pool() -> None:
    (found,) = findings(sharing_ways.check, pool("A100-SXM4-80GB", "{mps: 4, timeSlicing: 8}"))
    assert found.code == "GP301"
    assert "shared in 2 ways at once: 'timeSlicing' and 'mps'" in found.message
    assert found.path[-1] == "mps"
    assert found.related[0].path[-1] == "timeSlicing"
    assert "would take MPS" in found.notes[0]


@pytest.mark.parametrize(
    "sharing",
    [
        "{mps: 4, vgpu: {A40-12Q: 4}}",
        "{timeSlicing: 4, passthrough: true}",
        "{mig: all-balanced, passthrough: true}",
        "{fractions: true, timeSlicing: 2}",
    ],
)
def test_two_ways_are_a_contradiction(sharing: str) -> None:
    assert codes(findings(sharing_ways.check, pool("A100-SXM4-80GB", sharing))) == ["GP301"]


def test_a_024_mps_on_mig_slices() -> None:
    (found,) = findings(sharing_ways.check, pool("A100-SXM4-80GB", "{mig: all-1g.10gb, mps: 4}"))
    assert (found.code, found.severity) == ("GP307", Severity.ERROR)
    assert "whole GPUs only" in found.message
    assert "timeSlicing: {<profile>: n}" in (found.hint or "")
    assert "smaller slices" in (found.hint or "")


def test_sharing_of_a_cpu_pool() -> None:
    text = "nodePools:\n- {name: cpu, nodes: {count: 2, selector: {a: b}}, sharing: {mps: 4}}\n"
    assert all_sharing(text) == ["GP300"]


@pytest.mark.parametrize("sharing", ["{timeSlicing: 4}", "{mps: 10}", "{mig: all-balanced}"])
def test_a_057_another_vendors_gpus_get_nothing_of_nvidias(sharing: str) -> None:
    gpu = "{name: MI300X, resource: amd.com/gpu, memory: 192Gi}"
    (found,) = findings(sharing_ways.check, pool(gpu, sharing))
    assert found.code == "GP302"
    assert "does not expose 'amd.com/gpu'" in found.message
    assert "leave 'sharing' out" in (found.hint or "")


def test_a_057_two_vendors_are_accepted() -> None:
    text = """
nodePools:
- {name: nvidia, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8}
- {name: amd, gpu: {name: MI300X, resource: amd.com/gpu, memory: 192Gi}, gpusPerNode: 8,
   nodes: {count: 2, selector: {example.com/pool: amd}}}
tenants:
- name: team
  namespaces: [team]
  quotas: [{pool: nvidia, guaranteed: 8}, {pool: amd, guaranteed: 8}]
"""
    assert all_sharing(text) == []
    assert {pool.devices[0].resource for pool in context(text).capacity.pools.values()} == {
        "nvidia.com/gpu",
        "amd.com/gpu",
    }


def test_a_058_intel_cards_shared_by_count_are_refused() -> None:
    gpu = "{name: Flex-140, resource: gpu.intel.com/i915, memory: 12Gi}"
    (found,) = findings(sharing_ways.check, pool(gpu, "{timeSlicing: 10}"))
    assert found.code == "GP302"
    assert "pool 'dev'" in found.message


def test_sharing_where_another_operator_exposes_the_gpus() -> None:
    found = findings(sharing_ways.check, pool("A10", "{timeSlicing: 4}", ", managed: false"))
    assert codes(found) == ["GP302"]


@pytest.mark.parametrize(("sharing", "faults"), [("{timeSlicing: 4}", []), ("{mps: 4}", ["GP302"])])
def test_an_nvidia_gpu_that_the_catalogue_lacks(sharing: str, faults: list[str]) -> None:
    gpu = "{name: RTX-3090, resource: nvidia.com/gpu, memory: 24Gi}"
    assert codes(findings(sharing_ways.check, pool(gpu, sharing))) == faults


@pytest.mark.parametrize("sharing", ["{timeSlicing: 1}", "{mps: 1}"])
def test_a_017_one_replica_is_no_sharing(sharing: str) -> None:
    text = pool("A10", sharing)
    (found,) = findings(replicas.check, text)
    assert (found.code, found.severity) == ("GP306", Severity.WARNING)
    (device,) = context(text).capacity.pools["dev"].devices
    assert (device.resource, device.replicas, device.sharing) == ("nvidia.com/gpu", 1, "none")


@pytest.mark.parametrize("sharing", ["{timeSlicing: 0}", "{timeSlicing: -4}", "{mps: 0}"])
def test_a_017_none_or_a_negative_number(sharing: str) -> None:
    assert codes(findings(replicas.check, pool("A10", sharing))) == ["GP305"]


@pytest.mark.parametrize(("count", "faults"), [(110, []), (111, ["GP312"]), (16384, ["GP312"])])
def test_a_023_an_absurd_number_of_replicas(count: int, faults: list[str]) -> None:
    found = findings(replicas.check, pool("L4", f"{{timeSlicing: {count}}}"))
    assert codes(found) == faults
    for one in found:
        assert one.severity is Severity.WARNING
        assert "a replica carries no memory" in one.message
        assert "a tool made for it" in (one.hint or "")


def test_time_slicing_by_profile_without_mig() -> None:
    found = findings(replicas.check, pool("A10", "{timeSlicing: {1g.10gb: 2}}"))
    assert codes(found) == ["GP303"]


def test_a_number_beside_mig_becomes_a_map() -> None:
    (found,) = findings(replicas.check, pool("A30", "{mig: {2g.12gb: 2}, timeSlicing: 2}"))
    assert found.code == "GP303"
    assert found.hint == "write timeSlicing: {2g.12gb: 2}"
    text = pool("A30", "{mig: {2g.12gb: 2}, timeSlicing: 2}")
    assert codes(findings(sharing_ways.check, text)) == []


def test_time_slicing_of_a_profile_that_the_layout_lacks() -> None:
    text = pool("A100-SXM4-80GB", "{mig: {1g.10gb: 7}, timeSlicing: {1g.20gb: 2}}")
    (found,) = findings(replicas.check, text)
    assert found.code == "GP304"
    assert found.hint == "did you mean '1g.10gb'? the layout has 1g.10gb"


@pytest.mark.parametrize(
    ("gpu", "clients", "most"),
    [("A100-SXM4-80GB", 64, 48), ("A100-SXM4-80GB", 49, 48), ("V100-SXM2-16GB", 32, 16)],
)
def test_a_025_more_clients_than_the_card_holds(gpu: str, clients: int, most: int) -> None:
    (found,) = findings(mps_clients.check, pool(gpu, f"{{mps: {clients}}}"))
    assert found.code == "GP308"
    assert f"{clients} MPS clients are more than the {most} per GPU" in found.message
    assert found.hint == f"at most {most}"


def test_a_025_p100_is_refused_at_most_16() -> None:
    (found,) = findings(mps_clients.check, pool("P100-PCIE-16GB", "{mps: 32}"))
    assert (found.code, found.severity) == ("GP309", Severity.ERROR)
    assert "at most 16 clients of the 32" in found.message


@pytest.mark.parametrize(("gpu", "clients"), [("A100-SXM4-80GB", 48), ("V100-SXM2-16GB", 16)])
def test_a_025_as_many_clients_as_the_card_holds(gpu: str, clients: int) -> None:
    assert all_sharing(pool(gpu, f"{{mps: {clients}}}")) == []


def test_rename_without_replicas() -> None:
    found = findings(resource_names.check, pool("A30", "{mig: all-balanced, rename: false}"))
    assert [(f.code, f.severity) for f in found] == [("GP310", Severity.WARNING)]


TWO_POOLS = """
nodePools:
- {name: whole, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 8}
- {name: dev, gpu: %s, nodes: 1, gpusPerNode: 2, %s}
tenants:
- name: one
  namespaces: [one]
  quotas: [%s]
- {name: two, namespaces: [two], quotas: [{pool: dev, guaranteed: 1}]}
"""
BOTH = "{pool: whole, guaranteed: 1}, {pool: dev, guaranteed: 1}"


@pytest.mark.parametrize(
    ("gpu", "how", "what", "hint"),
    [
        ("A10", "sharing: {timeSlicing: 4, rename: false}", "replicas", "leave 'rename' out"),
        ("A10", "sharing: {mps: 4, rename: false}", "replicas", "leave 'rename' out"),
        ("A10", "managed: false", "what another operator exposes", "to two tenants"),
        ("A30", "sharing: {mig: all-1g.6gb, migStrategy: single}", "slices 1g.6gb", "mixed"),
    ],
)
def test_one_name_with_two_meanings_in_a_tenant(gpu: str, how: str, what: str, hint: str) -> None:
    (found,) = findings(resource_names.check, TWO_POOLS % (gpu, how, BOTH))
    assert (found.code, found.severity) == ("GP311", Severity.ERROR)
    assert found.message == (
        f"tenant 'one': 'nvidia.com/gpu' means whole GPUs on pool 'whole' and {what} on pool 'dev'"
    )
    assert hint in (found.hint or "")


@pytest.mark.parametrize(
    ("how", "quotas"),
    [
        ("sharing: {timeSlicing: 4}", BOTH),
        ("sharing: {mps: 4}", BOTH),
        ("taints: []", BOTH),
        ("sharing: {timeSlicing: 4, rename: false}", "{pool: whole, guaranteed: 1}"),
    ],
)
def test_names_with_one_meaning(how: str, quotas: str) -> None:
    assert findings(resource_names.check, TWO_POOLS % ("A10", how, quotas)) == []


def test_a_resource_name_has_63_characters() -> None:
    gpu = "{name: X, resource: nvidia.com/%s, memory: 24Gi}"
    assert codes(findings(resource_names.check, pool(gpu % ("g" * 53), "{}"))) == ["GP315"]
    assert findings(resource_names.check, pool(gpu % ("g" * 52), "{}")) == []


@pytest.mark.parametrize("written", ["0.5", "0", "50%"])
def test_an_overcommit_below_one(written: str) -> None:
    text = pool("A10", f"{{timeSlicing: 4, overcommit: {written}}}")
    assert codes(findings(overcommits.check, text)) == ["GP313"]


@pytest.mark.parametrize("sharing", ["mps: 4", "mig: all-balanced", "passthrough: true"])
def test_an_overcommit_of_what_is_not_shared(sharing: str) -> None:
    found = findings(overcommits.check, pool("A30", f"{{{sharing}, overcommit: 2}}"))
    assert [(f.code, f.severity) for f in found] == [("GP314", Severity.WARNING)]


REQUEST = """
tenants:
- name: team
  namespaces: [team]
  quotas: [{pool: dev, guaranteed: 2}]
  workloads: [{name: notebook, %s gpusPerPod: %s}]
"""


@pytest.mark.parametrize("where", ["", "pool: dev,"])
@pytest.mark.parametrize(("sharing", "kind"), [("timeSlicing", "replicas"), ("mps", "MPS clients")])
def test_a_020_two_replicas_of_a_shared_gpu(sharing: str, kind: str, where: str) -> None:
    text = pool("A10", f"{{{sharing}: 4}}") + REQUEST % (where, 2)
    (found,) = findings(shared_requests.check, text)
    assert (found.code, found.severity) == ("GP316", Severity.ERROR)
    assert f"asks for 2 {kind} of A10 per pod" in found.message
    assert "neither memory nor compute" in found.message


def test_a_020_one_replica_is_accepted() -> None:
    assert all_sharing(pool("A10", "{timeSlicing: 4}") + REQUEST % ("", 1)) == []


def test_a_020_whole_gpus_may_be_several() -> None:
    assert all_sharing(pool("A10", "{}") + REQUEST % ("", 2)) == []


def test_a_028_too_many_vgpus_for_the_card() -> None:
    (found,) = findings(vgpu_types.check, pool("T4", "{vgpu: {T4-1Q: 17}}"))
    assert (found.code, found.severity) == ("GP332", Severity.ERROR)
    assert "need 17 x 1 GB ('T4-1Q') = 17 GB of 16 GB, over by 1 GB" in found.message
    assert found.hint == "at most 16 of 'T4-1Q'"


def test_a_028_a_type_that_fits_reminds_of_its_licence() -> None:
    (found,) = findings(vgpu_types.check, pool("T4", "{vgpu: {T4-1Q: 16}}"))
    assert (found.code, found.severity) == ("GP333", Severity.WARNING)
    (found,) = findings(vgpu_types.check, pool("A2", "{vgpu: {A2-1B: 4}}"))
    assert (found.code, found.severity) == ("GP333", Severity.WARNING)
    assert "NVIDIA vPC for series B" in found.message


def test_a_vgpu_type_of_another_card() -> None:
    (found,) = findings(vgpu_types.check, pool("T4", "{vgpu: {A40-12Q: 1}}"))
    assert found.code == "GP330"
    assert "is for A40, and the pool has T4" in found.message


@pytest.mark.parametrize("name", ["T4", "T4-Q", "XYZ9-4Q"])
def test_a_vgpu_type_that_cannot_be_read(name: str) -> None:
    found = findings(vgpu_types.check, pool("T4", f"{{vgpu: {{{name}: 1}}}}"))
    assert found[0].code == "GP331"
    assert found[0].severity is Severity.WARNING


@pytest.mark.parametrize(("count", "found"), [("7500", ["GP312"]), ("7501", ["GP305"])])
def test_replicas_beyond_what_the_kubelet_takes(count: str, found: list[str]) -> None:
    pool = f"{{name: p, gpu: A10, nodes: 1, gpusPerNode: 8, sharing: {{timeSlicing: {count}}}}}"
    assert codes(findings(replicas.check, f"nodePools: [{pool}]")) == found


@pytest.mark.parametrize(
    ("sharing", "room", "faults"),
    [
        ("{timeSlicing: 20}", "", []),
        ("{timeSlicing: 20}", "allocatable: {pods: 160}, ", []),
        ("{timeSlicing: 20}", "allocatable: {pods: 159}, ", ["GP312"]),
        ("{mps: 20}", "allocatable: {pods: 50}, ", ["GP312"]),
        ("{timeSlicing: 120}", "allocatable: {pods: 1000}, ", []),
        ("{timeSlicing: 120}", "allocatable: {pods: 100}, ", ["GP312"]),
    ],
)
def test_replicas_of_a_node_and_the_pods_it_is_said_to_run(
    sharing: str, room: str, faults: list[str]
) -> None:
    per_node = 8 if "120" not in sharing else 1
    pool = f"name: p, gpu: A10, nodes: 1, gpusPerNode: {per_node}, {room}sharing: {sharing}"
    assert codes(findings(replicas.check, f"nodePools: [{{{pool}}}]")) == faults
