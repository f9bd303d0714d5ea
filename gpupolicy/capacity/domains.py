"""Topology domains in numbers: how many a level has, and how many nodes stand in one.

Levels nest (Kueue v0.19 apis/kueue/v1 Topology: "levels define the levels of topology",
each inside the one before), so the nodes of a narrower level divide those of a wider one. A pool
fills domain after domain: all are full but the last.
"""

from __future__ import annotations

from math import ceil

from gpupolicy.spec.v1alpha1.pools import Level
from gpupolicy.spec.v1alpha1.pools import NodePool

HOST = "host"


def level_of(pool: NodePool, name: str | None) -> Level | None:
    """Find a level by its name, if it is written and has nodes; `host` is never written."""
    named = (level for level in pool.topology.levels if level.name == name)
    return next((level for level in named if level.nodes > 0), None)


def domains(nodes: int, level: Level | None) -> int:
    """Count the domains of a level in a pool of so many nodes; without a level it is one."""
    return ceil(nodes / level.nodes) if level else 1


def domain_nodes(pool: NodePool, nodes: int, name: str | None) -> int | None:
    """Count the nodes of the largest domain of a level; None if there is no such level."""
    if name == HOST:
        return 1
    level = level_of(pool, name)
    return min(level.nodes, nodes) if level else None
