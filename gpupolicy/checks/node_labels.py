"""Labels that a pool puts on its nodes.

GP453 label-collision
    A label under `labels` is one that something else decides: a label of the pool's `selector` or
    of a topology level (those are read, never written), a label under `gpupolicy.dev/`, one that
    the kubelet writes at every start (`kubernetes.io/hostname`, `kubernetes.io/arch`), or one by
    which the GPU Operator is told what to do (`nvidia.com/mig.config`,
    `nvidia.com/device-plugin.config` and the like), which follows from `sharing`. Two writers of
    one label undo each other. Leave it out, or write what is meant where it belongs.

GP454 label-prefix-reserved
    The prefixes `kubernetes.io` and `k8s.io` belong to Kubernetes. The kubelet may set only a few
    of them itself (NodeRestriction), so cloud node pools refuse them, and Node Feature Discovery
    sets none: an administrator's script can, but a new node lacks the label until it runs again.
    Use a prefix of your own, such as `example.com/rack` for `topology.kubernetes.io/rack`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.node_keys import is_kubelets
from gpupolicy.capacity.node_keys import reserved_prefix
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity

_OWN_PREFIX = "gpupolicy.dev"
# What the operator, mig-manager and the device plugin read from a node, and what they and GPU
# Feature Discovery write (GPU Operator v26.7 controllers/state_manager.go; GFD v0.20 internal/lm).
_OPERATOR = ("nvidia.com/mig", "nvidia.com/gpu", "nvidia.com/mps", "nvidia.com/vgpu")
_DEVICE_PLUGIN = "nvidia.com/device-plugin.config"
# Prefixes that the kubelet may set too (kubernetes NodeRestriction).
_FREE = ("node.kubernetes.io", "node-restriction.kubernetes.io")


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find labels with two writers, and labels under prefixes of Kubernetes."""
    for pool in context.capacity.pools.values():
        for key in pool.spec.labels:
            collision = _collision(pool, key)
            if collision:
                yield collision
            elif prefix := reserved_prefix(key):
                yield _reserved(pool, key, prefix)


def _collision(pool: PoolCapacity, key: str) -> Diagnostic | None:
    levels = pool.spec.topology.levels
    path = (*pool.path, "labels", key)
    related: tuple[Related, ...] = ()
    if key in pool.spec.nodes.selector:
        text = "is one that the pool's selector looks for"
        related = (Related("the selector", (*pool.path, "nodes", "selector", key)),)
    elif any(level.node_label == key for level in levels):
        index = next(i for i, level in enumerate(levels) if level.node_label == key)
        text = f"is that of the topology level '{levels[index].name}'"
        related = (Related("the level", (*pool.path, "topology", "levels", index, "nodeLabel")),)
    elif key.partition("/")[0] == _OWN_PREFIX:
        text = "is under the prefix of gpupolicy itself"
    elif is_kubelets(key):
        text = "is written by the kubelet at every start"
    elif key == _DEVICE_PLUGIN or key.startswith(_OPERATOR):
        text = "is written or read by the GPU Operator, and follows from the policy"
    else:
        return None
    return Diagnostic(
        "GP453",
        f"pool '{pool.name}': the label '{key}' {text}",
        path,
        "key",
        hint="leave it out of 'labels'",
        related=related,
    )


def _reserved(pool: PoolCapacity, key: str, prefix: str) -> Diagnostic:
    who = "Node Feature Discovery does not set it"
    if prefix not in _FREE and not prefix.endswith(tuple(f".{p}" for p in _FREE)):
        who = f"neither kubelets nor cloud node pools may set it, and {who}"
    return Diagnostic(
        "GP454",
        f"pool '{pool.name}': the label '{key}' is under '{prefix}', which belongs to Kubernetes: "
        f"{who}, so new nodes lack it until a script sets it",
        (*pool.path, "labels", key),
        "key",
        severity=Severity.WARNING,
        hint=f"use a prefix of your own, such as example.com/{key[len(prefix) + 1 :]}",
    )
