"""A compiled policy in numbers: what the pools have, what is promised, and to whom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpupolicy.cli.table import table

if TYPE_CHECKING:
    from gpupolicy.plan.model import Plan
    from gpupolicy.plan.model import TenantPlan
    from gpupolicy.plan.pool_model import DevicePlan
    from gpupolicy.plan.pool_model import PoolPlan

_POOL_HEAD = (
    "POOL",
    "GPU",
    "NODES",
    "DEVICE",
    "MIB EACH",
    "PER NODE",
    "TOTAL",
    "RESERVE",
    "GUARANTEED",
    "SPARE",
)
_TENANT_HEAD = ("TENANT", "POOL", "DEVICE", "GUARANTEED", "LIMIT")
_NONE = "-"
# (pool, resource) -> devices that tenants are guaranteed, buffers of parents included.
_Promised = dict[tuple[str, str], int]


def pools(plan: Plan) -> str:
    """Lay out the pools: devices in all, kept for lost nodes, guaranteed, and promised to nobody.

    TOTAL = RESERVE + GUARANTEED + SPARE, in devices as pods ask for them.
    """
    promised = _promised(plan)
    rows = [row for pool in plan.pools for row in _pool_rows(pool, promised)]
    return table(_POOL_HEAD, rows, right="..r.rrrrrr")


def tenants(plan: Plan) -> str:
    """Lay out what each tenant is guaranteed and where its ceiling is; children under parents."""
    by_name = {tenant.name: tenant for tenant in plan.tenants}
    tops = [tenant for tenant in plan.tenants if tenant.parent is None]
    rows = [row for tenant in tops for row in _tenant_rows(by_name, tenant, 0)]
    return table(_TENANT_HEAD, rows, right="...rr")


def _promised(plan: Plan) -> _Promised:
    found: _Promised = {}
    for tenant in plan.tenants:
        for held in tenant.own:
            for cell in held.cells:
                key = (held.pool, cell.resource)
                found[key] = found.get(key, 0) + cell.guaranteed
    return found


def _pool_rows(pool: PoolPlan, promised: _Promised) -> Iterator[tuple[str, ...]]:
    nodes = f"{pool.min_nodes}-{pool.nodes}" if pool.autoscaled else str(pool.nodes)
    if pool.gpu is None:
        yield (pool.name, _NONE, nodes, _NONE, *[_NONE] * 6)
        return
    for device in pool.devices:
        guaranteed = promised.get((pool.name, device.resource), 0)
        yield (
            pool.name,
            pool.gpu.name,
            nodes,
            _device(device),
            _memory(device),
            str(device.per_node),
            str(device.total),
            str(device.total - device.cap),
            str(guaranteed),
            str(device.cap - guaranteed),
        )


def _device(device: DevicePlan) -> str:
    """Name the device, and how many share one: "gpu / 8 (mps)"."""
    if device.replicas == 1:
        return device.name
    return f"{device.name} / {device.replicas} ({device.sharing})"


def _memory(device: DevicePlan) -> str:
    """Give the memory of one device in MiB; replicas by time-slicing have it together."""
    if not device.memory_mib:
        return "?"
    together = device.sharing == "timeSlicing" and device.replicas > 1
    return f"<={device.memory_mib}" if together else str(device.memory_mib)


def _tenant_rows(
    by_name: dict[str, TenantPlan], tenant: TenantPlan, depth: int
) -> Iterator[tuple[str, ...]]:
    name = "  " * depth + tenant.name
    if not tenant.lines:
        yield (name, _NONE, _NONE, _NONE, _NONE)
    for line in tenant.lines:
        if line.device is None:
            yield (name, line.pool, _NONE, _NONE, _NONE)
        else:
            limit = "none" if line.limit is None else str(line.limit)
            yield (name, line.pool, line.device, str(line.guaranteed), limit)
    for child in tenant.children:
        yield from _tenant_rows(by_name, by_name[child], depth + 1)
