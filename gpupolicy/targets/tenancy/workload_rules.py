"""The guard rails of workloads, W1 to W5, and what they read.

They refuse at the command line of a user what P1 to P13 would refuse in the events of a
controller, and check what becomes of a Job before its pods are trusted. A CronJob is not checked;
the Job that it makes is, and the refusal is an event of the CronJob.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.key import Data
from gpupolicy.plan.model import Plan
from gpupolicy.targets.tenancy import namespaces
from gpupolicy.targets.tenancy.cel import Rule
from gpupolicy.targets.tenancy.cel import text
from gpupolicy.targets.tenancy.cel import texts
from gpupolicy.targets.tenancy.cel import variable
from gpupolicy.targets.tenancy.queueing import KUEUE_MAX_RUN
from gpupolicy.targets.tenancy.queueing import KUEUE_PRIORITY
from gpupolicy.targets.tenancy.queueing import Queueing
from gpupolicy.targets.tenancy.queueing import queueing
from gpupolicy.targets.tenancy.shared import is_accelerator
from gpupolicy.targets.tenancy.shared import needs_queue
from gpupolicy.targets.tenancy.shared import tenant_variables

_PLAIN = ("Job", "Deployment", "StatefulSet", "ReplicaSet", "DaemonSet")
# Kueue has no integration for these.
_NOT_QUEUED = texts(("ReplicaSet", "DaemonSet"))
_ENDLESS = texts(
    (
        "Deployment",
        "StatefulSet",
        "ReplicaSet",
        "DaemonSet",
        "RayCluster",
        "RayService",
        "LeaderWorkerSet",
    )
)


def workload_rules(plan: Plan) -> Iterator[Rule]:
    """Give the rules; none where there are neither queues nor classes."""
    word = queueing(plan)
    is_kueue = plan.quota_holder == "kueue"
    if word:
        yield from _queue(word)
    if plan.priorities:
        yield from _classes(is_kueue=is_kueue)
    if is_kueue:
        yield _run_time()


def _queue(word: Queueing) -> Iterator[Rule]:
    passed = ""
    if word.holder == "kueue":
        yield Rule(
            "W4",
            "Forbidden",
            f"!(object.kind in {_NOT_QUEUED}) || !variables.usesAccelerator",
            "Kueue cannot queue a ReplicaSet or DaemonSet with GPUs: use a Deployment",
        )
        passed = f"\n|| object.kind in {_NOT_QUEUED}"
    where = " on the pod template" if word.place == "annotation" else ""
    yield Rule(
        "W1",
        "Forbidden",
        f"(variables.plain && !variables.needsQueue){passed}\n"
        "|| variables.queue in variables.queues",
        f"this workload must name a queue of the tenant by the {word.place} {word.key}{where}",
        f"""
        'tenant ' + variables.tenant + ': this workload must carry the {word.place} '
        + '{word.key}{where} with one of: ' + variables.queues.join(', ')
        """,
    )
    yield Rule(
        "W1",
        "Forbidden",
        "variables.queue == '' || variables.queue in variables.queues",
        f"the {word.place} {word.key} names a queue of another tenant",
        """
        'queue ' + variables.queue + ' does not belong to tenant ' + variables.tenant
        + ', whose queues are: ' + variables.queues.join(', ')
        """,
    )


def _classes(*, is_kueue: bool) -> Iterator[Rule]:
    if is_kueue:
        key = text(KUEUE_PRIORITY)
        yield Rule(
            "W2",
            "Forbidden",
            f"!({key} in variables.labels)\n|| variables.labels[{key}] in variables.classes",
            f"the label {KUEUE_PRIORITY} names a class that the tenant may not use",
            f"""
            'tenant ' + variables.tenant + ' may not use priority class ' + variables.labels[{key}]
            + ', only: ' + variables.classes.join(', ')
            """,
        )
    yield Rule(
        "W3",
        "Forbidden",
        """
        variables.podSpecs.all(p, !has(p.priorityClassName)
        || p.priorityClassName in variables.classes)
        """,
        "the pod template names a priority class that the tenant may not use",
        """
        'tenant ' + variables.tenant + ' may not use the priority class of the pod template, only: '
        + variables.classes.join(', ')
        """,
    )


def _run_time() -> Rule:
    return Rule(
        "W5",
        "Forbidden",
        f"""
        variables.maxRun == '' || (variables.plain && !variables.usesAccelerator)
        || object.kind in {_ENDLESS}
        || (variables.runSeconds.matches('^[1-9][0-9]{{0,8}}$')
        && int(variables.runSeconds) <= int(variables.maxRun))
        """,
        f"work of this tenant ends: say when by the label {KUEUE_MAX_RUN}",
        f"""
        'tenant ' + variables.tenant + ': the label {KUEUE_MAX_RUN} must say a number of seconds '
        + 'from 1 to ' + variables.maxRun
        """,
    )


def workload_variables(plan: Plan) -> Iterator[Data]:
    """Give the variables in an order in which each uses only earlier ones."""
    word = queueing(plan)
    yield from tenant_variables()
    yield variable("labels", "has(object.metadata.labels) ? object.metadata.labels : {}")
    yield variable(
        "plain",
        f"object.apiVersion in ['batch/v1', 'apps/v1'] && object.kind in {texts(_PLAIN)}",
    )
    yield variable("podSpecs", "variables.plain ? [object.spec.template.spec] : []")
    yield _uses_accelerator(plan)
    if word:
        yield needs_queue()
        yield _queue_of(word)
    if plan.quota_holder == "kueue":
        yield variable("maxRun", f"variables.ann[?'{namespaces.MAX_RUN_SECONDS}'].orValue('')")
        yield _run_seconds()


def _uses_accelerator(plan: Plan) -> Data:
    return variable(
        "usesAccelerator",
        f"""
        variables.podSpecs.exists(p,
        (p.containers + (has(p.initContainers) ? p.initContainers : []))
        .exists(c, has(c.resources) && has(c.resources.limits)
        && c.resources.limits.exists(k,
        {is_accelerator(plan, "k")})))
        """,
    )


def _queue_of(word: Queueing) -> Data:
    key = text(word.key)
    if word.holder == "volcano":
        place = "object.spec.template.metadata.annotations"
        return variable(
            "queue",
            f"""
            variables.plain ? (has(object.spec.template.metadata) && has({place})
            && {key} in {place} ? {place}[{key}] : '')
            : (has(object.spec.queue) ? object.spec.queue : '')
            """,
        )
    return variable("queue", f"variables.labels[?{key}].orValue('')")


def _run_seconds() -> Data:
    return variable(
        "runSeconds",
        f"""
        variables.labels[?'{KUEUE_MAX_RUN}'].orValue(
        object.kind == 'Job' && has(object.spec.activeDeadlineSeconds)
        ? string(object.spec.activeDeadlineSeconds) : '')
        """,
    )
