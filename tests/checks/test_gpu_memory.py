"""Device memory: one workload on one device, and all that can meet on a shared GPU."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from gpupolicy.capacity.gpu_memory import memory_of
from gpupolicy.checks import device_memory
from gpupolicy.checks import shared_memory
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import context
from tests.checks.subject import findings


def policy(gpu: str, sharing: str, workloads: str, quota: str = "guaranteed: 4") -> str:
    return f"""
nodePools:
- {{name: dev, gpu: {gpu}, nodes: 2, gpusPerNode: 2, sharing: {sharing}}}
tenants:
- name: team
  namespaces: [team]
  quotas: [{{pool: dev, {quota}}}]
  workloads: [{workloads}]
"""


def one(memory: str, extra: str = "") -> str:
    return f"{{name: job, pool: dev, gpuMemory: {memory}{extra}}}"


def test_a_whole_gpu_gives_less_than_its_nominal_size() -> None:
    (found,) = findings(device_memory.check, policy("H100-SXM5-80GB", "{}", one("80Gi")))
    assert found.code == "GP320"
    subject = context(policy("H100-SXM5-80GB", "{}", one("80Gi")))
    pool = subject.capacity.pools["dev"]
    memory = memory_of(pool, pool.devices[0], subject.facts)
    left = memory.usable - memory.context
    assert memory.total == 81559
    assert "needs 80Gi (81920 MiB) per device" in found.message
    assert f"leaves it {left} MiB (81559 - {memory.reserve} for the driver" in found.message
    assert f"over by {81920 - left} MiB" in found.message
    assert (found.hint or "").startswith(f"at most {left}Mi here")


def test_exactly_what_is_left_is_accepted() -> None:
    subject = context(policy("H100-SXM5-80GB", "{}", one("1Gi")))
    pool = subject.capacity.pools["dev"]
    memory = memory_of(pool, pool.devices[0], subject.facts)
    left = memory.usable - memory.context
    assert findings(device_memory.check, policy("H100-SXM5-80GB", "{}", one(f"{left}Mi"))) == []
    over = policy("H100-SXM5-80GB", "{}", one(f"{left + 1}Mi"))
    assert codes(findings(device_memory.check, over)) == ["GP320"]


def test_a_slice_has_the_memory_of_its_profile() -> None:
    text = policy("A100-SXM4-80GB", "{mig: {2g.20gb: 3}}", one("20Gi"), "guaranteed: 6")
    (found,) = findings(device_memory.check, text)
    assert "one 2g.20gb of A100-SXM4-80GB of pool 'dev' leaves it" in found.message
    assert found.related[0].path[-1] == "mig"
    assert any("not confirmed: the" in note for note in found.notes)
    text = policy("A100-SXM4-80GB", "{mig: {2g.20gb: 3}}", one("17Gi"), "guaranteed: 6")
    assert findings(device_memory.check, text) == []


def test_a_larger_device_of_the_policy_is_named() -> None:
    text = policy("A10", "{}", one("40Gi")).replace(
        "nodePools:\n", "nodePools:\n- {name: big, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 8}\n"
    )
    (found,) = findings(device_memory.check, text)
    assert "pool 'big' (H100-SXM5-80GB) has enough" in (found.hint or "")


def test_without_a_pool_the_only_one_is_compared() -> None:
    text = policy("A10", "{}", "{name: job, gpuMemory: 40Gi}")
    assert codes(findings(device_memory.check, text)) == ["GP320"]


def test_a_described_gpu_has_what_is_written() -> None:
    gpu = "{name: MI300X, resource: amd.com/gpu, memory: 192Gi}"
    assert findings(device_memory.check, policy(gpu, "{}", one("192Gi"))) == []
    (found,) = findings(device_memory.check, policy(gpu, "{}", one("193Gi")))
    assert "leaves it 196608 MiB, over by 1024 MiB" in found.message


def test_a_card_of_unknown_memory_is_said_once() -> None:
    text = policy("Jetson-Thor", "{}", one("8Gi") + ", {name: other, gpuMemory: 8Gi}")
    found = findings(device_memory.check, text)
    assert [(f.code, f.severity) for f in found] == [("GP324", Severity.WARNING)]


@pytest.mark.parametrize(
    ("need", "mib", "hint"),
    [
        ("6G", 5723, "at most 8 clients per GPU, 5758 MiB each; if 6Gi is meant, at most 7"),
        ("6Gi", 6144, "at most 7 clients per GPU, 6581 MiB each; if 6G is meant, at most 8"),
    ],
)
def test_a_026_what_an_mps_client_gets(need: str, mib: int, hint: str) -> None:
    (found,) = findings(device_memory.check, policy("L40S", "{mps: 10}", one(need)))
    assert (found.code, found.severity) == ("GP321", Severity.ERROR)
    assert f"needs {need} ({mib} MiB)" in found.message
    assert (
        "each of the 10 MPS clients on one L40S of pool 'dev' is held to 4606 MiB (46068 / 10)"
        in found.message
    )
    assert found.hint == hint


@pytest.mark.parametrize(("clients", "need"), [(8, "6G"), (7, "6Gi"), (10, "4606Mi")])
def test_a_026_the_count_that_works_is_accepted(clients: int, need: str) -> None:
    found = findings(device_memory.check, policy("L40S", f"{{mps: {clients}}}", one(need)))
    assert all(f.severity is Severity.NOTE for f in found)


def test_mps_at_the_limit_of_the_card_is_a_note() -> None:
    (found,) = findings(device_memory.check, policy("L40S", "{mps: 8}", one("6G")))
    assert found.code == "GP326"
    assert "8 clients at 5723 MiB take 45784 MiB" in found.message
    assert findings(device_memory.check, policy("L40S", "{mps: 8}", one("5G"))) == []


def test_a_021_eight_pods_of_4_gib_on_a_time_sliced_t4() -> None:
    text = policy("T4", "{timeSlicing: 8}", one("4Gi", ", pods: 8"), "guaranteed: 16")
    (found,) = findings(shared_memory.check, text)
    assert (found.code, found.severity) == ("GP322", Severity.ERROR)
    assert "time-slicing gives no memory isolation" in found.message
    assert "8 pods can meet on one T4: 8 x 4096 MiB ('job') + 8 x 128 MiB" in found.message
    assert "= 33792 MiB" in found.message
    assert "(15360 - 451 for the driver)" in found.message
    assert "3 of these pods fit: write timeSlicing: 3" in (found.hint or "")
    assert "by mps (at most 3 clients); or accept the risk with overcommit: 2.3" in (
        found.hint or ""
    )


@pytest.mark.parametrize(
    ("sharing", "fits"),
    [("{timeSlicing: 4}", 2), ("{timeSlicing: 4, overcommit: 1.5}", 3)],
)
def test_the_pods_that_fit_are_counted_with_the_overcommit(sharing: str, fits: int) -> None:
    workload = one("8Gi", ", pods: 4")
    (found,) = findings(shared_memory.check, policy("A10", sharing, workload))
    assert (found.hint or "").startswith(f"{fits} of these pods fit: write timeSlicing: {fits}")
    for way in (sharing.replace("timeSlicing: 4", f"timeSlicing: {fits}"), "{mps: 2}"):
        text = policy("A10", way, workload)
        assert findings(shared_memory.check, text) + findings(device_memory.check, text) == []


def test_mps_is_no_way_for_pods_larger_than_half_a_card() -> None:
    text = policy("A10", "{timeSlicing: 2}", one("12Gi", ", pods: 4"))
    (found,) = findings(shared_memory.check, text)
    assert "mps" not in (found.hint or "")


@pytest.mark.parametrize(
    ("sharing", "pods"),
    [
        ("{timeSlicing: 3}", 8),
        ("{timeSlicing: 8}", 3),
        ("{timeSlicing: 8, overcommit: 2.3}", 8),
    ],
)
def test_a_021_what_fits_or_is_accepted(sharing: str, pods: int) -> None:
    text = policy("T4", sharing, one("4Gi", f", pods: {pods}"), "guaranteed: 6")
    assert findings(shared_memory.check, text) == []


def test_a_021_an_overcommit_is_a_bound() -> None:
    sharing = "{timeSlicing: 8, overcommit: 2}"
    text = policy("T4", sharing, one("4Gi", ", pods: 8"), "guaranteed: 16")
    (found,) = findings(shared_memory.check, text)
    assert "usable 29818 MiB (14909 x overcommit 2), over by 3974 MiB" in found.message


def test_a_limit_keeps_pods_apart() -> None:
    loads = one("4Gi", ", pods: 8")
    text = policy("T4", "{timeSlicing: 8}", loads, "guaranteed: 2, limit: 3")
    assert findings(shared_memory.check, text) == []
    text = policy("T4", "{timeSlicing: 8}", loads, "guaranteed: 2, limit: 4")
    assert codes(findings(shared_memory.check, text)) == ["GP322"]


def test_a_parents_limit_holds_its_children_together() -> None:
    text = """
