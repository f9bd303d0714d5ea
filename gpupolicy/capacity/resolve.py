"""Policy + facts -> `Capacity`: every reference followed, every percentage a number.

What cannot be resolved is left out and marked, never raised: the checks say what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import floor

from gpupolicy import quantity
from gpupolicy.capacity import devices
from gpupolicy.capacity import layouts
from gpupolicy.capacity import placement
from gpupolicy.capacity.domains import domains
from gpupolicy.capacity.domains import level_of
from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import GroupLayout
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.model import PoolGpu
from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.diagnostics.model import Path
from gpupolicy.facts.catalog import Facts
from gpupolicy.spec.v1alpha1.number_types import Percent
from gpupolicy.spec.v1alpha1.number_types import Quantity
from gpupolicy.spec.v1alpha1.policy import Policy
from gpupolicy.spec.v1alpha1.pools import NodePool
from gpupolicy.spec.v1alpha1.tenants import Quota
from gpupolicy.spec.v1alpha1.tenants import Tenant

MIB = 1024 * 1024


def resolve(policy: Policy, facts: Facts) -> Capacity:
    """Resolve all pools and tenants. Never raises for a validated policy."""
    pools: dict[str, PoolCapacity] = {}
    for index, pool in enumerate(policy.spec.node_pools):
        pools.setdefault(pool.name, _pool(pool, ("spec", "nodePools", index), facts))
    return Capacity(pools, _tenants(policy.spec.tenants, pools))


def in_base_units(resource: str, amount: Quantity) -> int:
    """Count a resource, rounded down: cpu in millicores, bytes in MiB, others in pieces."""
    if resource == "cpu":
        return floor(amount.value * 1000)
    return floor(amount.value / MIB) if quantity.is_bytes(resource) else floor(amount.value)


def _pool(pool: NodePool, path: Path, facts: Facts) -> PoolCapacity:
    nodes = _first(pool.nodes.max, pool.nodes.count, len(pool.nodes.names or ()))
    least = _first(pool.nodes.min, nodes)
    # Numbers that contradict each other are said elsewhere; here the larger one leaves it at that.
    nodes = max(nodes, least)
    g = pool.gpus_per_node or 0
    reserve = _reserve(pool, nodes)
    allocatable = {r: in_base_units(r, q) for r, q in pool.allocatable.items()}
    gpu = _gpu(pool, facts)
    groups = _layouts(pool, gpu, path)
    broken = (pool.gpu is not None and gpu is None) or _is_broken(gpu, groups, pool)
    offered = (
        devices.devices(pool, gpu, groups, nodes, reserve, allocatable)
        if gpu and not broken
        else ()
    )
    return PoolCapacity(
        pool, path, gpu, nodes, least, g, reserve, groups, offered, allocatable, broken
    )


def _first(*values: int | None) -> int:
    return next((max(value, 0) for value in values if value is not None), 0)


def _reserve(pool: NodePool, nodes: int) -> int:
    if pool.reserve is None:
        return 0
    each = max(pool.reserve.nodes, 0)
    return min(each * domains(nodes, level_of(pool, pool.reserve.per)), nodes)


def _gpu(pool: NodePool, facts: Facts) -> PoolGpu | None:
    if pool.gpu is None:
        return None
    written = pool.gpu
    if written.resource is not None or written.memory is not None:
        memory = floor(written.memory.value / MIB) if written.memory else 0
        return PoolGpu(written.name, written.resource or "nvidia.com/gpu", memory, None)
    model = facts.find(written.name).model()
    return PoolGpu(model.display, "nvidia.com/gpu", model.memory_mib, model) if model else None


def _layouts(pool: NodePool, gpu: PoolGpu | None, path: Path) -> tuple[GroupLayout, ...]:
    if pool.sharing is None or pool.sharing.mig is None or gpu is None or gpu.model is None:
        return ()
    if gpu.model.mig is None:
        return ()
    where = (*path, "sharing", "mig")
    return layouts.expand(gpu.model.mig, pool.sharing.mig, pool.gpus_per_node or 0, where)


def _is_broken(gpu: PoolGpu | None, groups: tuple[GroupLayout, ...], pool: NodePool) -> bool:
    if pool.sharing is None or pool.sharing.mig is None:
        return False
    mig = gpu.model.mig if gpu and gpu.model else None
    if mig is None:
        return True
    return any(group.unknown or not placement.feasible(mig, group.profiles) for group in groups)


def _tenants(tenants: list[Tenant], pools: Mapping[str, PoolCapacity]) -> dict[str, TenantCapacity]:
    children: dict[str, list[str]] = {}
    for tenant in tenants:
        if tenant.parent is not None:
            children.setdefault(tenant.parent, []).append(tenant.name)
    resolved: dict[str, TenantCapacity] = {}
    for index, tenant in enumerate(tenants):
        path: Path = ("spec", "tenants", index)
        lines = [
            line
            for at, quota in enumerate(tenant.quotas)
            if (line := _line(quota, (*path, "quotas", at), pools)) is not None
        ]
        below = tuple(children.get(tenant.name, ()))
        resolved.setdefault(
            tenant.name, TenantCapacity(tenant, path, tenant.parent, below, tuple(lines))
        )
    return resolved


def _line(quota: Quota, path: Path, pools: Mapping[str, PoolCapacity]) -> QuotaLine | None:
    pool = pools.get(quota.pool)
    if pool is None or pool.broken:
        return None
    device = pool.device(quota.device)
    if device is None and not pool.is_cpu:
        return None
    return QuotaLine(
        spec=quota,
        path=path,
        pool=pool,
        device=device,
        guaranteed=_devices(quota.guaranteed, device) or 0,
        limit=_devices(quota.limit, device),
        lend=_devices(quota.lend, device),
        cpu=in_base_units("cpu", quota.cpu) if quota.cpu else None,
        memory=in_base_units("memory", quota.memory) if quota.memory else None,
    )


def _devices(amount: int | Fraction | Percent | None, device: Device | None) -> int | None:
    """Count devices; a percentage is of what can be guaranteed, rounded down."""
    if amount is None or device is None:
        return None
    return floor(device.cap * amount.fraction) if isinstance(amount, Percent) else floor(amount)
