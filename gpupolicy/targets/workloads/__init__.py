"""A manifest to start from for every declared workload: files, never applied by anybody."""

from __future__ import annotations

from gpupolicy.targets.workloads.emit import emit
from gpupolicy.targets.workloads.emit import template
from gpupolicy.targets.workloads.support import reason_without
from gpupolicy.targets.workloads.support import unsupported

NAME = "workloads"
APIS: tuple[tuple[str, str], ...] = (
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("batch.volcano.sh/v1alpha1", "Job"),
    ("batch/v1", "Job"),
    ("jobset.x-k8s.io/v1alpha2", "JobSet"),
    ("kubeflow.org/v1", "PyTorchJob"),
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "Service"),
)

__all__ = ["APIS", "NAME", "emit", "reason_without", "template", "unsupported"]
