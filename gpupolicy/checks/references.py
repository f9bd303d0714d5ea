"""Every name points at something.

GP414 unknown-reference
    A pool, tenant, priority class, SLA, receiver or topology level is named that the policy does
    not have. A quota on a pool that does not exist would be a promise about nothing. The hint
    names what is nearest in spelling.

GP415 unknown-device
    The pool offers no such device. What it offers follows from `sharing`: whole GPUs are called
    `gpu`, slices by their profile (`2g.20gb`), vGPUs by their type. Shared replicas keep the name
    of what they are replicas of.

GP416 device-ambiguous
    The pool offers several kinds of devices, and the line does not say which one it counts. Write
    `device:` with one of those that the hint lists.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import did_you_mean
from gpupolicy.check_base import listed
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.spec.v1alpha1.tenants import Tenant
from gpupolicy.spec.v1alpha1.tenants import Workload

HOST = "host"


class _Known:
    """What there is to point at, and a hint for each name that does not exist."""

    def __init__(self, context: CheckContext) -> None:
        spec = context.policy.spec
        self.names: dict[str, Collection[str]] = {
            "pool": context.capacity.pools,
            "tenant": context.capacity.tenants,
            "priority class": dict.fromkeys(row.name for row in spec.priority_classes),
            "SLA": dict.fromkeys(row.name for row in spec.slas),
            "receiver": dict.fromkeys(row.name for row in spec.monitoring.receivers),
        }
        self._hints: dict[tuple[str, str], str | None] = {}

    def look_up(self, thing: str, name: str | None, path: Path) -> Iterator[Diagnostic]:
        """Find the name, or say that it does not exist."""
        if name is None or name in self.names[thing]:
            return
        key = (thing, name)
        if key not in self._hints:
            self._hints[key] = did_you_mean(name, self.names[thing])
        message = f"there is no {thing} '{name}'"
        yield Diagnostic("GP414", message, path, hint=self._hints[key])


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Follow every reference of the policy."""
    known = _Known(context)
    for index, tenant in enumerate(context.policy.spec.tenants):
        yield from _tenant(context, known, tenant, ("spec", "tenants", index))
    for index, route in enumerate(context.policy.spec.monitoring.routes):
        path: Path = ("spec", "monitoring", "routes", index, "receiver")
        yield from known.look_up("receiver", route.receiver, path)


def _level(name: str, pool: PoolCapacity, path: Path) -> Iterator[Diagnostic]:
    legal = [*(level.name for level in pool.spec.topology.levels), HOST]
    if name not in legal:
        message = f"pool '{pool.name}' has no topology level '{name}'"
        yield Diagnostic("GP414", message, path, hint=did_you_mean(name, legal))


def _tenant(
    context: CheckContext, known: _Known, tenant: Tenant, path: Path
) -> Iterator[Diagnostic]:
    yield from known.look_up("tenant", tenant.parent, (*path, "parent"))
    yield from known.look_up("SLA", tenant.sla, (*path, "sla"))
    for index, name in enumerate(tenant.priority_classes or ()):
        yield from known.look_up("priority class", name, (*path, "priorityClasses", index))
    for index, quota in enumerate(tenant.quotas):
        where = (*path, "quotas", index)
        yield from known.look_up("pool", quota.pool, (*where, "pool"))
        pool = context.capacity.pools.get(quota.pool)
        if pool is not None and not pool.is_cpu:
            yield from _device(quota.device, pool, where)
    for index, workload in enumerate(tenant.workloads):
        yield from _workload(context, known, workload, (*path, "workloads", index))


def _workload(
    context: CheckContext, known: _Known, workload: Workload, path: Path
) -> Iterator[Diagnostic]:
    yield from known.look_up("priority class", workload.priority_class, (*path, "priorityClass"))
    yield from known.look_up("SLA", workload.sla, (*path, "sla"))
    yield from known.look_up("pool", workload.pool, (*path, "pool"))
    pool = context.capacity.pools.get(workload.pool or "")
    if pool is None:
        return
    if workload.gpus_per_pod != 0 and not (pool.is_cpu and workload.device is None):
        yield from _device(workload.device, pool, path)
    if workload.topology is not None:
        for key in ("required", "preferred"):
            level = getattr(workload.topology, key)
            if level is not None:
                yield from _level(level, pool, (*path, "topology", key))


def _device(name: str | None, pool: PoolCapacity, path: Path) -> Iterator[Diagnostic]:
    if pool.broken or pool.device(name) is not None:
        return
    offered = [device.name for device in pool.devices]
    if name is not None:
        hint = did_you_mean(name, offered) if offered else "it is a pool without GPUs"
        message = f"pool '{pool.name}' offers no device '{name}'"
        yield Diagnostic("GP415", message, (*path, "device"), hint=hint)
    elif len(offered) > 1:
        message = f"pool '{pool.name}' offers {len(offered)} kinds of devices, and none is named"
        hint = f"write 'device:' with {listed(offered)}".replace(" and ", " or ")
        yield Diagnostic("GP416", message, (*path, "pool"), hint=hint)
