"""Sharing that nothing would configure.

GP505 sharing-not-configured
    Replicas are made by NVIDIA's device plugin, which reads its configuration through the GPU
    Operator. Without `gpuOperator` under `spec.platform` there is nobody to read it, so none is
    written: quotas and queues count the replicas, and the nodes go on offering whole GPUs unless
    you configured the plugin yourself. Name the operator, or leave out the pool's `sharing`.
    *Impossible.*
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find pools whose replicas nobody makes."""
    if plan.platform.component("gpuOperator"):
        return
    for pool in plan.pools:
        if pool.sharing and pool.managed:
            offered = ", ".join(f"{d.per_node} x {d.resource}" for d in pool.devices)
            yield Diagnostic(
                "GP505",
                f"nothing shares the GPUs of pool '{pool.name}' without the GPU Operator: its "
                f"nodes are counted with {offered} each, and no configuration is written",
                (*pool.path, "sharing"),
                severity=Severity.WARNING,
                hint="name 'gpuOperator' under 'platform'",
            )
