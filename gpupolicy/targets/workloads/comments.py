"""The comments of a template: what to fill in, and why a field is as it is."""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.targets.workloads import pods
from gpupolicy.targets.workloads.kinds import is_service
from gpupolicy.targets.workloads.kinds import kind_of
from gpupolicy.targets.workloads.queueing import sla_of
from gpupolicy.targets.workloads.services import start_seconds
from gpupolicy.targets.workloads.support import minimum

# By the line as it is written, without its indent: what stands behind it.
_BEHIND = {
    f"image: {pods.IMAGE}": "fill in: your image; its program runs as user 1000",
    "storage: 100Gi": "fill in: room for checkpoints",
    "storage: 50Gi": "fill in: room for what a user keeps",
    "path: /health": "fill in: where your server says that it is well",
    "name: torch-distributed": "fill in: the runtime, if it is another",
    "medium: Memory": "counts against the memory of the pod",
    "containerPort: 8000": "fill in: the port of your server",
    "containerPort: 8888": "fill in: the port of your server",
}
# By the line as it is written: what stands above it.
_ABOVE = {
    "command:": "fill in: how your program starts",
    "podFailurePolicy:": "A pod that is preempted or drained is no failure of the program.",
    "- name: evicted": "An eviction costs the gang no try; it starts anew as a whole.",
    "restartPolicy: ExitCode": "An end by a signal, such as an eviction, starts anew.",
    "suspend: true": "Kueue starts it when there is room.",
    "podManagementPolicy: Parallel": "The pods are let in together.",
    "maxSurge: 0": "The tenant cannot have a device more, so a pod goes before the next comes.",
}


def commented(plan: Plan, workload: WorkloadPlan, text: str) -> str:
    """Add the head and the comments to the lines of a stream of block YAML."""
    above = dict(_ABOVE)
    above["startupProbe:"] = f"Up to {start_seconds(workload)} s to load the model."
    lines = [f"# {line}" if line else "#" for line in _head(plan, workload)]
    for line in text.splitlines():
        words = line.lstrip(" ")
        bare = words.removeprefix("- ")
        note = above.pop(words, None) or (above.pop(bare, None) if bare != words else None)
        if note:
            lines.append(" " * (len(line) - len(words)) + f"# {note}")
        behind = _BEHIND.get(bare)
        lines.append(f"{line}  # {behind}" if behind else line)
    return "\n".join(lines) + "\n"


def _head(plan: Plan, workload: WorkloadPlan) -> Iterator[str]:
    pods_of = f"{workload.pods} pod{'s' if workload.pods > 1 else ''}"
    each = f" of {workload.gpus_per_pod} x {workload.resource}" if workload.resource else ""
    yield f"{workload.kind} '{workload.name}' of tenant '{workload.tenant}':"
    yield f"{pods_of}{each} on pool '{workload.pool}'."
    yield ""
    yield "A template that nothing applies. Lines with 'fill in' wait for what only you know; all"
    yield "others follow from the policy, and jobs that differ from them may wait or be refused."
    others = plan.tenant(workload.tenant).namespaces[1:]
    if others:
        yield f"The tenant has more namespaces: {', '.join(others)}."
    yield from _particulars(plan, workload)


def _particulars(plan: Plan, workload: WorkloadPlan) -> Iterator[str]:
    kind = kind_of(workload)
    if kind is None:
        return
    if not workload.requests:
        yield "The policy says nothing of cpu and memory here: fill in what a pod requests."
    if kind == "StatefulSet" and plan.quota_holder == "kueue" and workload.pods > 1:
        yield "Kueue lets all pods of a StatefulSet in together. For work of several people, such"
        yield "as notebooks, copy it for each of them with 'replicas: 1'."
    if kind == "TrainJob" and workload.priority_class:
        yield "Only its runtime can name the PriorityClass of the pods."
    if pods.uses_rdma(workload):
        yield "RDMA pins memory, hence IPC_LOCK, which Pod Security allows at 'privileged' only."
    if minimum(workload) is not None and plan.gang_holder == "none":
        yield "Nobody places gangs here: the pods start one by one."
    sla = sla_of(plan, workload)
    if not is_service(kind) and (sla is None or sla.preemptible):
        yield "It may be preempted at any time: write checkpoints, and start from the last one."
