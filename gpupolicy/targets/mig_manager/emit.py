"""Walk the plan and make the ConfigMap of MIG layouts."""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.model import Manifest
from gpupolicy.plan.model import Plan
from gpupolicy.targets.mig_manager.objects import config_map

_ROOM = "mig_manager"


def emit(plan: Plan) -> Iterator[Manifest]:
    """Make the ConfigMap where the operator's MIG manager reads one."""
    if plan.mig_parted and plan.platform.component("gpuOperator"):
        yield Manifest(_ROOM, config_map(plan.mig_parted), "nodePools")
