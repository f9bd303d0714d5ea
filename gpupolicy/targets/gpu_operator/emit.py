"""Walk the plan: values of the charts that are installed, or the operator's own object."""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile
from gpupolicy.plan.model import Plan
from gpupolicy.targets.gpu_operator.objects import cluster_policy
from gpupolicy.targets.gpu_operator.values import exporter_values
from gpupolicy.targets.gpu_operator.values import nfd_values
from gpupolicy.targets.gpu_operator.values import operator_values

_ROOM = "gpu_operator"


def emit(plan: Plan) -> Iterator[Manifest | PlainFile]:
    """Make the values of operator, exporter and NFD, and the ClusterPolicy where it is ours."""
    platform = plan.platform
    if plan.gpu_operator and platform.component("gpuOperator"):
        yield PlainFile(_ROOM, "gpu-operator-values.yaml", dump(operator_values(plan)))
        spec = plan.gpu_operator.cluster_policy
        if platform.gpu_operator_write == "clusterPolicy" and spec is not None:
            yield Manifest(_ROOM, cluster_policy(plan, spec), "platform.gpuOperator")
    if platform.component("dcgmExporter"):
        yield PlainFile(_ROOM, "dcgm-exporter-values.yaml", dump(exporter_values(plan)))
    if platform.component("nodeFeatureDiscovery"):
        yield PlainFile(_ROOM, "nfd-values.yaml", dump(nfd_values(plan)))
