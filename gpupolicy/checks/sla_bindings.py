"""What an SLA promises holds for the tenants and workloads that it binds.

GP601 protected-outranked
    `preemptible: false` promises that the work is never evicted inside the guarantee, and when
    room is needed, inside a tenant the lowest class goes first. A class of the tenant that
    outranks the workload's would push it out. Give the workload the tenant's highest class, or
    take the higher class from the tenant's `priorityClasses`.

GP602 queue-wait-conflict
    Waiting is measured for each tenant and priority class, so two workloads of one tenant with
    the same class cannot have two different `queueWait` objectives. Give them two classes.

GP607 latency-on-time-slicing
    Replicas of a time-sliced GPU take turns on the whole GPU, with nothing that isolates one from
    the others: what a neighbour does becomes latency. Serve from MIG slices, whole GPUs, or MPS
    clients instead.

GP612 sla-on-parent
    A parent has no workloads of its own, and an SLA is not passed on to its children, so nothing
    follows from it. Name the SLA in the children.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping

from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import place_of
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.quantity import format_duration
from gpupolicy.spec.v1alpha1.priorities import PriorityClass
from gpupolicy.spec.v1alpha1.priorities import QueueWait
from gpupolicy.spec.v1alpha1.priorities import Sla
from gpupolicy.spec.v1alpha1.tenants import Workload


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check every tenant against the SLAs that bind it."""
    slas = {sla.name: sla for sla in reversed(context.policy.spec.slas)}
    classes = {row.name: row for row in reversed(context.policy.spec.priority_classes)}
    for tenant in context.capacity.tenants.values() if slas else ():
        own = slas.get(tenant.spec.sla or "")
        if own is not None and tenant.children:
            yield _on_parent(tenant)
        bound = [
            (workload, (*tenant.path, "workloads", index), slas.get(workload.sla or "") or own)
            for index, workload in enumerate(tenant.spec.workloads)
        ]
        work = [(workload, path, sla) for workload, path, sla in bound if sla is not None]
        yield from _outranked(context, tenant, work, classes)
        yield from _conflicts(tenant, work)
        yield from _time_sliced(context, tenant, work, own)


_Work = list[tuple[Workload, Path, Sla]]


def _on_parent(tenant: TenantCapacity) -> Diagnostic:
    return Diagnostic(
        "GP612",
        f"tenant '{tenant.name}' has children and no work of its own: its SLA binds nothing",
        (*tenant.path, "sla"),
        severity=Severity.WARNING,
        hint="name the SLA in the children",
    )


def _outranked(
    context: CheckContext,
    tenant: TenantCapacity,
    work: _Work,
    classes: Mapping[str, PriorityClass],
) -> Iterator[Diagnostic]:
    protected = [(workload, path) for workload, path, sla in work if not sla.preemptible]
    names = context.classes.get(tenant.name, ()) if protected else ()
    allowed = [classes[name] for name in names if name in classes]
    if not allowed:
        return
    highest = max(allowed, key=lambda row: row.value)
    default = next((row for row in classes.values() if row.global_default), None)
    for workload, path in protected:
        row = classes.get(workload.priority_class or "") or default
        value = row.value if row else 0
        if workload.priority_class is not None and workload.priority_class not in classes:
            continue
        if value >= highest.value:
            continue
        what = f"class '{row.name}' ({value})" if row else "no class (0)"
        named = workload.priority_class is not None
        yield Diagnostic(
            "GP601",
            f"workload '{workload.name}' must not be evicted, and {what} is outranked by "
            f"'{highest.name}' ({highest.value}) of the same tenant",
            (*path, "priorityClass" if named else "name"),
            hint=f"write 'priorityClass: {highest.name}', or 'preemptible: true' in its SLA",
        )


def _conflicts(tenant: TenantCapacity, work: _Work) -> Iterator[Diagnostic]:
    first: dict[str | None, tuple[QueueWait, Workload, Path]] = {}
    for workload, path, sla in work:
        wait = sla.queue_wait
        if wait is None:
            continue
        before, other, place = first.setdefault(workload.priority_class, (wait, workload, path))
        if before == wait:
            continue
        one, two = f"'{other.name}' ({_shown(before)})", f"'{workload.name}' ({_shown(wait)})"
        in_class = f"class '{workload.priority_class}'" if workload.priority_class else "no class"
        yield Diagnostic(
            "GP602",
            f"workloads {one} and {two} of tenant '{tenant.name}' wait in {in_class}",
            (*path, "sla" if workload.sla else "name"),
            hint="waiting is measured by tenant and class: give them two classes",
            related=(Related(f"'{other.name}'", (*place, "sla" if other.sla else "name")),),
        )


def _shown(wait: QueueWait) -> str:
    return f"{wait.objective.text} within {format_duration(wait.within)}"


def _time_sliced(
    context: CheckContext, tenant: TenantCapacity, work: _Work, own: Sla | None
) -> Iterator[Diagnostic]:
    """Find latency objectives on replicas: of declared workloads, else of the tenant's quotas."""
    for workload, path, sla in work:
        place = place_of(context, tenant, workload) if sla.latency else None
        if place is not None and _sliced(place.device):
            what = f"workload '{workload.name}'"
            yield _latency(sla, what, place.pool.name, (*path, "name"))
    if own is None or not own.latency or tenant.spec.workloads:
        return
    for line in tenant.lines:
        if _sliced(line.device):
            yield _latency(own, f"tenant '{tenant.name}'", line.pool.name, (*line.path, "pool"))


def _sliced(device: Device | None) -> bool:
    return device is not None and device.sharing == "timeSlicing"


def _latency(sla: Sla, what: str, pool: str, path: Path) -> Diagnostic:
    return Diagnostic(
        "GP607",
        f"{what} has a latency objective ('{sla.name}') on the time-sliced pool '{pool}'",
        path,
        severity=Severity.WARNING,
        hint="serve from MIG slices, whole GPUs or MPS clients",
    )
