"""The runbook: what to do for every alert of the policy, and what to look at daily and weekly.

The texts are Jinja2 templates beside this module; only commands for what is installed are in them,
with the names of this policy. Commands are those of kubectl 1.34, nvidia-smi of driver 580, dcgmi
4.6, promtool and amtool.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from collections.abc import Mapping
from typing import TYPE_CHECKING
from typing import Any

from gpupolicy.manifest.model import PlainFile
from gpupolicy.plan.model import Plan
from gpupolicy.plan.monitoring_model import MonitoringPlan
from gpupolicy.plan.monitoring_model import RuleInstance
from gpupolicy.plan.monitoring_text import Text
from gpupolicy.plan.names import POOL_LABEL
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.quantity import format_prometheus_duration

if TYPE_CHECKING:
    from jinja2 import Environment

_ROOM = "prometheus"
# As many pools or tenants are named; of more, their number.
_NAMED = 8


class _Placeholders(dict[str, str]):
    """Words that stand for themselves, in backticks: in Markdown `<pool>` alone would be a tag."""

    def __missing__(self, word: str) -> str:
        return f"`<{word}>`"


def runbook(plan: Plan, monitoring: MonitoringPlan) -> Iterator[PlainFile]:
    """Write the runbook of the alerts and the checklists; nothing where there is no alert."""
    alerts = list(_alerts(monitoring))
    if not alerts:
        return
    templates = _templates()
    facts = _facts(plan, monitoring)
    steps = _steps(templates.get_template("runbook_steps.md.j2").render(facts))
    for alert in alerts:
        chosen = (alert["action"], alert["component"])
        alert["steps"] = next((each for each in chosen if each in steps), None)
    words = {**facts, "alerts": alerts, "steps": steps}
    for name in ("alerts", "checks"):
        text = templates.get_template(f"runbook_{name}.md.j2").render(words)
        yield PlainFile(_ROOM, f"runbook/{name}.md", text)


def _templates() -> Environment:
    from jinja2 import Environment
    from jinja2 import FunctionLoader
    from jinja2 import StrictUndefined

    return Environment(  # noqa: S701 - Markdown for people, not HTML
        loader=FunctionLoader(_text),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _text(name: str) -> str:
    """Read a template as the package was loaded, from a folder or an archive."""
    loader: Any = globals()["__loader__"]
    data: bytes = loader.get_data(os.path.join(os.path.dirname(__file__), name))
    return data.decode().replace("\r\n", "\n")


def _steps(text: str) -> dict[str, str]:
    blocks = (block.partition("\n") for block in text.split("== ")[1:])
    return {name: body.strip() for name, _, body in blocks}


def _alerts(monitoring: MonitoringPlan) -> Iterator[dict[str, Any]]:
    """Give each alert once, sorted by name, with the pools or tenants that it is about."""
    found: dict[str, tuple[RuleInstance, dict[str, None]]] = {}
    for group in monitoring.groups:
        for instance in group.instances:
            if instance.template.kind == "alert":
                row = found.setdefault(instance.template.name, (instance, {}))
                row[1][_subject(instance)] = None
    for name in sorted(found):
        instance, subjects = found[name]
        yield _alert(instance, [subject for subject in subjects if subject])


def _subject(instance: RuleInstance) -> str:
    labels = dict(instance.template.labels)
    for kind in ("tenant", "pool"):
        if kind in labels:
            return f"{kind} {labels[kind].write(instance.words)}"
    return ""


def _alert(instance: RuleInstance, subjects: list[str]) -> dict[str, Any]:
    template = instance.template
    labels, texts = dict(template.labels), dict(template.annotations)
    named = ", ".join(subjects[:_NAMED])
    more = f" and {len(subjects) - _NAMED} more" if len(subjects) > _NAMED else ""
    return {
        "name": template.name,
        "severity": _generic(labels.get("severity")),
        "component": _generic(labels.get("component")),
        "action": _generic(labels.get("action")),
        "summary": _generic(texts.get("summary")) or "An alert of the policy's own.",
        "description": _generic(texts.get("description")) or "The policy has its expression.",
        "where": f"{named}{more}" if named else "the policy",
        "waits": format_prometheus_duration(template.for_) if template.for_ else "",
    }


def _generic(text: Text | None) -> str:
    """Write a text for any pool, tenant or node: `<node>` where an alert has its label."""
    import re

    written = text.write(_Placeholders()) if text else ""
    written = re.sub(r"\{\{ \$labels\.(?:exported_)?(\w+) \}\}", r"`<\1>`", written)
    return re.sub(r"\{\{ \$value[^}]*\}\}", "`<value>`", written)


def _facts(plan: Plan, monitoring: MonitoringPlan) -> Mapping[str, Any]:
    operator = plan.platform.component("gpuOperator")
    return {
        "policy": plan.name,
        "pool_label": POOL_LABEL,
        "holder": plan.quota_holder,
        "operator": operator.namespace if operator else "",
        "xids": monitoring.xids,
        "pools": [
            {"name": pool.name, "nodes": _nodes(pool), "gpus": pool.gpus_per_node}
            for pool in plan.pools
        ],
        "devices": [
            {"pool": pool.name, "path": device.resource.replace(".", r"\.")}
            for pool in plan.pools
            for device in pool.devices
        ],
        "mig_pools": [pool.name for pool in plan.pools if pool.mig],
    }


def _nodes(pool: PoolPlan) -> str:
    count = f"{pool.min_nodes} to {pool.nodes}" if pool.autoscaled else str(pool.nodes)
    return f"{count} {'node' if count == '1' else 'nodes'}"
