"""What work carries for its queue, its order, its gang and its place, by who holds them.

Sources: Kueue v0.19 (site/data/labels_and_annotations.yaml, pkg/controller/constants; podset groups
since v0.13), Volcano v1.15 (pkg/controllers/podgroup/pg_controller_handler.go: the size of a gang
and `volcano.sh/sla-waiting-time` are read from the owner's own metadata, the queue, preemptability
and topology from the pod template).
"""

from __future__ import annotations

from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import SlaPlan
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.quantity import format_duration
from gpupolicy.targets.workloads.support import minimum

_QUEUE = "kueue.x-k8s.io/queue-name"
_PRIORITY = "kueue.x-k8s.io/priority-class"
_MAX_RUN = "kueue.x-k8s.io/max-exec-time-seconds"
_MIN_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism"
_TOPOLOGY = "kueue.x-k8s.io/podset-{}-topology"
_VOLCANO_QUEUE = "scheduling.volcano.sh/queue-name"
_VOLCANO_GANG = "scheduling.volcano.sh/group-min-member"
_VOLCANO_PREEMPTABLE = "volcano.sh/preemptable"
_VOLCANO_WAIT = "volcano.sh/sla-waiting-time"
_VOLCANO_TOPOLOGY = "volcano.sh/network-topology"
_SECOND = 10**9


def sla_of(plan: Plan, workload: WorkloadPlan) -> SlaPlan | None:
    """Give the SLA that binds a workload."""
    return next((sla for sla in plan.slas if sla.name == workload.sla), None)


def is_suspended(plan: Plan) -> bool:
    """Tell whether a job waits until its queue starts it; Volcano gates pods by its scheduler."""
    return plan.quota_holder == "kueue"


def object_labels(plan: Plan, workload: WorkloadPlan, *, ends: bool) -> dict[str, str]:
    """Give the labels of the object itself; work that `ends` may have a longest run time."""
    if plan.quota_holder != "kueue":
        return {}
    labels = {_QUEUE: workload.tenant}
    if workload.priority_class:
        labels[_PRIORITY] = workload.priority_class
    sla = sla_of(plan, workload)
    if ends and sla is not None and sla.max_run_time is not None:
        labels[_MAX_RUN] = str(sla.max_run_time // _SECOND)
    return labels


def owner_annotations(plan: Plan, workload: WorkloadPlan) -> dict[str, str]:
    """Give the annotations of the object that owns the pods."""
    found: dict[str, str] = {}
    least = minimum(workload)
    if plan.gang_holder == "volcano" and least is not None:
        found[_VOLCANO_GANG] = str(least)
    if plan.gang_holder == "kueue" and least is not None and least < workload.pods:
        found[_MIN_PARALLELISM] = str(least)
    return found | wait_annotations(plan, workload)


def wait_annotations(plan: Plan, workload: WorkloadPlan) -> dict[str, str]:
    """Give how long the work may wait before it goes first, where Volcano holds quota."""
    sla = sla_of(plan, workload)
    if plan.quota_holder != "volcano" or sla is None or sla.wait_within is None:
        return {}
    return {_VOLCANO_WAIT: format_duration(sla.wait_within)}


def pod_annotations(plan: Plan, workload: WorkloadPlan, *, alone: bool) -> dict[str, str]:
    """Give the annotations of the pod template; pods that are `alone` have no place together."""
    found: dict[str, str] = {}
    if plan.quota_holder == "volcano":
        found[_VOLCANO_QUEUE] = workload.tenant
        sla = sla_of(plan, workload)
        found[_VOLCANO_PREEMPTABLE] = "true" if sla is None or sla.preemptible else "false"
    if alone:
        return found
    if plan.gang_holder == "kueue":
        return found | _kueue_topology(plan.pool(workload.pool), workload)
    topology = network_topology(plan, workload)
    if topology is not None:
        mode, tier = topology
        found[f"{_VOLCANO_TOPOLOGY}-mode"] = mode
        found[f"{_VOLCANO_TOPOLOGY}-highest-tier"] = str(tier)
    return found


def _kueue_topology(pool: PoolPlan, workload: WorkloadPlan) -> dict[str, str]:
    labels = {level.name: level.node_label for level in pool.levels}
    if workload.topology_required:
        return {_TOPOLOGY.format("required"): labels[workload.topology_required]}
    if workload.topology_preferred:
        return {_TOPOLOGY.format("preferred"): labels[workload.topology_preferred]}
    if minimum(workload) is not None and pool.levels:
        return {_TOPOLOGY.format("preferred"): pool.levels[0].node_label}
    return {}


def network_topology(plan: Plan, workload: WorkloadPlan) -> tuple[str, int] | None:
    """Give Volcano's mode and highest tier; tiers count from the narrowest level above the host."""
    level = workload.topology_required or workload.topology_preferred
    if plan.gang_holder != "volcano" or level is None or level == "host":
        return None
    names = [one.name for one in plan.pool(workload.pool).levels]
    mode = "hard" if workload.topology_required else "soft"
    return mode, len(names) - 1 - names.index(level)
