"""Which kinds have a template, and the words that ask for them."""

from __future__ import annotations

from typing import Literal

from gpupolicy.plan.model import WorkloadPlan

Kind = Literal["Job", "JobSet", "TrainJob", "PyTorchJob", "VolcanoJob", "Deployment", "StatefulSet"]

_KINDS: dict[str, Kind] = {
    "Job": "Job",
    "JobSet": "JobSet",
    "TrainJob": "TrainJob",
    "PyTorchJob": "PyTorchJob",
    # Volcano's kind is called Job as well; its command line calls it vcjob.
    "VolcanoJob": "VolcanoJob",
    "vcjob": "VolcanoJob",
    "Deployment": "Deployment",
    "StatefulSet": "StatefulSet",
}
# What is added to the name of the workload before the number of a pod, for the longest name that
# comes of it: a pod's hostname, or the label of a StatefulSet's revision.
_ADDED: dict[Kind, int] = {
    "Job": len("-"),
    "JobSet": len("-workers-0-"),
    "TrainJob": len("-node-0-"),
    "PyTorchJob": len("-worker-"),
    "VolcanoJob": len("-worker-"),
    "Deployment": 0,
    "StatefulSet": len("-5d4f8c9b7d"),
}
_LONGEST = 63


def kind_of(workload: WorkloadPlan) -> Kind | None:
    """Give the kind of the template; None if there is none for it."""
    return _KINDS.get(workload.kind)


def most_characters(workload: WorkloadPlan, kind: Kind) -> int:
    """Give the longest name of a workload of this kind, so that its pods can be called after it."""
    digits = 0 if kind == "Deployment" else len(str(workload.pods - 1))
    return _LONGEST - _ADDED[kind] - digits


def is_service(kind: Kind) -> bool:
    """Tell whether the work has no end."""
    return kind in ("Deployment", "StatefulSet")


def listed() -> str:
    """Name the kinds for a sentence."""
    names = sorted(set(_KINDS.values()))
    return f"{', '.join(names[:-1])} and {names[-1]}"
