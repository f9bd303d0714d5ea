"""Nodes: the labels and taints of every pool, by the way that the policy chose."""

from __future__ import annotations

from gpupolicy.targets.nodes.emit import emit
from gpupolicy.targets.nodes.support import unsupported

NAME = "nodes"
APIS: tuple[tuple[str, str], ...] = (("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule"),)

__all__ = ["APIS", "NAME", "emit", "unsupported"]
