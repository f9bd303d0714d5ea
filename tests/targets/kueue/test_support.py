"""What Kueue cannot say is said by us."""

from __future__ import annotations

from gpupolicy.targets import kueue
from tests.plan.policies import plan_of
from tests.plan.policies import small

H100 = "  - {name: train, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}"
TENANT = "  - {name: t, namespaces: [t], quotas: [{pool: train, guaranteed: 8}]}"


def codes(plan) -> list[str]:
    return [found.code for found in kueue.unsupported(plan)]


def test_silent_on_a_plain_policy():
    assert codes(plan_of(small(H100, TENANT))) == []


def test_autoscaled_pool_where_kueue_places():
    pools = H100.replace("nodes: 4", "nodes: {min: 1, max: 4}")
    assert codes(plan_of(small(pools, TENANT))) == ["GP520"]
    assert codes(plan_of(small(pools, TENANT, more="scheduling: {gang: none}"))) == []


def test_weights_where_fair_sharing_is_off():
    tenant = TENANT.replace("namespaces", "weight: 3, namespaces")
    assert codes(plan_of(small(H100, tenant, 'kueue: {version: "0.16"}'))) == ["GP524"]
    assert codes(plan_of(small(H100, tenant, 'kueue: {version: "0.17"}'))) == []


def test_queues_above_the_limits():
    pools = "\n".join(
        f"  - {{name: p{n}, gpu: A10, nodes: {{count: 1, names: [n{n}]}}, gpusPerNode: 1}}"
        for n in range(65)
    )
    quotas = ", ".join(f"{{pool: p{n}, guaranteed: 1}}" for n in range(65))
    tenant = f"  - {{name: t, namespaces: [t], quotas: [{quotas}]}}"
    assert codes(plan_of(small(pools, tenant))) == ["GP521", "GP521"]
    quotas = ", ".join(f"{{pool: p{n}, guaranteed: 1}}" for n in range(64))
    tenant = f"  - {{name: t, namespaces: [t], quotas: [{quotas}]}}"
    assert codes(plan_of(small(pools, tenant))) == []
    assert codes(plan_of(small(pools, tenant, 'kueue: {version: "0.13"}'))) == ["GP521", "GP521"]
