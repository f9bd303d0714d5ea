"""Layouts that nothing would apply.

GP506 mig-not-configured
    MIG manager cuts the cards, and the GPU Operator brings it along. Without `gpuOperator` under
    `spec.platform` no layout is written: quotas and queues count the slices, and the nodes offer
    them only if you cut the GPUs yourself. Name the operator, or leave out the pool's
    `sharing.mig`. *Impossible.*
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find pools whose GPUs nobody cuts."""
    if plan.platform.component("gpuOperator"):
        return
    for pool in plan.pools:
        if pool.mig:
            yield Diagnostic(
                "GP506",
                f"nothing cuts the GPUs of pool '{pool.name}' without the GPU Operator: its slices "
                "are counted, and no layout is written",
                (*pool.path, "sharing", "mig"),
                severity=Severity.WARNING,
                hint="name 'gpuOperator' under 'platform'",
            )
