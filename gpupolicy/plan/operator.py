"""The release of the GPU Operator -> the defaults of its chart that the values file must repeat."""

from __future__ import annotations

from gpupolicy.facts.catalog import Facts
from gpupolicy.plan.model import PlatformPlan
from gpupolicy.plan.operator_model import GpuOperatorPlan


def lower_operator(platform: PlatformPlan, facts: Facts) -> GpuOperatorPlan | None:
    """Look the release up; None without the GPU Operator."""
    operator = platform.component("gpuOperator")
    if operator is None:
        return None
    line = facts.component("gpuOperator").resolve(str(operator.version)).line
    spec = None
    if platform.gpu_operator_write == "clusterPolicy":
        from gpupolicy.facts.operator import cluster_policy_spec

        spec = cluster_policy_spec(line.version)
    return GpuOperatorPlan(
        daemonset_tolerations=tuple(line.values["daemonsetTolerations"]),
        nfd_worker_tolerations=tuple(line.values["nfdWorkerTolerations"]),
        cluster_policy=spec,
    )
