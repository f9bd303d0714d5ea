"""Cells, spare and shares: the numbers of the worked example, and the laws behind them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.plan.policies import cell
from tests.plan.policies import example
from tests.plan.policies import numbers
from tests.plan.policies import plan_of
from tests.plan.policies import small

GI = 1024
H100 = """
  - {name: train, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8,
     allocatable: {cpu: "180", memory: 1900Gi}}
"""


@pytest.fixture(scope="module")
def plan():
    return plan_of(example())


def test_devices_of_the_example(plan):
    offered = {
        (pool.name, device.name): (
            device.resource,
            device.total,
            device.cap,
            pool.quota_nodes * device.per_node,
        )
        for pool in plan.pools
        for device in pool.devices
    }
    assert offered == {
        ("train", "gpu"): ("nvidia.com/gpu", 128, 120, 128),
        ("infer", "1g.10gb"): ("nvidia.com/mig-1g.10gb.shared", 128, 128, 128),
        ("infer", "2g.20gb"): ("nvidia.com/mig-2g.20gb", 32, 32, 32),
        ("infer", "3g.40gb"): ("nvidia.com/mig-3g.40gb", 32, 32, 32),
        ("dev", "gpu"): ("nvidia.com/gpu.shared", 32, 32, 32),
    }


def test_shares_of_the_example(plan):
    share = {(p.name, d.name): dict(d.share) for p in plan.pools for d in p.devices}
    assert share["train", "gpu"] == {"cpu": 22500, "memory": Fraction(2375 * GI, 10), "rdma/ib": 1}
    assert share["infer", "1g.10gb"]["cpu"] == Fraction(9375, 10)
    assert share["infer", "2g.20gb"]["memory"] == Fraction(28125 * GI, 1000)
    assert share["infer", "3g.40gb"]["cpu"] == 7500
    assert share["dev", "gpu"]["memory"] == 30 * GI


def test_cells_of_a_queue(plan):
    product = plan.tenant("product")
    assert product.resources == (
        "cpu",
        "memory",
        "rdma/ib",
        "nvidia.com/gpu",
        "nvidia.com/mig-1g.10gb.shared",
        "nvidia.com/mig-2g.20gb",
    )
    assert numbers(product.pools, "infer") == {
        "cpu": (150_000, None, None),
        "memory": (1125 * GI, None, None),
        "rdma/ib": (0, 0, None),
        "nvidia.com/gpu": (0, 0, None),
        "nvidia.com/mig-1g.10gb.shared": (64, None, None),
        "nvidia.com/mig-2g.20gb": (24, 32, None),
    }


def test_lending_and_limits_carry_to_what_goes_with_the_devices(plan):
    assert numbers(plan.tenant("algorithm").pools, "train") == {
        "cpu": (1_440_000, 2_160_000, 720_000),
        "memory": (15200 * GI, 22800 * GI, 7600 * GI),
        "rdma/ib": (64, 96, 32),
        "nvidia.com/gpu": (64, 96, 32),
        "nvidia.com/gpu.shared": (0, 0, None),
        "nvidia.com/mig-3g.40gb": (0, 0, None),
    }


def test_cpu_pools_come_first_then_the_order_written(plan):
    assert [row.pool for row in plan.tenant("algorithm").pools] == ["cpu", "train", "infer", "dev"]


def test_a_parents_buffer_is_what_its_children_leave(plan):
    research = plan.tenant("research")
    assert cell(research.pools, "train", "nvidia.com/gpu").guaranteed == 64
    assert cell(research.own, "train", "nvidia.com/gpu").guaranteed == 0


@pytest.mark.parametrize(
    ("pool", "resource", "amount"),
    [
        ("train", "nvidia.com/gpu", 8),
        ("train", "cpu", 180_000),
        ("train", "rdma/ib", 8),
        ("infer", "nvidia.com/mig-1g.10gb.shared", 64),
        ("infer", "nvidia.com/mig-2g.20gb", 8),
        ("infer", "nvidia.com/mig-3g.40gb", 16),
        ("infer", "cpu", 210_000),
        ("infer", "memory", 1575 * GI),
        ("dev", "nvidia.com/gpu.shared", 28),
        ("dev", "memory", 840 * GI),
        ("cpu", "cpu", 400_000),
        ("cpu", "memory", 1600 * GI),
    ],
)
def test_spare_of_the_example(plan, pool, resource, amount):
    assert cell(plan.spare, pool, resource).guaranteed == amount


def test_the_reserve_is_kept_idle_where_kueue_does_not_place():
    text = example().replace(
        'kueue: {version: "0.19"}', 'kueue: {version: "0.19"}\n    volcano: {version: "1.15"}'
    )
    plan = plan_of(text)
    assert plan.gang_holder == "volcano"
    assert plan.pool("train").quota_nodes == 15
    assert cell(plan.spare, "train", "nvidia.com/gpu").guaranteed == 0
    assert cell(plan.spare, "train", "cpu").guaranteed == 0


def test_a_042_quota_is_a_total_not_per_node():
    pools = """
  - {name: a, gpu: A100-SXM4-80GB, nodes: 2, gpusPerNode: 8}
  - {name: b, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 4}
