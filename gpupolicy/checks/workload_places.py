"""Every declared workload alone fits the nodes of its pool and what its tenant can have.

GP630 workload-without-quota
    The workload names a pool, or a device of it, on which its tenant has no quota: its pods would
    never be let in there. Give the tenant a quota on it, `guaranteed: 0` if need be.

GP631 workload-fits-nowhere
    The workload names no pool, and none of the tenant's pools holds it. What is in the way stands
    beside each of them.

GP632 pod-over-node
    One pod asks for more devices, cpu or memory than one node of the pool has, so it never starts.
    Spread the work over more pods, or use larger nodes.

GP633 pods-over-nodes
    All nodes of the pool together do not hold the pods. Pods do not share a device or split over
    nodes: of five GPUs for each, one pod fits on a node of eight.

GP634 workload-over-limit
    The workload needs more devices than its tenant may ever have. Raise `limit`, or declare less.

GP635 workload-over-reach
    The workload needs more than the tenant's guarantee and everything that it could borrow, so it
    waits for ever. Raise the guarantee, or let others lend more.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from math import ceil
from math import floor

from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.wording import amount_text
from gpupolicy.capacity.wording import number
from gpupolicy.capacity.wording import quoted
from gpupolicy.capacity.workloads import Place
from gpupolicy.capacity.workloads import candidates
from gpupolicy.capacity.workloads import gpus_per_pod
from gpupolicy.capacity.workloads import pods_per_node
from gpupolicy.capacity.workloads import requests
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import few
from gpupolicy.check_base import has_numbers
from gpupolicy.check_base import line_of
from gpupolicy.check_base import place_of
from gpupolicy.check_base import quota_of_nothing
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.quantity import MIB
from gpupolicy.spec.v1alpha1.tenants import Workload

# Of a tenant with very many pools the first are looked into.
_REASONS = 24


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check every declared workload of every tenant that may have work."""
    for tenant in context.capacity.tenants.values():
        if tenant.children:
            continue
        for index, workload in enumerate(tenant.spec.workloads):
            if workload.pods > 0:
                yield from _workload(context, tenant, workload, (*tenant.path, "workloads", index))


def _workload(
    context: CheckContext, tenant: TenantCapacity, workload: Workload, path: Path
) -> Iterator[Diagnostic]:
    place = place_of(context, tenant, workload)
    resolved = len(tenant.lines) == len(tenant.spec.quotas)
    if place is None:
        if workload.pool is None and resolved and tenant.lines:
            yield _nowhere(context, tenant, workload, path)
        return
    line = line_of(context, tenant, place)
    if not has_numbers(place.pool):
        return
    if line is None:
        if resolved:
            yield _no_quota(tenant, workload, place, path)
        return
    found = _fault(context, tenant, workload, place, line, path)
    if found is not None:
        yield found


def _no_quota(tenant: TenantCapacity, workload: Workload, place: Place, path: Path) -> Diagnostic:
    device = place.device
    several = device is not None and len(place.pool.devices) > 1
    what = f"'{device.name}' of pool" if device is not None and several else "pool"
    pools = list(dict.fromkeys(line.pool.name for line in tenant.lines))
    return Diagnostic(
        "GP630",
        f"tenant '{tenant.name}' has no quota on {what} '{place.pool.name}', where workload "
        f"'{workload.name}' runs",
        (*path, "device" if several and workload.device else "pool"),
        hint=f"it has quotas on {quoted(pools)}" if pools else "give it a quota there",
    )


def _nowhere(
    context: CheckContext, tenant: TenantCapacity, workload: Workload, path: Path
) -> Diagnostic:
    reasons, hints = [], []
    for place, line in islice(candidates(workload, tenant), _REASONS):
        fault = _fault(context, tenant, workload, place, line, path)
        text = fault.message if fault else _too_little(workload, place)
        reasons.append(Related(f"not on pool '{place.pool.name}': {text}", line.path))
        if fault and fault.hint:
            hints.append(f"on pool '{place.pool.name}': {fault.hint}")
    if reasons:
        why = f"none of the pools of tenant '{tenant.name}' holds workload '{workload.name}'"
    elif workload.device is not None:
        why = f"tenant '{tenant.name}' has no quota on a device '{workload.device}'"
    else:
        why = f"tenant '{tenant.name}' has no quota on GPUs for workload '{workload.name}'"
    hint = hints[0] if hints else "give the tenant a quota on a pool with larger devices"
    return Diagnostic("GP631", why, (*path, "name"), hint=hint, related=few(reasons))