nodePools: [{name: dev, gpu: T4, nodes: 2, gpusPerNode: 2, sharing: {timeSlicing: 8}}]
tenants:
- {name: top, quotas: [{pool: dev, guaranteed: 2, limit: %d}]}
- name: a
  parent: top
  namespaces: [a]
  quotas: [{pool: dev, guaranteed: 1}]
  workloads: [{name: job, pool: dev, pods: 2, gpuMemory: 4Gi}]
- name: b
  parent: top
  namespaces: [b]
  quotas: [{pool: dev, guaranteed: 1}]
  workloads: [{name: job, pool: dev, pods: 2, gpuMemory: 4Gi}]
"""
    assert findings(shared_memory.check, text % 3) == []
    assert codes(findings(shared_memory.check, text % 4)) == ["GP322"]


def test_time_sliced_slices_are_compared_one_by_one() -> None:
    sharing = "{mig: {1g.10gb: 2, 3g.40gb: 1}, timeSlicing: {1g.10gb: 2}}"
    loads = "{name: job, pool: dev, device: 1g.10gb, pods: 4, gpuMemory: 6Gi}"
    text = policy("H100-SXM5-80GB", sharing, loads, "device: 1g.10gb, guaranteed: 8")
    (found,) = findings(shared_memory.check, text)
    assert "2 pods can meet on one 1g.10gb of H100-SXM5-80GB" in found.message
    assert "only 1 of these pods fits: leave timeSlicing out" in (found.hint or "")
    assert "mps" not in (found.hint or "")
    assert findings(shared_memory.check, text.replace("6Gi", "4Gi")) == []


def test_what_exceeds_the_card_alone_is_said_alone() -> None:
    text = policy("T4", "{timeSlicing: 4}", one("20Gi", ", pods: 4"))
    assert findings(shared_memory.check, text) == []
    assert codes(findings(device_memory.check, text)) == ["GP320"]


def test_a_contradiction_is_not_also_a_matter_of_memory() -> None:
    text = policy("T4", "{timeSlicing: 8, mps: 8}", one("4Gi", ", pods: 8"))
    assert findings(shared_memory.check, text) == []
    assert findings(device_memory.check, text) == []


def test_fractions_meet_on_a_gpu() -> None:
    loads = "{name: a, pool: dev, pods: 4, gpusPerPod: 0.25, gpuMemory: 8Gi}"
    (found,) = findings(shared_memory.check, policy("A10", "{fractions: true}", loads))
    assert found.code == "GP323"
    assert "4 pods can meet on one A10: 4 x 8192 MiB ('a')" in found.message
    assert (
        findings(
            shared_memory.check, policy("A10", "{fractions: true}", loads.replace("8Gi", "5Gi"))
        )
        == []
    )


def test_huge_numbers_cost_nothing() -> None:
    text = policy("T4", "{timeSlicing: 1000000000}", one("1Gi", ", pods: 1000000000"))
    assert codes(findings(shared_memory.check, text)) == ["GP322"]


needs = st.lists(
    st.tuples(st.integers(1, 9), st.integers(1, 3), st.sampled_from("ab")), min_size=1, max_size=4
)


@settings(max_examples=60, deadline=None)
@given(needs, st.integers(2, 6), st.integers(0, 4), st.integers(0, 4))
def test_the_worst_mix_is_that_of_brute_force(
    loads: list[tuple[int, int, str]], replicas: int, limit_a: int, limit_b: int
) -> None:
    limits = {"a": limit_a, "b": limit_b}
    tenants = ""
    for tenant, limit in limits.items():
        works = ", ".join(
            f"{{name: w{i}, pool: dev, pods: {pods}, gpuMemory: {gib}Gi}}"
            for i, (gib, pods, owner) in enumerate(loads)
            if owner == tenant
        )
        tenants += (
            f"- {{name: {tenant}, namespaces: [{tenant}], "
            f"quotas: [{{pool: dev, guaranteed: 0, limit: {limit}}}], workloads: [{works}]}}\n"
        )
    text = (
        f"nodePools: [{{name: dev, gpu: A10, nodes: 4, gpusPerNode: 4, "
        f"sharing: {{timeSlicing: {replicas}}}}}]\ntenants:\n{tenants}"
    )
    pods = [(gib, owner) for gib, count, owner in loads for _ in range(count)]
    subject = context(text)
    pool = subject.capacity.pools["dev"]
    memory = memory_of(pool, pool.devices[0], subject.facts)
    worst = 0
    for size in range(1, min(replicas, len(pods)) + 1):
        for mix in combinations(pods, size):
            if all(sum(o == t for _, o in mix) <= limit for t, limit in limits.items()):
                worst = max(worst, sum(gib * 1024 for gib, _ in mix) + size * memory.context)
    found = list(shared_memory.check(subject))
    assert bool(found) == (worst > memory.usable)
    if found:
        assert f"= {worst} MiB" in found[0].message
