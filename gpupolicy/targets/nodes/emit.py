"""Walk the pools; the plan says for each by which way its labels and taints get there."""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile
from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.targets.nodes.listing import listing
from gpupolicy.targets.nodes.objects import kubelet_configuration
from gpupolicy.targets.nodes.objects import node_feature_rule
from gpupolicy.targets.nodes.objects import node_patch
from gpupolicy.targets.nodes.script import script

_ROOM = "nodes"
_PATCH_HEAD = "# kubectl patch node {name} --type merge --patch-file {name}.yaml\n"


def emit(plan: Plan) -> Iterator[Manifest | PlainFile]:
    """Make rules, patches, the script, the list of external pools and kubelet settings."""
    for pool in plan.pools:
        yield from _pool(pool)
    commands = script(plan)
    if commands:
        yield PlainFile(_ROOM, "label-nodes.sh", commands, executable=True)
    external = [pool for pool in plan.pools if pool.node.labels_way == "external"]
    if external:
        yield PlainFile(_ROOM, "nodes.yaml", listing(external))


def _pool(pool: PoolPlan) -> Iterator[Manifest | PlainFile]:
    if pool.node.labels_way == "nodeFeatureRule":
        yield Manifest(_ROOM, node_feature_rule(pool), pool.source)
    elif pool.node.labels_way == "patches":
        # Files, not objects: applying a Node with a wrong name makes a node that does not exist.
        for name in pool.node.finder.names:
            text = _PATCH_HEAD.format(name=name) + dump(node_patch(pool, name))
            yield PlainFile(_ROOM, f"node-patches/{name}.yaml", text)
    if pool.numa_policy:
        text = dump(kubelet_configuration(pool.numa_policy))
        yield PlainFile(_ROOM, f"kubelet-{pool.name}.yaml", text)
