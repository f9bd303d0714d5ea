"""Declared workloads are work that the holders know how to start.

GP620 workload-count-wrong
    A workload has at least one pod, and a pod asks for a whole number of devices (on a pool with
    `fractions: true` also for a part of one). Percentages count what a tenant has, not what a pod
    asks for.

GP622 gang-larger-than-workload
    `gang: 6` means that at least six pods start together, so a workload has at least that many.
    `gang: true` is all of them.

GP623 topology-needs-placer
    Topology levels are read by the component that places gangs, and here nobody does. Install
    Kueue, Volcano or KAI, take another `gang` under `scheduling`, or leave `topology` out.

GP624 topology-twice
    A workload has one topology level: `required` (wait until one domain holds all pods) or
    `preferred` (start elsewhere if none does).

GP625 gang-unplaced
    Nobody places gangs here (`gang: none`). Kueue admits a job as a whole and then leaves its
    pods to the kube-scheduler one by one, so that on scattered nodes some of them may wait while
    the others hold their GPUs. With ResourceQuota not even that is sure.

GP626 kind-not-queued
    Kueue does not know this kind, so its pods are not queued: they run at once, or the guard
    rails stop them. Use a kind that is queued, such as `Job`, `JobSet` or `Deployment`.

GP627 class-not-allowed
    The workload names a priority class that its tenant may not use. Add it to the tenant's
    `priorityClasses`, or take one of those that are there.

GP628 gang-of-deployment
    The pods of a Deployment are let in one by one, each as work of its own, so they are never a
    gang. Use a `StatefulSet`, a `LeaderWorkerSet` or a `Job`.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from fractions import Fraction

from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.scheduling import Holders
from gpupolicy.capacity.scheduling import holders
from gpupolicy.capacity.wording import number
from gpupolicy.capacity.wording import quoted
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import did_you_mean
from gpupolicy.check_base import place_of
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.tenants import Workload

# Kueue v0.19: config/components/manager/controller_manager_config.yaml, integrations.frameworks;
# the jobs of Kubeflow's training operator are in its code and off by default. CronJobs make Jobs.
_QUEUED = (
    "Job",
    "CronJob",
    "JobSet",
    "Pod",
    "Deployment",
    "StatefulSet",
    "LeaderWorkerSet",
    "TrainJob",
    "MPIJob",
    "PyTorchJob",
    "TFJob",
    "XGBoostJob",
    "PaddleJob",
    "JAXJob",
    "RayJob",
    "RayCluster",
    "RayService",
    "AppWrapper",
)
_HINT = f"queued are {', '.join(_QUEUED[:7])} and more"


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check every declared workload by itself."""
    held = holders(context.policy)
    known = {row.name for row in context.policy.spec.priority_classes}
    for tenant in context.capacity.tenants.values():
        for index, workload in enumerate(tenant.spec.workloads):
            path = (*tenant.path, "workloads", index)
            yield from _counts(context, tenant, workload, path)
            yield from _gang(workload, path, held)
            yield from _topology(workload, path, held)
            if held.quota == "kueue":
                yield from _kind(workload, path)
            allowed = context.classes.get(tenant.name)
            if allowed is not None:
                yield from _class(workload, path, tenant, allowed, known)


def _counts(
    context: CheckContext, tenant: TenantCapacity, workload: Workload, path: Path
) -> Iterator[Diagnostic]:
    if workload.pods < 1:
        yield _wrong(workload, f"{number(workload.pods, 'pod')}", (*path, "pods"), "from 1")
    each = workload.gpus_per_pod
    if each is None or isinstance(each, int):
        return
    where = (*path, "gpusPerPod")
    if not isinstance(each, Fraction):
        yield _wrong(workload, f"{each.text} of the devices in a pod", where, "a whole number")
        return
    place = place_of(context, tenant, workload)
    if place is None or place.device is None or place.device.sharing != "fractions":
        hint = "a whole number; to give less than a GPU, share it by 'mig', 'mps' or 'timeSlicing'"
        yield _wrong(workload, f"{float(each):g} devices in a pod", where, hint)


def _wrong(workload: Workload, what: str, path: Path, hint: str) -> Diagnostic:
    message = f"workload '{workload.name}' has {what}"
    return Diagnostic("GP620", message, path, hint=f"write {hint}")


def _gang(workload: Workload, path: Path, held: Holders) -> Iterator[Diagnostic]:
    gang, where = workload.gang, (*path, "gang")
    if gang is False:
        return
    if gang is not True and gang > max(workload.pods, 1):
        yield Diagnostic(
            "GP622",
            f"gang {gang} > {number(workload.pods, 'pod')} of workload '{workload.name}'",
            where,
            hint=f"write 'gang: {workload.pods}' or 'gang: true', or more pods",
        )
    if workload.pods < 2:
        return
    if held.gang == "none":
        yield Diagnostic(
            "GP625",
            f"nobody places the gang of workload '{workload.name}': its pods start one by one",
            where,
            severity=Severity.WARNING,
            hint="let Kueue, Volcano or KAI place gangs",
        )
    elif workload.kind == "Deployment":
        yield Diagnostic(
            "GP628",
            f"the pods of Deployment '{workload.name}' are let in one by one and are no gang",
            where,
            severity=Severity.WARNING,
            hint="use a StatefulSet, a LeaderWorkerSet or a Job",
        )


def _topology(workload: Workload, path: Path, held: Holders) -> Iterator[Diagnostic]:
    topology, where = workload.topology, (*path, "topology")
    if topology is None or (topology.required is None and topology.preferred is None):
        return
    if held.gang == "none":
        yield Diagnostic(
            "GP623",
            f"nobody reads the topology of workload '{workload.name}': nobody places gangs",
            where,
            part="key",
            hint="let Kueue, Volcano or KAI place gangs, or leave 'topology' out",
        )
    elif topology.required is not None and topology.preferred is not None:
        yield Diagnostic(
            "GP624",
            f"workload '{workload.name}' has a required and a preferred level",
            (*where, "preferred"),
            hint="keep one of the two",
        )


def _kind(workload: Workload, path: Path) -> Iterator[Diagnostic]:
    if workload.kind in _QUEUED:
        return
    folded = {kind.lower(): kind for kind in _QUEUED}
    same = folded.get(workload.kind.lower())
    yield Diagnostic(
        "GP626",
        f"Kueue does not queue the kind '{workload.kind}' of workload '{workload.name}'",
        (*path, "kind"),
        severity=Severity.WARNING,
        hint=f"did you mean '{same}'?" if same else did_you_mean(workload.kind, _QUEUED) or _HINT,
    )


def _class(
    workload: Workload, path: Path, tenant: TenantCapacity, allowed: Sequence[str], known: set[str]
) -> Iterator[Diagnostic]:
    name = workload.priority_class
    # What does not exist is reported as such, here and in the tenant's list.
    if name not in known or name in allowed or not known.issuperset(allowed):
        return
    yield Diagnostic(
        "GP627",
        f"tenant '{tenant.name}' may not use class '{name}' of workload '{workload.name}'",
        (*path, "priorityClass"),
        hint=f"allowed {'are' if len(allowed) > 1 else 'is'} {quoted(allowed)}"
        if allowed
        else None,
    )
