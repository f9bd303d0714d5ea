"""Declared workloads with everything filled in."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.resolve import MIB
from gpupolicy.capacity.resolve import in_base_units
from gpupolicy.capacity.workloads import Reach
from gpupolicy.capacity.workloads import choose
from gpupolicy.plan import names
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.spec.v1alpha1.tenants import Workload


def lower_workloads(capacity: Capacity, reach: Reach) -> tuple[WorkloadPlan, ...]:
    """Decide all workloads that have a place, tenant by tenant."""
    plans = []
    for tenant in capacity.tenants.values():
        for index, workload in enumerate(tenant.spec.workloads):
            place = choose(workload, tenant, capacity, reach)
            if place is not None:
                plans.append(_workload(tenant, workload, index, place.pool, place.device))
    return tuple(plans)


def _workload(
    tenant: TenantCapacity,
    workload: Workload,
    index: int,
    pool: PoolCapacity,
    device: Device | None,
) -> WorkloadPlan:
    count = workload.gpus_per_pod
    devices = (
        (1 if device else 0)
        if count is None
        else floor(count)
        if isinstance(count, int | Fraction)
        else 0
    )
    return WorkloadPlan(
        name=workload.name,
        path=(*tenant.path, "workloads", index),
        source=f"{names.tenant_source(tenant.name)}.workloads[{workload.name}]",
        tenant=tenant.name,
        kind=workload.kind,
        pool=pool.name,
        device=device.name if device else None,
        resource=device.resource if device else None,
        pods=workload.pods,
        gpus_per_pod=devices,
        gpu_memory_mib=floor(workload.gpu_memory.value / MIB) if workload.gpu_memory else None,
        requests=_requests(workload, device, devices),
        gang=_gang(workload),
        topology_required=workload.topology.required if workload.topology else None,
        topology_preferred=workload.topology.preferred if workload.topology else None,
        priority_class=workload.priority_class,
        sla=workload.sla or tenant.spec.sla,
    )


def _requests(workload: Workload, device: Device | None, devices: int) -> dict[str, int]:
    requests = {r: floor(share * devices) for r, share in device.share.items()} if device else {}
    for resource, written in (("cpu", workload.cpu), ("memory", workload.memory)):
        if written is not None:
            requests[resource] = in_base_units(resource, written)
    if device and devices:
        requests[device.resource] = devices
    return {resource: amount for resource, amount in requests.items() if amount}


def _gang(workload: Workload) -> int | None:
    if workload.gang is True:
        return workload.pods
    return None if workload.gang is False else workload.gang
