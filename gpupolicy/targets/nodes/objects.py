"""NodeFeatureRule, node patches and the kubelet's configuration.

A rule can match PCI ids and node names, not node labels; a device is matched by one term, so that
its vendor, id and subsystem belong together (node-feature-discovery v0.16 to v0.19,
api/nfd/v1alpha1/types.go, pkg/features).
"""

from __future__ import annotations

from collections.abc import Iterable

from gpupolicy.manifest.key import Data
from gpupolicy.plan.pool_model import PciId
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.plan.pool_model import TaintPlan

NFD = "nfd.k8s-sigs.io/v1alpha1"
CORE = "v1"
KUBELET = "kubelet.config.k8s.io/v1beta1"


def node_feature_rule(pool: PoolPlan) -> Data:
    """Make the rule of a pool. Where it stops matching, NFD takes labels and taints away."""
    name = f"gpupolicy-{pool.name}"
    rule: Data = {"name": name, "labels": dict(pool.node.labels)}
    if pool.node.rule_taints:
        rule["taints"] = [taint(t) for t in pool.node.rule_taints]
    return {
        "apiVersion": NFD,
        "kind": "NodeFeatureRule",
        "metadata": {"name": name},
        "spec": {"rules": [rule | _matching(pool)]},
    }


def taint(plan: TaintPlan) -> dict[str, str]:
    """Write a taint as Kubernetes does."""
    value = {"value": plan.value} if plan.value else {}
    return {"key": plan.key, **value, "effect": plan.effect}


def _matching(pool: PoolPlan) -> Data:
    names = _by_name(pool.node.finder.names)
    devices = _by_device(pool) if pool.node.finder.by_model and pool.gpu else []
    if len(devices) > 1:
        return {"matchAny": [{"matchFeatures": [device, *names]} for device in devices]}
    return {"matchFeatures": [*devices, *names]}


def _by_name(names: Iterable[str]) -> list[Data]:
    values = list(names)
    if not values:
        return []
    return [{"feature": "system.name", "matchExpressions": {"nodename": _is_in(values)}}]


def _by_device(pool: PoolPlan) -> list[Data]:
    """Give a term for each vendor and subsystem; ids without subsystem share one."""
    groups: dict[tuple[str, str | None], list[str]] = {}
    ids: tuple[PciId, ...] = pool.gpu.pci_ids if pool.gpu else ()
    for pci in ids:
        groups.setdefault((pci.vendor, pci.subsystem), []).append(pci.device)
    return [_device(vendor, found, subsystem) for (vendor, subsystem), found in groups.items()]


def _device(vendor: str, devices: list[str], subsystem: str | None) -> Data:
    expressions = {"vendor": _is_in([vendor]), "device": _is_in(sorted(set(devices)))}
    if subsystem:
        expressions["subsystem_device"] = _is_in([subsystem])
    return {"feature": "pci.device", "matchExpressions": expressions}


def _is_in(values: list[str]) -> Data:
    return {"op": "In", "value": values}


def node_patch(pool: PoolPlan, node: str) -> Data:
    """Make a merge patch of one node: labels alone.

    `spec.taints` is one atomic list; a patch that sets it takes away those of kubelet and cloud.
    """
    return {
        "apiVersion": CORE,
        "kind": "Node",
        "metadata": {"name": node, "labels": dict(pool.node.labels)},
    }


def kubelet_configuration(policy: str) -> Data:
    """Give the part of the kubelet's configuration that sets the Topology Manager's policy."""
    return {
        "apiVersion": KUBELET,
        "kind": "KubeletConfiguration",
        "topologyManagerPolicy": policy,
    }
