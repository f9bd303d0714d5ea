"""Which declared workloads get no template, and which templates say less than was meant.

GP580 template-not-written
    Every declared workload gets a manifest to start from, below `files/workloads/`, if its kind is
    Job, JobSet, TrainJob, PyTorchJob, VolcanoJob (or `vcjob`), Deployment or StatefulSet, and the
    component that holds the quota or places the gang can have work of this kind. Kueue does not
    queue Volcano's jobs; Trainer and the training operator make Volcano's gangs by settings of
    their own. The checks are the same without a template.

GP581 template-approximated
    The template cannot say all that the policy says of the workload, and says the nearest. Kueue
    starts fewer pods than all only of a Job; the pods of a Deployment are placed one by one, so no
    topology level holds them together; Volcano knows levels above the host only.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import Version
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.targets.workloads.kinds import kind_of
from gpupolicy.targets.workloads.kinds import listed
from gpupolicy.targets.workloads.kinds import most_characters


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find workloads without a template, and what templates leave out."""
    for workload in plan.workloads:
        reason = reason_without(plan, workload)
        if reason is not None:
            yield Diagnostic(
                "GP580",
                f"workload '{workload.name}' gets no template: {reason}",
                (*workload.path, "kind"),
                severity=Severity.NOTE,
            )
            continue
        for key, sentence in _left_out(plan, workload):
            yield Diagnostic(
                "GP581",
                f"the template of workload '{workload.name}' says less: approximated, {sentence}",
                (*workload.path, key),
                severity=Severity.NOTE,
            )


def reason_without(plan: Plan, workload: WorkloadPlan) -> str | None:
    """Say in a plain sentence why a workload has no template; None if it has one."""
    kind = kind_of(workload)
    if kind is None:
        return f"there are templates of {listed()}, not of '{workload.kind}'"
    most = most_characters(workload, kind)
    if len(workload.name) > most:
        return f"its name has {len(workload.name)} characters > {most} from which pods can be named"
    if kind == "VolcanoJob" and plan.quota_holder != "volcano":
        return "only Volcano as holder of the quota queues a VolcanoJob; write 'kind: Job'"
    if kind == "TrainJob" and (kueue := _too_old(plan)) is not None:
        return f"Kueue {kueue} starts a TrainJob by fields that Trainer 2.2 has no more"
    if kind == "TrainJob" and plan.gang_holder == "volcano" and workload.resource:
        return "a TrainJob cannot name Volcano as its scheduler, only its runtime can"
    if kind == "TrainJob" and plan.quota_holder == "volcano":
        return "a TrainJob cannot name a queue of Volcano, only its runtime can"
    volcano = plan.platform.component("volcano") if plan.gang_holder == "volcano" else None
    gang_of_owner = volcano is not None and kind != "VolcanoJob" and minimum(workload)
    # volcano v1.12: pkg/controllers/podgroup reads `group-min-member` from owners.
    if gang_of_owner and volcano is not None and volcano.version < Version(1, 12):
        return f"Volcano {volcano.version} makes no gang of a {kind}, from 1.12 on it does"
    if kind == "PyTorchJob" and plan.gang_holder == "volcano" and minimum(workload):
        return "the training operator makes Volcano's gangs by a setting of its own"
    return None


def _too_old(plan: Plan) -> Version | None:
    """Give a Kueue that does not know Trainer's runtime patches.

    Source: Kueue v0.15.0 and v0.17.0, pkg/controller/jobs/trainjob/trainjob_controller.go.
    """
    kueue = plan.platform.component("kueue") if plan.quota_holder == "kueue" else None
    return kueue.version if kueue is not None and kueue.version < Version(0, 17) else None


def minimum(workload: WorkloadPlan) -> int | None:
    """Give how many pods start together; None if it is no gang."""
    return workload.gang if workload.gang is not None and workload.pods > 1 else None


def _left_out(plan: Plan, workload: WorkloadPlan) -> Iterator[tuple[str, str]]:
    kind, least = kind_of(workload), minimum(workload)
    level = workload.topology_required or workload.topology_preferred
    fewer = least is not None and least < workload.pods
    if fewer and plan.gang_holder == "kueue" and kind not in ("Job", "Deployment"):
        yield "gang", f"Kueue starts all {workload.pods} pods of a {kind} or none"
    if level is not None and kind == "Deployment":
        yield "topology", "the pods of a Deployment are placed one by one"
    elif level == "host" and plan.gang_holder == "volcano" and workload.pods > 1:
        yield "topology", "Volcano knows levels above the host only"