def _too_little(workload: Workload, place: Place) -> str:
    """Say what one device lacks; all else that keeps a workload away is a fault of its own."""
    device = place.device
    if device is None:
        return "it has no GPUs"
    count, name = gpus_per_pod(workload, place.pool), f"'{device.name}'"
    if device.replicas > 1 and count > 1:
        return f"a pod may ask for 1 replica of {name}, not for {_shown(count)}"
    need = floor(workload.gpu_memory.value / MIB) if workload.gpu_memory else 0
    over = need - device.memory_mib
    return f"it needs {need} MiB > {device.memory_mib} MiB of one {name}, over by {over} MiB"


def _fault(
    context: CheckContext,
    tenant: TenantCapacity,
    workload: Workload,
    place: Place,
    line: QuotaLine,
    path: Path,
) -> Diagnostic | None:
    """Find the first thing that keeps the workload from this place."""
    return _over_node(workload, place, path) or (
        _over_nodes(workload, place, path)
        or _over_quota(context, tenant, workload, place, line, path)
    )


def _over_node(workload: Workload, place: Place, path: Path) -> Diagnostic | None:
    pool, device = place
    count = gpus_per_pod(workload, pool)
    if device is not None and count > device.per_node:
        each = number(device.per_node, "device")
        return Diagnostic(
            "GP632",
            f"a pod of workload '{workload.name}' asks for {_shown(count)} > {each} of a node of "
            f"pool '{pool.name}'",
            (*path, "gpusPerPod"),
            hint=f"{number(ceil(workload.pods * count / device.per_node), 'pod')} with "
            f"'gpusPerPod: {device.per_node}' have as many"
            if device.per_node
            else None,
        )
    for resource, asked in requests(workload).items():
        offered = pool.allocatable.get(resource)
        if offered is not None and asked > offered:
            return Diagnostic(
                "GP632",
                f"a pod of workload '{workload.name}' asks for "
                f"{amount_text(resource, ceil(asked))} {resource} > "
                f"{amount_text(resource, offered)} of a node of pool '{pool.name}'",
                (*path, resource),
                hint=f"write at most '{resource}: {amount_text(resource, offered)}'",
                related=(
                    Related("allocatable on one node", (*pool.path, "allocatable", resource)),
                ),
            )
    return None


def _over_nodes(workload: Workload, place: Place, path: Path) -> Diagnostic | None:
    each, pool = pods_per_node(workload, place), place.pool
    if each is None or not each or workload.pods <= each * pool.nodes:
        return None
    most = each * pool.nodes
    return Diagnostic(
        "GP633",
        f"workload '{workload.name}' has {workload.pods} pods > {most} that pool '{pool.name}' "
        f"holds: {number(pool.nodes, 'node')}, {each} on each",
        (*path, "pods"),
        hint=f"write 'pods: {most}' or less, or make its pods smaller",
    )


def _over_quota(
    context: CheckContext,
    tenant: TenantCapacity,
    workload: Workload,
    place: Place,
    line: QuotaLine,
    path: Path,
) -> Diagnostic | None:
    pool, device = place
    if device is None:
        return None
    needed = gpus_per_pod(workload, pool) * workload.pods
    if line.limit is not None and needed > line.limit:
        if line.limit < line.guaranteed:
            return None  # The limit is wrong, which is said there.
        return Diagnostic(
            "GP634",
            f"workload '{workload.name}' needs {_shown(needed)} devices > limit {line.limit} of "
            f"tenant '{tenant.name}' on pool '{pool.name}'",
            (*path, "pods"),
            hint=f"'limit: {ceil(needed)}' would hold it",
            related=(Related("the limit", (*line.path, "limit")),),
            group=None if line.limit else quota_of_nothing(line),
        )
    reach = context.reach.get((tenant.name, pool.name, device.name))
    if reach is None or needed <= reach:
        return None
    held = context.is_held(device)
    what = "are guaranteed, and nothing is borrowed" if held else "can ever be had"
    return Diagnostic(
        "GP635",
        f"workload '{workload.name}' needs {_shown(needed)} devices of pool '{pool.name}', and "
        f"{reach} {what}: {line.guaranteed} of its own"
        + ("" if held else f" + {reach - line.guaranteed} borrowed"),
        (*path, "pods"),
        hint=f"raise the guarantee of tenant '{tenant.name}'"
        + ("" if held else ", or what others lend"),
        related=(Related("its quota", line.path),),
        group=None if reach else quota_of_nothing(line),
    )


def _shown(count: Fraction | int) -> str:
    return f"{float(count):g}"
