"""Walk the plan's classes.

Behind Kueue every PriorityClass is `Never`: with `PreemptLowerPriority` the kube-scheduler kills
pods of other tenants, which Kueue goes on counting as admitted. Kueue alone preempts there.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.model import Manifest
from gpupolicy.plan.model import Plan
from gpupolicy.targets.priority.objects import priority_class
from gpupolicy.targets.priority.objects import workload_priority_class

_ROOM = "priority"


def emit(plan: Plan) -> Iterator[Manifest]:
    """Make one class of each kind for every class of the policy."""
    kueue = plan.platform.component("kueue") if plan.quota_holder == "kueue" else None
    for priority in plan.priorities:
        preempts = priority.preempts and kueue is None
        yield Manifest(_ROOM, priority_class(priority, preempts=preempts), priority.source)
        if kueue:
            data = workload_priority_class(priority, kueue.version)
            yield Manifest(_ROOM, data, priority.source)
