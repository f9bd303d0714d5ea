"""Priority classes are those that Kubernetes takes, and order work inside a tenant only.

GP470 priority-out-of-range
    The value of a class of your own is a whole number from -2147483648 to 1000000000. Larger
    values belong to Kubernetes' own classes, `system-cluster-critical` and
    `system-node-critical`, and the API server refuses them.

GP471 priority-name-refused
    The name of a PriorityClass is a DNS name, and `system-` at its start belongs to Kubernetes.

GP472 two-default-classes
    Two classes have `globalDefault: true`. The API server takes one only; where two exist anyway,
    the smaller value decides silently.

GP473 default-class
    `globalDefault: true` applies to every pod of the cluster that names no class, those of
    system components too, and to pods of queued jobs whose template names none. It is legal and
    rarely meant.

GP474 class-preempts-tenants
    Without a queueing component it is the kube-scheduler that preempts, and it knows no tenants:
    a pod of this class kills pods of other tenants that are inside their guarantee. Write
    `preemptionPolicy: Never`, or install Kueue, which preempts by guarantees.

GP475 never-approximated
    Kueue has no word for one class that does not preempt: `preemptionPolicy: Never` is exact for
    the lowest class of a tenant, which has nothing to preempt, or if all classes of a tenant say
    so. This class may preempt lower ones of its own tenant.

GP476 no-class-allowed
    `priorityClasses: []` allows no class at all, so that every pod that names one is against the
    policy. Leave the key out to allow the parent's classes, or all of them.

GP477 default-class-not-allowed
    The class that pods get without asking is not in the tenant's list. Its pods that name no
    class carry it all the same, and the guard rails let that pass for the default class only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from gpupolicy.capacity.scheduling import holders
from gpupolicy.capacity.wording import quoted
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.priorities import PriorityClass

# scheduling.k8s.io/v1: HighestUserDefinablePriority, and the range of an int32.
_HIGHEST = 1_000_000_000
_LOWEST = -(2**31)
_DNS = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z"
_CLASSES: Path = ("spec", "priorityClasses")
# Up to so many tenants are named in one message.
_NAMED = 3


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check the classes, and what each tenant may use of them."""
    classes = context.policy.spec.priority_classes
    quota = holders(context.policy).quota
    for index, row in enumerate(classes):
        yield from _class(row, (*_CLASSES, index), preempts=quota == "resourceQuota")
    yield from _defaults(classes)
    yield from _lists(context, next((row for row in classes if row.global_default), None))
    if quota == "kueue":
        yield from _never(context)


def _class(row: PriorityClass, path: Path, *, preempts: bool) -> Iterator[Diagnostic]:
    if not _LOWEST <= row.value <= _HIGHEST:
        high = row.value > _HIGHEST
        bound = _HIGHEST if high else _LOWEST
        yield Diagnostic(
            "GP470",
            f"class '{row.name}': value {row.value} {'>' if high else '<'} {bound}, the "
            f"{'highest' if high else 'lowest'} that a class of your own can have",
            (*path, "value"),
            hint=f"write 'value: {bound}'",
        )
    if row.name.startswith("system-"):
        yield Diagnostic(
            "GP471",
            f"the name '{row.name}' starts with 'system-', which belongs to Kubernetes",
            (*path, "name"),
            hint=f"write '{row.name.removeprefix('system-')}'",
        )
    elif not re.match(_DNS, row.name) or len(row.name) > 253:
        yield _no_name(row.name, (*path, "name"))
    if preempts and row.preemption_policy != "Never":
        yield Diagnostic(
            "GP474",
            f"pods of class '{row.name}' preempt pods of other tenants: the kube-scheduler knows "
            "no tenants",
            path,
            severity=Severity.WARNING,
            hint="write 'preemptionPolicy: Never', or install Kueue",
        )


