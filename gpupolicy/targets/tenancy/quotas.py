"""What a namespace's ResourceQuota counts.

Behind a queueing component nothing but zeros, for devices that the tenant has no quota on:
counting the others a second time would refuse pods that were admitted, since pods that terminate
still count. Without one it is the quota itself.
"""

from __future__ import annotations

from gpupolicy import quantity
from gpupolicy.plan.model import TenantPlan


def zeros(tenant: TenantPlan) -> dict[str, str]:
    """Give the devices of the policy that the tenant may not use at all."""
    return dict.fromkeys(sorted(tenant.denied), "0")


def guarantees(tenant: TenantPlan) -> dict[str, str]:
    """Sum what the tenant is guaranteed by resource name, over its pools.

    cpu and memory only where a quota writes them: the API server then wants a request for them
    from every pod of the namespace.
    """
    hard = {}
    written = {name for line in tenant.lines for name in line.own}
    if "cpu" in written:
        hard["cpu"] = quantity.format_cpu(_sum_of_cells(tenant, "cpu"))
    if "memory" in written:
        hard["memory"] = quantity.format_memory_mib(_sum_of_cells(tenant, "memory"))
    devices: dict[str, int] = {}
    for line in tenant.lines:
        if line.resource:
            devices[line.resource] = devices.get(line.resource, 0) + line.guaranteed
    return hard | {name: quantity.format_count(devices[name]) for name in sorted(devices)}


def _sum_of_cells(tenant: TenantPlan, resource: str) -> int:
    """Count all pools: a quota of the namespace sees the cpu of GPU pods too."""
    cells = (cell for pool in tenant.pools for cell in pool.cells)
    return sum(cell.guaranteed for cell in cells if cell.resource == resource)
