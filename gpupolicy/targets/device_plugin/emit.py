"""Walk the plan and make the device plugin's ConfigMap."""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.model import Manifest
from gpupolicy.plan.model import Plan
from gpupolicy.targets.device_plugin.objects import config_map

_ROOM = "device_plugin"


def emit(plan: Plan) -> Iterator[Manifest]:
    """Make the ConfigMap where the operator's device plugin reads one."""
    if plan.device_plugin and plan.platform.component("gpuOperator"):
        yield Manifest(_ROOM, config_map(plan.device_plugin), "nodePools")
