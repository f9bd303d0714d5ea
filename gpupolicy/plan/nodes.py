"""What the nodes of a pool carry, and the way it gets there.

NFD's NodeFeatureRules can match PCI ids and node names, not node labels; they take no taint key
without a prefix and none under kubernetes.io but two (node-feature-discovery v0.19
pkg/nfd-master). What they cannot say falls back to the script, pool by pool, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.plan import names
from gpupolicy.plan.model import PlatformPlan
from gpupolicy.plan.pool_model import GpuPlan
from gpupolicy.plan.pool_model import MigPlan
from gpupolicy.plan.pool_model import NodeFinder
from gpupolicy.plan.pool_model import NodePlan
from gpupolicy.plan.pool_model import NodeWay
from gpupolicy.plan.pool_model import TaintPlan

_NFD_SUFFIXES = ("feature.node.kubernetes.io", "profile.node.kubernetes.io")


def lower_nodes(
    pool: PoolCapacity,
    platform: PlatformPlan,
    gpu: GpuPlan | None,
    mig: MigPlan | None,
    config: str | None,
) -> NodePlan:
    """Decide labels, taints and their way. `config` is the device plugin's key, if it has files."""
    finder = NodeFinder(
        names=tuple(pool.spec.nodes.names or ()),
        selector=dict(sorted(pool.spec.nodes.selector.items())),
        by_model=gpu is not None and bool(gpu.pci_ids) and not pool.spec.nodes.selector,
    )
    taints = tuple(TaintPlan(t.key, t.value, t.effect) for t in pool.spec.taints)
    labels = _labels(pool, platform, gpu, mig, config)
    way, reasons = _way(platform, finder, labels)
    by_rule = tuple(t for t in taints if _rule_takes(t.key)) if way == "nodeFeatureRule" else ()
    by_script = (
        tuple(t for t in taints if t not in by_rule) if way in ("nodeFeatureRule", "script") else ()
    )
    if way == "nodeFeatureRule" and by_script:
        keys = ", ".join(t.key for t in by_script)
        reasons = (
            *reasons,
            f"NFD sets no taint whose key is not under a prefix of its own: {keys}",
        )
    return NodePlan(finder, labels, taints, way, by_rule, by_script, reasons)


def _labels(
    pool: PoolCapacity,
    platform: PlatformPlan,
    gpu: GpuPlan | None,
    mig: MigPlan | None,
    config: str | None,
) -> Mapping[str, str]:
    labels = {**pool.spec.labels, names.POOL_LABEL: pool.name}
    if gpu and gpu.nvidia and platform.component("gpuOperator"):
        if not pool.is_managed:
            labels[names.NO_DEVICE_PLUGIN_LABEL] = "false"
        else:
            if config:
                labels[names.DEVICE_PLUGIN_LABEL] = config
            if mig or gpu.mig_capable:
                labels[names.MIG_LABEL] = mig.config if mig else names.MIG_OFF
    return dict(sorted(labels.items()))


def _way(
    platform: PlatformPlan, finder: NodeFinder, labels: Mapping[str, str]
) -> tuple[NodeWay, tuple[str, ...]]:
    if platform.node_way == "patches":
        reason = None if finder.names else "a patch needs the names of the nodes"
    elif platform.node_way == "nodeFeatureRule":
        reason = _no_rule(platform, finder, labels)
    else:
        reason = None
    return ("script", (reason,)) if reason else (platform.node_way, ())


def _no_rule(platform: PlatformPlan, finder: NodeFinder, labels: Mapping[str, str]) -> str | None:
    if not (platform.component("gpuOperator") or platform.component("nodeFeatureDiscovery")):
        return "neither the GPU Operator nor Node Feature Discovery is installed"
    if finder.selector:
        return "NFD cannot see the node labels of a selector"
    if not finder.names and not finder.by_model:
        return "NFD finds nodes by PCI id or by name, and neither is known"
    refused = [key for key in labels if not _rule_takes(key)]
    return f"NFD sets no label {refused[0]}" if refused else None


def _rule_takes(key: str) -> bool:
    prefix, slash, _ = key.rpartition("/")
    if not slash:
        return False
    if prefix == "kubernetes.io" or prefix.endswith(".kubernetes.io"):
        return any(prefix == s or prefix.endswith("." + s) for s in _NFD_SUFFIXES)
    return True
