"""What Kueue cannot say of a priority class.

GP514 never-for-one-class
    `preemptionPolicy: Never` says that work of a class waits rather than stop work of a lower one.
    Kueue has a switch for a whole queue, none for one class. It is exact where the class is the
    lowest of each tenant that may use it (there is nothing lower to stop), or where all classes of
    the tenant are `Never`. Otherwise work of this class may still stop work of a lower class of
    its own tenant, never of another. Give the class the lowest value, or write `Never` for all of
    the tenant's classes. *Approximated.*
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import PriorityPlan
from gpupolicy.plan.model import TenantPlan


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find `Never` on a class that Kueue will let preempt."""
    if plan.quota_holder != "kueue":
        return
    values = {priority.name: priority.value for priority in plan.priorities}
    for index, priority in enumerate(plan.priorities):
        for tenant in plan.tenants:
            lower = _preempted(priority, tenant, values)
            if lower:
                yield _approximated(index, priority, tenant, lower)
                break


def _preempted(priority: PriorityPlan, tenant: TenantPlan, values: dict[str, int]) -> str | None:
    """Give a lower class of the tenant that a `Never` class may stop all the same."""
    classes = tenant.priority_classes
    if priority.preempts or tenant.is_parent or tenant.never_preempts:
        return None
    if priority.name not in classes:
        return None
    lower = [name for name in classes if values[name] < priority.value]
    return min(lower, key=lambda name: (-values[name], name), default=None)


def _approximated(index: int, priority: PriorityPlan, tenant: TenantPlan, lower: str) -> Diagnostic:
    return Diagnostic(
        "GP514",
        f"Kueue has no 'Never' for one class: approximated, in tenant '{tenant.name}' work of "
        f"class '{priority.name}' ({priority.value}) may stop work of class '{lower}'",
        ("spec", "priorityClasses", index, "preemptionPolicy"),
        severity=Severity.WARNING,
        hint="give it the lowest value of the tenant's classes, or write 'Never' for all of them",
    )
