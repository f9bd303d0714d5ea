"""Kueue: flavors, cohorts, queues, topology, and the manager's configuration."""

from __future__ import annotations

from gpupolicy.targets.kueue.emit import emit
from gpupolicy.targets.kueue.support import unsupported

NAME = "kueue"
APIS = tuple(
    (f"kueue.x-k8s.io/{version}", kind)
    for version in ("v1beta2", "v1beta1")
    for kind in ("ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor", "Topology")
)

__all__ = ["APIS", "NAME", "emit", "unsupported"]
