"""Walk the plan and make Volcano's objects; decisions are the plan's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile
from gpupolicy.plan.model import Plan
from gpupolicy.targets.volcano import objects
from gpupolicy.targets.volcano.amounts import amounts
from gpupolicy.targets.volcano.ceilings import spelled_out

_ROOM = "volcano"


def emit(plan: Plan) -> Iterator[Manifest | PlainFile]:
    """Make queues if Volcano holds quota, and its settings if it does anything; else nothing.

    Behind Kueue the built-in queue `default` stays open and unbounded, and no Queue is written.
    """
    if plan.platform.component("volcano") is None:
        return
    if "volcano" not in (plan.quota_holder, plan.gang_holder):
        return
    if plan.quota_holder == "volcano":
        found = spelled_out(plan, amounts(plan))
        for tenant in plan.tenants:
            yield Manifest(_ROOM, objects.queue(tenant, found[tenant.name]), tenant.source)
    yield PlainFile(_ROOM, "volcano-values.yaml", dump({"custom": _overrides(plan)}))


def _overrides(plan: Plan) -> dict[str, Any]:
    overrides: dict[str, Any] = {
        "scheduler_config_override": dump(objects.scheduler_config(plan)),
    }
    controller = objects.controller_config(plan)
    if controller:
        # Not a text, as the chart's own example has it: the template prints it by toYaml, and the
        # controller cannot read the text in a text (1.12 to 1.15, templates/controllers.yaml).
        overrides["controller_config_override"] = controller
    return overrides
