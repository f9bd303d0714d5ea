"""Walk the plan: one values file, for the chart that runs the controllers. None is made here."""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.model import PlainFile
from gpupolicy.plan.model import Plan
from gpupolicy.targets.nvsentinel.values import values

_ROOM = "nvsentinel"
_HEAD = (
    "# For the chart nvsentinel. Helm replaces a list as a whole: these rule sets are all there\n"
    "# are, and rules of your own are added here. Fault quarantine needs the chart's datastore.\n"
)


def emit(plan: Plan) -> Iterator[PlainFile]:
    """Make the values where NVSentinel is installed and has GPUs to watch."""
    if plan.self_healing is not None:
        text = _HEAD + dump(values(plan, plan.self_healing))
        yield PlainFile(_ROOM, "nvsentinel-values.yaml", text)
