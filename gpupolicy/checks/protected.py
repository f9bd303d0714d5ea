"""Work that must never be evicted fits the guarantee of its tenant together.

GP643 protected-over-guarantee
    The workloads of a tenant whose SLA says `preemptible: false` need more devices together than
    the tenant is guaranteed. Beyond the guarantee every job lives on borrowed devices and is
    evicted when they are wanted back, a gang as a whole. The message shows the smallest set that
    is too large. Raise the guarantee, or protect less.

GP644 protected-over-resources
    The same for the cpu or memory that goes with the guarantee: the devices are there, and what
    the pods ask for beside them is not. Write `cpu` or `memory` in the quota, or ask for less.

GP645 protected-on-spot
    Spot nodes can be taken away at any time, and no scheduler can prevent it. Work that must not
    be evicted belongs on other nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from math import floor
from typing import NamedTuple

from gpupolicy.capacity.cells import cells_of
from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.wording import amount_text
from gpupolicy.capacity.workloads import Place
from gpupolicy.capacity.workloads import gpus_per_pod
from gpupolicy.capacity.workloads import requests
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import few
from gpupolicy.check_base import has_numbers
from gpupolicy.check_base import line_of
from gpupolicy.check_base import place_of
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import format_path
from gpupolicy.spec.v1alpha1.priorities import Sla
from gpupolicy.spec.v1alpha1.tenants import Workload


class _Work(NamedTuple):
    """A protected workload in its place."""

    workload: Workload
    path: Path
    place: Place
    line: QuotaLine

    @property
    def devices(self) -> Fraction | int:
        """All devices that it needs."""
        return gpus_per_pod(self.workload, self.place.pool) * self.workload.pods

    def amount(self, resource: str) -> int:
        """All it needs of a resource: what is written, else what goes with its devices."""
        written = requests(self.workload).get(resource)
        if written is not None:
            return ceil(written * self.workload.pods)
        if self.place.device is None:
            return 0
        share = self.place.device.share.get(resource, Fraction(0))
        each = floor(share * gpus_per_pod(self.workload, self.place.pool))
        return each * self.workload.pods


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Add up protected work, tenant by tenant."""
    slas = {sla.name: sla for sla in reversed(context.policy.spec.slas)}
    if all(sla.preemptible for sla in slas.values()):
        return
    for tenant in context.capacity.tenants.values():
        work = list(_protected(context, tenant, slas))
        for one in work:
            if one.place.pool.spec.nodes.spot:
                yield _on_spot(one)
        yield from _tenant(tenant, work)


def _protected(
    context: CheckContext, tenant: TenantCapacity, slas: Mapping[str, Sla]
) -> Iterator[_Work]:
    for index, workload in enumerate(tenant.spec.workloads):
        sla = slas.get(workload.sla or tenant.spec.sla or "")
        if sla is None or sla.preemptible:
            continue
        place = place_of(context, tenant, workload)
        line = line_of(context, tenant, place) if place else None
        if place is not None and line is not None and has_numbers(place.pool):
            yield _Work(workload, (*tenant.path, "workloads", index), place, line)


def _on_spot(work: _Work) -> Diagnostic:
    return Diagnostic(
        "GP645",
        f"workload '{work.workload.name}' must not be evicted, and the nodes of pool "
        f"'{work.place.pool.name}' can be taken away",
        (*work.path, "pool" if work.workload.pool else "name"),
        hint="run it on another pool, or let it be preemptible",
    )


def _tenant(tenant: TenantCapacity, work: Sequence[_Work]) -> Iterator[Diagnostic]:
    over = set()
    for device in dict.fromkeys(one.line.path for one in work if one.place.device is not None):
        group = [one for one in work if one.line.path == device and one.place.device is not None]
        total, line = ceil(sum(one.devices for one in group)), group[0].line
        if total > line.guaranteed:
            over.add(line.pool.name)
            yield _too_many(tenant, group, line)
    for pool in dict.fromkeys(one.place.pool.name for one in work):
        if pool not in over:
            yield from _resources(tenant, pool, [w for w in work if w.place.pool.name == pool])


def _too_many(tenant: TenantCapacity, group: Sequence[_Work], line: QuotaLine) -> Diagnostic:
    """Show the smallest set that is too large: the largest first."""
    chosen: list[_Work] = []
    total = Fraction(0)
    for one in sorted(group, key=lambda work: -work.devices):
        chosen.append(one)
        total += one.devices
        if total > line.guaranteed:
            break
    last = max(chosen, key=lambda work: work.path[-1])
    several = f"{len(chosen)} workloads need" if len(chosen) > 1 else "the workload needs"
    where = line.path if line.spec.guaranteed is None else (*line.path, "guaranteed")
    return Diagnostic(
        "GP643",
        f"must not be evicted: {several} {float(total):g} devices > guaranteed {line.guaranteed} "
        f"of tenant '{tenant.name}' on pool '{line.pool.name}'",
        (*last.path, "name"),
        hint=f"'guaranteed: {ceil(sum(one.devices for one in group))}' holds all that is protected",
        related=(
            Related("the guarantee", where),
            *few(
                Related(f"'{one.workload.name}' needs {float(one.devices):g}", (*one.path, "name"))
                for one in chosen
                if len(chosen) > 1
            ),
        ),
    )


def _resources(tenant: TenantCapacity, pool: str, work: Sequence[_Work]) -> Iterator[Diagnostic]:
    offered = work[0].place.pool.allocatable
    asking = {name for one in work for name in requests(one.workload) if name in offered}
    if not asking:
        return
    for resource in sorted(asking):
        (cells,) = cells_of(tenant.lines_on(pool), (resource,), queue=True)
        has, total = cells.cells[0].guaranteed, sum(one.amount(resource) for one in work)
        if total <= has:
            continue
        last = next(one for one in reversed(work) if resource in requests(one.workload))
        yield Diagnostic(
            "GP644",
            f"must not be evicted: {amount_text(resource, total)} {resource} > "
            f"{amount_text(resource, has)} that tenant '{tenant.name}' is guaranteed on pool "
            f"'{pool}'",
            (*last.path, resource),
            hint=f"write '{resource}: {amount_text(resource, total)}' in the quota",
            # A workload that asks for more than its share is what this sum is about.
            group=format_path((*last.path, resource)),
            related=few(
                Related(
                    f"'{one.workload.name}' asks for {amount_text(resource, one.amount(resource))}",
                    (*one.path, "name"),
                )
                for one in work
            ),
        )
