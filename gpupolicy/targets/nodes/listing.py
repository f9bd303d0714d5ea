"""`nodes.yaml`: what the owner of the node pools must put on their nodes."""

from __future__ import annotations

from collections.abc import Iterable

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.key import Data
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.targets.nodes.finding import PRODUCT_LABEL
from gpupolicy.targets.nodes.finding import products
from gpupolicy.targets.nodes.objects import taint

_HEAD = """\
# The labels and taints that the nodes of each pool must carry: put them into the node-pool
# definitions. Nothing here sets them. Written by gpupolicy.
"""


def listing(pools: Iterable[PoolPlan]) -> str:
    """Write the list of pools."""
    return _HEAD + dump({"pools": [_entry(pool) for pool in pools]})


def _entry(pool: PoolPlan) -> Data:
    count = {"min": pool.min_nodes, "max": pool.nodes} if pool.autoscaled else pool.nodes
    entry: Data = {"name": pool.name, "nodes": count, "foundBy": _found_by(pool)}
    entry["labels"] = dict(pool.node.labels)
    entry["taints"] = [taint(t) for t in pool.node.taints]
    return entry


def _found_by(pool: PoolPlan) -> Data:
    finder = pool.node.finder
    if finder.names:
        return {"names": list(finder.names)}
    if finder.selector:
        return {"labels": dict(finder.selector)}
    return {"label": PRODUCT_LABEL, "values": products(pool)}
