"""Walk the workloads, and say in comments what a person has to fill in.

Comments are put between the lines of canonical YAML, so that no name of a user can leave its
place: what is read from the text is what was made as objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpupolicy.manifest.canonical import dump_all
from gpupolicy.manifest.model import PlainFile
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.targets.workloads import batch
from gpupolicy.targets.workloads import comments
from gpupolicy.targets.workloads import services
from gpupolicy.targets.workloads.kinds import kind_of
from gpupolicy.targets.workloads.support import reason_without

_ROOM = "workloads"

_MAKERS = {
    "Job": batch.job,
    "JobSet": batch.job_set,
    "TrainJob": batch.train_job,
    "PyTorchJob": batch.py_torch_job,
    "VolcanoJob": batch.volcano_job,
    "Deployment": services.deployment,
    "StatefulSet": services.stateful_set,
}


def emit(plan: Plan) -> Iterator[PlainFile]:
    """Make a file for every workload that has a template, in the folder of its tenant."""
    for workload in plan.workloads:
        if reason_without(plan, workload) is None:
            path = f"workloads/{workload.tenant}/{workload.name}.yaml"
            yield PlainFile(_ROOM, path, template(plan, workload))


def template(plan: Plan, workload: WorkloadPlan) -> str:
    """Write the manifest of a workload that has a template, with comments; ends with a line end."""
    return comments.commented(plan, workload, dump_all(objects(plan, workload)))


def objects(plan: Plan, workload: WorkloadPlan) -> list[dict[str, Any]]:
    """Make the objects of a workload's template, in the tenant's first namespace."""
    kind = kind_of(workload)
    assert kind is not None
    namespace = plan.tenant(workload.tenant).namespaces[0]
    return _MAKERS[kind](plan, workload, namespace)
