"""What the chosen way of labelling nodes cannot say.

GP510 nodes-by-script
    `platform.nodes.write` cannot say everything: NFD sees PCI ids and node names, not node labels,
    and sets no taint whose key has no prefix; a patch that sets a taint would own all of them.
    What is left is in `files/label-nodes.sh`, which has to run once, and again for new nodes.
    Until then pods that select the pool stay pending, and a taint keeps nobody out. *Approximated.*

GP512 node-label-reserved
    With `write: external` the node pools carry the labels, set by the kubelet when a node joins,
    and the API server lets a kubelet set only some labels under `kubernetes.io` and `k8s.io`: the
    node would not join, or the cloud refuses the definition. Use a prefix of your own
    (`example.com/rack`), or let the script set the label. *Impossible.*

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
from gpupolicy.plan.model import PoolPlan
from gpupolicy.targets.nodes.script import script_taints

_RESERVED = ("kubernetes.io", "k8s.io")
# What a kubelet may set (kubernetes v1.34, k8s.io/kubelet/pkg/apis/well_known_labels.go).
_KUBELET_PREFIXES = ("kubelet.kubernetes.io", "node.kubernetes.io")
_KUBELET_LABELS = frozenset(
    {
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "kubernetes.io/arch",
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    }
)


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Find what has to be done by hand, and what cannot be done."""
    for pool in plan.pools:
        yield from _by_script(pool)
        if pool.node.labels_way == "external":
            yield from _reserved(pool)
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


def _reserved(pool: PoolPlan) -> Iterator[Diagnostic]:
    for key in pool.node.labels:
        prefix, _, name = key.rpartition("/")
        if _is_under(prefix, _RESERVED) and not _kubelet_may_set(key, prefix):
            yield Diagnostic(
                "GP512",
                f"impossible: a node pool cannot set the label '{key}' of pool '{pool.name}', the "
                "API server keeps its prefix from kubelets",
                (*pool.path, "labels", key),
                part="key",
                severity=Severity.WARNING,
                hint=f"use a prefix of your own, such as 'example.com/{name}'",
            )


def _kubelet_may_set(key: str, prefix: str) -> bool:
    return key in _KUBELET_LABELS or _is_under(prefix, _KUBELET_PREFIXES)


def _is_under(prefix: str, domains: tuple[str, ...]) -> bool:
    return any(prefix == domain or prefix.endswith(f".{domain}") for domain in domains)
