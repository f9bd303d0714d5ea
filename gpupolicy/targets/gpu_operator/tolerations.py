"""Which taints the operands, the exporter and the NFD worker must bear.

All operands take the operator's `daemonsets.tolerations`; NFD, a chart of its own, does not. A
list of ours replaces the chart's, so it starts with the chart's entries. A node whose taint is
missing in one of them gets no driver, or no labels, and never offers a GPU.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping

from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import TaintPlan

Toleration = Mapping[str, str]


def gpu_taints(plan: Plan) -> list[TaintPlan]:
    """List the taints of pools with NVIDIA GPUs, those of others' device plugins included."""
    return [
        taint for pool in plan.pools if pool.gpu and pool.gpu.nvidia for taint in pool.node.taints
    ]


def all_taints(plan: Plan) -> list[TaintPlan]:
    """List the taints of all pools: NFD labels nodes of any kind."""
    return [taint for pool in plan.pools for taint in pool.node.taints]


def tolerations(defaults: Iterable[Toleration], taints: Iterable[TaintPlan]) -> list[Toleration]:
    """Add to the chart's tolerations one for each distinct taint that they do not cover."""
    found: list[Toleration] = [dict(toleration) for toleration in defaults]
    for taint in taints:
        if not any(_covers(toleration, taint) for toleration in found):
            found.append(_toleration(taint))
    return found


def _toleration(taint: TaintPlan) -> dict[str, str]:
    if not taint.value:
        return {"key": taint.key, "operator": "Exists", "effect": taint.effect}
    return {
        "key": taint.key,
        "operator": "Equal",
        "value": taint.value,
        "effect": taint.effect,
    }


def _covers(toleration: Toleration, taint: TaintPlan) -> bool:
    if toleration["key"] != taint.key or toleration.get("effect", taint.effect) != taint.effect:
        return False
    return toleration["operator"] == "Exists" or toleration.get("value", "") == taint.value
