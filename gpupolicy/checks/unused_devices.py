"""Every device of a pool is somebody's to use.

GP438 device-unused
    No tenant has a quota on these devices, so nobody can use them. Devices without a quota are
    not idle devices that can be borrowed. Give a tenant a quota, `guaranteed: 0` if need be, or
    change the layout of the pool.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.tree import children_first
from gpupolicy.capacity.wording import number
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import has_numbers
from gpupolicy.check_base import listed
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find devices on which nobody who can have pods has a quota."""
    tenants = context.capacity.tenants.values()
    # A quota that points at nothing may mean what seems unused.
    if tenants and all(len(tenant.lines) == len(tenant.spec.quotas) for tenant in tenants):
        # A budget is nobody's to use: of a tree only the tenants with namespaces run anything.
        rooted = {tenant.name for tenant in children_first(context.capacity)}
        leaves = (t for t in tenants if not t.children or t.name not in rooted)
        lines = (line for tenant in leaves for line in tenant.lines)
        used = {(line.pool.name, line.device.name) for line in lines if line.device}
        pools = {pool for pool, _ in used}
        for pool in context.capacity.pools.values():
            if has_numbers(pool) and (pool.name in pools or not _is_closed(pool)):
                yield from _unused(pool, used)


def _is_closed(pool: PoolCapacity) -> bool:
    """Tell whether taints keep everybody away: without quotas that is an error of its own."""
    return any(taint.effect != "PreferNoSchedule" for taint in pool.spec.taints)


def _unused(pool: PoolCapacity, used: AbstractSet[tuple[str, str]]) -> Iterator[Diagnostic]:
    """Say once of a pool which of its devices nobody may use."""
    unused = [device for device in pool.devices if (pool.name, device.name) not in used]
    if not unused:
        return
    one = len(pool.devices) == 1
    kinds = [number(d.total, "device") + ("" if one else f" of '{d.name}'") for d in unused]
    keys = ["" if one else f", device: {device.name}" for device in unused]
    lines = ", ".join(f"{{pool: {pool.name}{key}, guaranteed: 0}}" for key in keys)
    yield Diagnostic(
        "GP438",
        f"no tenant has a quota on the {listed(kinds)} of pool '{pool.name}': nobody can use them",
        (*pool.path, "name"),
        severity=Severity.WARNING,
        hint=f"give a tenant 'quotas: [{lines}]'",
    )
