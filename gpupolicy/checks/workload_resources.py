"""The cpu and memory of declared workloads against what goes with their devices.

GP640 requests-beyond-share
    The pods ask for more cpu or memory than goes with their devices. As long as there is room
    that is fine; but without fair sharing Kueue takes back a guarantee only for work that fits it
    whole, cpu and memory included. Ask for less, or write `cpu` and `memory` in the quota. The
    configuration that is emitted has fair sharing on.

GP641 requests-over-limit
    The workload needs more cpu or memory than its tenant can ever have on the pool, borrowed parts
    included, so it is never let in. Ask for less, raise `limit`, or write `cpu` or `memory` in
    the quota.

GP642 cpu-work-unplaced
    Work without GPUs that names no pool goes to the first pool with room: the tenant's CPU pools,
    then the cpu of its GPU pools, which its guaranteed GPUs need. Name the pool. Without a quota
    on a CPU pool it takes the cpu of a GPU pool at once, which is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from math import floor

from gpupolicy.capacity.cells import cells_of
from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.scheduling import holders
from gpupolicy.capacity.wording import amount_text
from gpupolicy.capacity.workloads import Place
from gpupolicy.capacity.workloads import gpus_per_pod
from gpupolicy.capacity.workloads import requests
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import has_numbers
from gpupolicy.check_base import line_of
from gpupolicy.check_base import place_of
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.model import format_path
from gpupolicy.spec.v1alpha1.tenants import Workload


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check the workloads that ask for cpu or memory, or for no GPU; only Kueue counts both."""
    if holders(context.policy).quota != "kueue":
        return
    for tenant in context.capacity.tenants.values():
        for index, workload in enumerate(tenant.spec.workloads):
            path = (*tenant.path, "workloads", index)
            if workload.gpus_per_pod == 0 and workload.pool is None:
                yield from _unplaced(tenant, workload, path)
            place = place_of(context, tenant, workload) if requests(workload) else None
            line = line_of(context, tenant, place) if place else None
            if place is not None and line is not None and has_numbers(place.pool):
                for resource, asked in requests(workload).items():
                    where = (*path, resource)
                    yield from _resource(tenant, workload, place, line, resource, asked, where)


def _unplaced(tenant: TenantCapacity, workload: Workload, path: Path) -> Iterator[Diagnostic]:
    cpu = [line.pool.name for line in tenant.lines if line.pool.is_cpu]
    gpu = [line.pool.name for line in tenant.lines if not line.pool.is_cpu]
    if not gpu:
        return
    where = f"after pool '{cpu[0]}'" if cpu else "at once"
    yield Diagnostic(
        "GP642",
        f"workload '{workload.name}' asks for no GPU and names no pool: {where} it takes cpu of "
        f"the GPU pool '{gpu[0]}'",
        (*path, "name"),
        severity=Severity.NOTE if cpu else Severity.WARNING,
        hint=f"write 'pool: {(cpu or gpu)[0]}'"
        + ("" if cpu else ", or give the tenant a quota on a CPU pool"),
    )


def _resource(
    tenant: TenantCapacity,
    workload: Workload,
    place: Place,
    line: QuotaLine,
    resource: str,
    asked: Fraction,
    path: Path,
) -> Iterator[Diagnostic]:
    pool, device = place
    if device is None or resource not in pool.allocatable or asked > pool.allocatable[resource]:
        return
    total, most = ceil(asked * workload.pods), _most(tenant, pool.name, resource)
    if most is not None and total > most:
        yield Diagnostic(
            "GP641",
            f"workload '{workload.name}' needs {amount_text(resource, total)} {resource} > "
            f"{amount_text(resource, most)} that tenant '{tenant.name}' can have on pool "
            f"'{pool.name}'",
            path,
            hint=f"write '{resource}: {amount_text(resource, floor(most / workload.pods))}' "
            "for each pod, or more in the quota"
            if workload.pods > 0
            else None,
            related=(Related("its quota", line.path),),
        )
        return
    share = _share(line, resource) * gpus_per_pod(workload, pool)
    if line.guaranteed and asked > share:
        yield Diagnostic(
            "GP640",
            f"a pod of workload '{workload.name}' asks for "
            f"{amount_text(resource, ceil(asked))} {resource} > "
            f"{amount_text(resource, floor(share))} that go with its devices: it needs fair "
            "sharing to get its guarantee back",
            path,
            severity=Severity.WARNING,
            hint=f"write '{resource}: {amount_text(resource, floor(share))}', or {resource} in "
            "the quota",
            group=format_path(path),
        )


def _share(line: QuotaLine, resource: str) -> Fraction:
    """Give what goes with one guaranteed device: what the quota says, else the pool's share."""
    own: int | None = getattr(line, resource)
    if own is not None and line.guaranteed:
        return Fraction(own, line.guaranteed)
    return line.device.share[resource] if line.device else Fraction(0)


def _most(tenant: TenantCapacity, pool: str, resource: str) -> int | None:
    """Give the most of a resource that the tenant can have on a pool; None if nothing bounds it."""
    (cells,) = cells_of(tenant.lines_on(pool), (resource,), queue=True)
    return cells.cells[0].limit
