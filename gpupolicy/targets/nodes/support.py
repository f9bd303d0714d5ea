"""What the chosen way of labelling nodes cannot say.

GP510 nodes-by-script
    `platform.nodes.write` cannot say everything: NFD sees PCI ids and node names, not node labels,
    and sets no taint whose key has no prefix; a patch that sets a taint would own all of them.
    What is left is in `files/label-nodes.sh`, which has to run once, and again for new nodes.
    Until then pods that select the pool stay pending, and a taint keeps nobody out. *Approximated.*

GP513 kubelet-settings-by-hand
    The Topology Manager's policy is a setting of the kubelet, and no object carries it. It is in
    `files/kubelet-<pool>.yaml`, to be merged into the node's configuration: drain the node, stop
    the kubelet, delete `cpu_manager_state` and `memory_manager_state`, start it. *Exact*, once
    that is done.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.targets.nodes.script import script_taints


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find what has to be done by hand."""
    for pool in plan.pools:
        yield from _by_script(pool)
        if pool.numa_policy:
            yield Diagnostic(
                "GP513",
                f"the kubelets of pool '{pool.name}' get '{pool.numa_policy}' by hand, from "
                f"'files/kubelet-{pool.name}.yaml'",
                (*pool.path, "topology", "numa"),
                severity=Severity.NOTE,
            )


def _by_script(pool: PoolPlan) -> Iterator[Diagnostic]:
    reasons = list(pool.node.reasons)
    if pool.node.labels_way == "patches" and script_taints(pool):
        reasons.append("a patch would own all taints of a node")
    if not reasons:
        return
    what = ["labels"] if pool.node.labels_way == "script" else []
    what += ["taints"] if script_taints(pool) else []
    yield Diagnostic(
        "GP510",
        f"{' and '.join(what)} of pool '{pool.name}' are set by 'files/label-nodes.sh': "
        f"{'; '.join(reasons)}",
        (*pool.path, "nodes"),
        severity=Severity.NOTE,
    )