"""
    tenants = """
  - {name: t, namespaces: [t], quotas: [{pool: a, guaranteed: 100%}, {pool: b, guaranteed: 100%}]}
"""
    tenant = plan_of(small(pools, tenants)).tenant("t")
    assert cell(tenant.pools, "a", "nvidia.com/gpu").guaranteed == 16
    assert cell(tenant.pools, "b", "nvidia.com/gpu").guaranteed == 4


def test_a_045_cpu_is_counted_in_cores_not_in_nodes():
    pools = """
  - {name: big, gpu: A100-SXM4-80GB, nodes: 1024, gpusPerNode: 8,
     allocatable: {cpu: "32", memory: 64Gi, rdma/ib: 2}}
"""
    tenants = "  - {name: t, namespaces: [t], quotas: [{pool: big, guaranteed: 100%}]}"
    cells = plan_of(small(pools, tenants)).tenant("t").pools
    assert cell(cells, "big", "cpu").guaranteed == 32_768_000
    assert cell(cells, "big", "memory").guaranteed == 65_536 * GI
    assert cell(cells, "big", "rdma/ib").guaranteed == 2048
    assert cell(cells, "big", "nvidia.com/gpu").guaranteed == 8192


def test_a_pool_without_allocatable_limits_nothing():
    pools = "  - {name: a, gpu: A10, nodes: 1, gpusPerNode: 2}"
    tenants = "  - {name: t, namespaces: [t], quotas: [{pool: a, guaranteed: 1}]}"
    plan = plan_of(small(pools, tenants))
    cpu = cell(plan.tenant("t").pools, "a", "cpu")
    assert (cpu.bound, cpu.limit, cpu.lend) == (False, cpu.guaranteed, 0)
    assert cell(plan.spare, "a", "cpu").guaranteed == 0


def test_own_cpu_replaces_the_share_of_the_guarantee_only():
    tenants = """
  - {name: t, namespaces: [t],
     quotas: [{pool: train, guaranteed: 8, limit: 16, lend: 4, cpu: "100"}]}
"""
    cells = numbers(plan_of(small(H100, tenants)).tenant("t").pools, "train")
    # 8 borrowed devices bring 8 x 22.5 cpu; half of the guarantee is lent, and half of the cpu.
    assert cells["cpu"] == (100_000, 100_000 + 180_000, 50_000)
    assert cells["memory"] == (1900 * GI, 3800 * GI, 950 * GI)


def test_a_budget_without_a_number_is_the_sum_of_its_children():
    tenants = """
  - {name: org, quotas: [{pool: train, limit: 30}]}
  - {name: x, parent: org, namespaces: [x], quotas: [{pool: train, guaranteed: 10}]}
  - {name: y, parent: org, namespaces: [y], quotas: [{pool: train, guaranteed: 6}]}
"""
    plan = plan_of(small(H100, tenants))
    org = plan.tenant("org")
    assert org.lines[0].guaranteed == 16
    assert numbers(org.own, "train")["nvidia.com/gpu"] == (0, 30, None)
    assert cell(plan.spare, "train", "nvidia.com/gpu").guaranteed == 16


def test_a_grandparent_sees_what_a_parent_without_a_line_passes_on():
    tenants = """
  - {name: top, quotas: [{pool: train}]}
  - {name: mid, parent: top}
  - {name: leaf, parent: mid, namespaces: [leaf], quotas: [{pool: train, guaranteed: 5}]}
"""
    plan = plan_of(small(H100, tenants))
    assert plan.tenant("top").lines[0].guaranteed == 5
    assert cell(plan.tenant("top").own, "train", "nvidia.com/gpu").guaranteed == 0
    assert cell(plan.spare, "train", "nvidia.com/gpu").guaranteed == 27


def test_devices_that_nobody_may_use_are_no_spare():
    pools = """
  - {name: m, gpu: A100-SXM4-80GB, nodes: 1, gpusPerNode: 1, allocatable: {cpu: "80"},
     sharing: {mig: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}}}
"""
    tenants = "  - {name: t, namespaces: [t], quotas: [{pool: m, device: 3g.40gb, guaranteed: 0}]}"
    plan = plan_of(small(pools, tenants))
    assert plan.spare_resources == ("cpu", "memory", "nvidia.com/mig-3g.40gb")
    # The 3g slice has 4 of the 8 memory slices in use, and with them half of the cpu.
    assert cell(plan.spare, "m", "cpu").guaranteed == 40_000


def test_denied_are_the_accelerators_without_a_quota_line(plan):
    assert plan.tenant("product").denied == ("nvidia.com/gpu.shared", "nvidia.com/mig-3g.40gb")