def _no_name(name: str, path: Path) -> Diagnostic:
    proposed = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:63].strip("-")
    return Diagnostic(
        "GP471",
        f"'{name[:60]}' is not a name Kubernetes takes for a class: at most 253 of a-z, 0-9, '-' "
        "and '.', starting and ending with a letter or digit",
        path,
        hint=f"write '{proposed}'" if proposed else None,
    )


def _defaults(classes: Sequence[PriorityClass]) -> Iterator[Diagnostic]:
    found = [(row, (*_CLASSES, i)) for i, row in enumerate(classes) if row.global_default]
    for row, path in found[1:]:
        first, place = found[0]
        yield Diagnostic(
            "GP472",
            f"classes '{first.name}' and '{row.name}' are both the default of the cluster",
            (*path, "globalDefault"),
            hint="take out one of them",
            related=(Related(f"'{first.name}' is it here", (*place, "globalDefault")),),
        )
    if len(found) == 1:
        row, path = found[0]
        yield Diagnostic(
            "GP473",
            f"class '{row.name}' applies to every pod of the cluster that names none",
            (*path, "globalDefault"),
            severity=Severity.WARNING,
            hint="leave 'globalDefault' out, and name the class where it is meant",
        )


def _lists(context: CheckContext, default: PriorityClass | None) -> Iterator[Diagnostic]:
    known = {row.name for row in context.policy.spec.priority_classes}
    for index, tenant in enumerate(context.policy.spec.tenants):
        names = tenant.priority_classes
        path: Path = ("spec", "tenants", index, "priorityClasses")
        if names == []:
            yield Diagnostic(
                "GP476",
                f"tenant '{tenant.name}' may use no priority class at all",
                path,
                severity=Severity.WARNING,
                hint="leave out 'priorityClasses' to allow the parent's, or all",
            )
        elif names is None or default is None or default.name in names:
            continue
        elif known.issuperset(names):  # A name of no class, which is reported, may mean this one.
            yield Diagnostic(
                "GP477",
                f"tenant '{tenant.name}' may not use '{default.name}', which its pods get without "
                "asking",
                path,
                severity=Severity.WARNING,
                hint=f"add '{default.name}' to the list",
            )


def _never(context: CheckContext) -> Iterator[Diagnostic]:
    """Find classes that must not preempt and that Kueue lets preempt, with the tenants."""
    rows = {row.name: row for row in reversed(context.policy.spec.priority_classes)}
    if all(row.preemption_policy != "Never" for row in rows.values()):
        return
    users: dict[tuple[str, ...], list[str]] = {}
    for tenant in context.capacity.tenants.values():
        if not tenant.children:
            users.setdefault(context.classes.get(tenant.name, ()), []).append(tenant.name)
    named: dict[str, list[str]] = {}
    count: dict[str, int] = {}
    for names, tenants in users.items():
        for name in _approximated(names, rows):
            named.setdefault(name, []).extend(tenants[: _NAMED + 1])
            count[name] = count.get(name, 0) + len(tenants)
    for index, row in enumerate(context.policy.spec.priority_classes):
        if row.name in named and rows[row.name] is row:
            path = (*_CLASSES, index, "preemptionPolicy")
            yield _not_exact(row, named[row.name], count[row.name], path)


def _approximated(names: tuple[str, ...], rows: Mapping[str, PriorityClass]) -> tuple[str, ...]:
    classes = [rows[name] for name in names if name in rows]
    if not classes or all(row.preemption_policy == "Never" for row in classes):
        return ()
    lowest = min(row.value for row in classes)
    return tuple(
        row.name for row in classes if row.preemption_policy == "Never" and row.value > lowest
    )


def _not_exact(row: PriorityClass, tenants: list[str], count: int, path: Path) -> Diagnostic:
    shown = quoted(tenants) if count <= _NAMED else f"{count} tenants"
    return Diagnostic(
        "GP475",
        f"Kueue lets class '{row.name}' preempt lower classes of its own tenant, in {shown}",
        path,
        severity=Severity.WARNING,
        hint="'Never' is exact for a tenant's lowest class, or for all of its classes",
    )
