"""Gangs against what their tenant is guaranteed, and against the domains of the topology.

GP636 gang-over-guarantee
    The gang is larger than what its tenant is guaranteed. It starts on borrowed devices, never by
    taking back its own, and when a lender wants some of them back the whole gang is evicted.

GP637 gang-takes-guarantee
    The gang takes all that its tenant is guaranteed, so every other job of the tenant on this
    pool lives on borrowed devices while it runs.

GP638 domain-too-small
    No single domain of the topology level holds all pods of the workload. A `required` level is
    an error, a `preferred` one that is never met a warning. Name a wider level.

GP639 domain-may-be-taken
    A guarantee counts devices, not places. The level is `required`, there are several domains,
    and other tenants have quotas on the pool too: their work may sit in every domain, so that the
    workload waits although its guarantee is free. `preferred` starts at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from math import ceil

from gpupolicy.capacity.domains import domain_nodes
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.scheduling import holders
from gpupolicy.capacity.wording import number
from gpupolicy.capacity.workloads import Place
from gpupolicy.capacity.workloads import gpus_per_pod
from gpupolicy.capacity.workloads import pods_per_node
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import has_numbers
from gpupolicy.check_base import line_of
from gpupolicy.check_base import place_of
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.tenants import Workload


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check every declared workload that is a gang or names a topology level."""
    places = holders(context.policy).gang != "none"
    users = _users(context) if places else {}
    for tenant in context.capacity.tenants.values():
        for index, workload in enumerate(tenant.spec.workloads):
            if workload.gang is False and workload.topology is None:
                continue
            place = place_of(context, tenant, workload)
            line = line_of(context, tenant, place) if place else None
            if place is None or line is None or not has_numbers(place.pool):
                continue
            path = (*tenant.path, "workloads", index)
            yield from _guarantee(context, tenant, workload, place, line, path)
            if places:
                yield from _domain(workload, place, path, users.get(place.pool.name, 0))


def _users(context: CheckContext) -> Mapping[str, int]:
    """Count the tenants that may run work on each pool."""
    users: dict[str, int] = {}
    for tenant in context.capacity.tenants.values():
        if not tenant.children:
            for pool in {line.pool.name for line in tenant.lines}:
                users[pool] = users.get(pool, 0) + 1
    return users


def _guarantee(
    context: CheckContext,
    tenant: TenantCapacity,
    workload: Workload,
    place: Place,
    line: QuotaLine,
    path: Path,
) -> Iterator[Diagnostic]:
    """Compare a gang with the guarantee; who is guaranteed nothing knows that all is borrowed."""
    device = place.device
    if workload.gang is False or device is None or not line.guaranteed:
        return
    pods = workload.pods if workload.gang is True else workload.gang
    if pods > workload.pods:
        return
    needed = ceil(gpus_per_pod(workload, place.pool) * pods)
    reach = context.reach.get((tenant.name, place.pool.name, device.name), needed)
    if needed < line.guaranteed or needed > reach:
        return
    related = (Related("the guarantee", (*line.path, "guaranteed")),)
    if needed > line.guaranteed:
        yield Diagnostic(
            "GP636",
            f"the gang of workload '{workload.name}' needs {needed} devices > guaranteed "
            f"{line.guaranteed}: it lives on borrowed devices and is evicted as a whole",
            (*path, "gang"),
            severity=Severity.WARNING,
            hint=f"'guaranteed: {needed}' would hold it",
            related=related,
        )
        return
    yield Diagnostic(
        "GP637",
        f"the gang of workload '{workload.name}' takes all {needed} devices that tenant "
        f"'{tenant.name}' is guaranteed on pool '{place.pool.name}'",
        (*path, "gang"),
        severity=Severity.NOTE,
        related=related,
    )


def _domain(workload: Workload, place: Place, path: Path, users: int) -> Iterator[Diagnostic]:
    topology = workload.topology
    if topology is None:
        return
    required = topology.required is not None
    name = topology.required or topology.preferred
    size = domain_nodes(place.pool.spec, place.pool.nodes, name)
    each = pods_per_node(workload, place)
    if size is None or each == 0:
        return
    where = (*path, "topology", "required" if required else "preferred")
    if each is not None and workload.pods > each * size:
        yield _too_small(workload, place.pool, str(name), each, where, required=required)
    elif required and users > 1 and place.pool.nodes > size:
        yield Diagnostic(
            "GP639",
            f"workload '{workload.name}' needs one whole '{name}' of pool '{place.pool.name}', and "
            f"{number(users - 1, 'other tenant')} may be in each of them",
            where,
            severity=Severity.WARNING,
            hint=f"'preferred: {name}' starts elsewhere if need be",
        )


def _too_small(
    workload: Workload, pool: PoolCapacity, name: str, each: int, path: Path, *, required: bool
) -> Diagnostic:
    holds = each * (domain_nodes(pool.spec, pool.nodes, name) or 0)
    wider = [
        level.name
        for level in pool.spec.topology.levels
        if min(level.nodes, pool.nodes) * each >= workload.pods
    ]
    return Diagnostic(
        "GP638",
        f"one '{name}' of pool '{pool.name}' holds {number(holds, 'pod')} < {workload.pods} of "
        f"workload '{workload.name}'",
        path,
        severity=Severity.ERROR if required else Severity.WARNING,
        hint=f"a '{wider[-1]}' holds it" if wider else "no level below the pool holds it",
    )
