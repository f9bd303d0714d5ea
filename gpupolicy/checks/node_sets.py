"""How many nodes a pool has, and whether they can be found.

GP445 nodes-contradict
    `nodes` is a number (`nodes: 16`), `{count: 16}`, a list of `names`, or for an autoscaled pool
    `{min: 1, max: 4}`. What is written contradicts itself: a count beside `min` and `max`, a
    count that is not the number of names, `min` above `max`, `min` without `max` or the
    reverse, a name twice, a negative number, or no number at all. Capacity follows from it, so
    nothing is guessed.

GP446 pool-empty
    The pool has no nodes. Nothing can be guaranteed or placed on it. That is legal, to prepare a
    pool before its nodes arrive, and a warning, since it is often a typing error.

GP448 nodes-not-found
    Nothing tells which nodes belong to the pool. A GPU of the catalogue finds its nodes by the
    model; a CPU pool, and a GPU that is described, need `nodes.names` or `nodes.selector`:

        nodes: {count: 10, selector: {cloud.example.com/pool: cpu}}

GP449 autoscaled-by-script
    The labels and taints of an autoscaled pool would be put on by the script, and nodes that the
    autoscaler adds later are bare until somebody runs it again: pods that should not be there get
    in, and those that should do not. Let the node-pool definition of the cloud carry them
    (`platform.nodes: {write: external}`; the output lists what they must carry).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import number
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.platform import Platform
from gpupolicy.spec.v1alpha1.pools import NodeSet

_NODE_NAME = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\Z")


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find numbers of nodes that contradict each other, and nodes that nothing finds."""
    for pool in context.capacity.pools.values():
        faults = [*_numbers(pool, pool.spec.nodes), *_names(pool, pool.spec.nodes)]
        yield from faults
        if not faults and pool.nodes == 0:
            yield Diagnostic(
                "GP446",
                f"pool '{pool.name}' has no nodes",
                (*pool.path, "nodes"),
                severity=Severity.WARNING,
                hint="write how many it has, or take the pool out until they arrive",
            )
        yield from _found(pool)
        yield from _autoscaled(pool, context.policy.spec.platform)


def _numbers(pool: PoolCapacity, nodes: NodeSet) -> Iterator[Diagnostic]:
    values = (("count", nodes.count), ("min", nodes.min), ("max", nodes.max))
    for key, value in values:
        if value is not None and value < 0:
            where = (key,) if key != "count" else ()
            yield _contradiction(pool, f"nodes.{key} {value} is negative", where, "write from 0")
    if nodes.count is not None and (nodes.max is not None or nodes.min is not None):
        key = "max" if nodes.max is not None else "min"
        text = f"a count of {nodes.count} stands beside '{key}'"
        yield _contradiction(pool, text, (key,), "write the count, or min and max")
    elif nodes.min is not None and nodes.max is None:
        text = f"'min' {nodes.min} stands without 'max'"
        yield _contradiction(pool, text, ("min",), "guarantees are checked against 'max': add it")
    elif nodes.max is not None and nodes.min is None and nodes.names is None:
        text = f"'max' {nodes.max} stands without 'min'"
        hint = f"write {{min: 0, max: {nodes.max}}}, or the count alone if it never changes"
        yield _contradiction(pool, text, ("max",), hint)
    elif nodes.min is not None and nodes.max is not None and nodes.min > nodes.max:
        yield _contradiction(pool, f"min {nodes.min} is above max {nodes.max}", ("min",))
    elif nodes.count is None and nodes.max is None and nodes.names is None:
        hint = "write the count, {min, max}, or the names"
        yield _contradiction(pool, "nothing says how many nodes there are", (), hint)


def _names(pool: PoolCapacity, nodes: NodeSet) -> Iterator[Diagnostic]:
    if nodes.names is None:
        return
    seen: set[str] = set()
    for index, name in enumerate(nodes.names):
        if name in seen:
            yield _contradiction(pool, f"the node '{name}' is named twice", ("names", index))
        elif not _NODE_NAME.match(name) or len(name) > 253:
            text = f"'{name}' is not a node name: a-z, 0-9, '-' and '.' are legal"
            yield _contradiction(pool, text, ("names", index))
        seen.add(name)
    total, label = (nodes.max, "a max") if nodes.count is None else (nodes.count, "a count")
    if total is not None and total != len(nodes.names):
        text = f"{label} of {total} stands beside {number(len(nodes.names), 'name')}"
        hint = f"leave out the number, or write {len(nodes.names)}"
        yield _contradiction(pool, text, ("names",), hint)


def _contradiction(
    pool: PoolCapacity, text: str, where: tuple[str | int, ...], hint: str | None = None
) -> Diagnostic:
    path = (*pool.path, "nodes", *where)
    return Diagnostic("GP445", f"pool '{pool.name}': {text}", path, hint=hint)


def _found(pool: PoolCapacity) -> Iterator[Diagnostic]:
    nodes = pool.spec.nodes
    if nodes.names or nodes.selector:
        return
    if pool.is_cpu:
        what = "a CPU pool"
    elif pool.gpu is not None and pool.gpu.model is None:
        what = "a GPU that the catalogue does not know"
    else:
        return
    yield Diagnostic(
        "GP448",
        f"pool '{pool.name}': {what} needs 'names' or a 'selector' to find its nodes",
        (*pool.path, "nodes"),
        hint="add a selector of labels that the nodes have, such as selector: {example.com/pool: "
        f"{pool.name}}}",
    )


def _autoscaled(pool: PoolCapacity, platform: Platform) -> Iterator[Diagnostic]:
    if not pool.is_autoscaled or platform.nodes.write == "external":
        return
    reason = _script_reason(pool, platform)
    if reason is None:
        return
    yield Diagnostic(
        "GP449",
        f"pool '{pool.name}' is autoscaled, and its labels and taints come by script: {reason}",
        (*pool.path, "nodes"),
        severity=Severity.WARNING,
        hint="write platform.nodes: {write: external}: the node pool's definition carries them",
    )


def _script_reason(pool: PoolCapacity, platform: Platform) -> str | None:
    """Say why NodeFeatureRules cannot do it (NFD v0.19 sees PCI ids and names, not labels)."""
    write = platform.nodes.write
    if write != "nodeFeatureRule":
        return f"platform.nodes.write is {write}"
    if platform.gpu_operator is None and platform.node_feature_discovery is None:
        return "neither gpuOperator nor nodeFeatureDiscovery is in platform"
    if pool.spec.nodes.selector:
        return "Node Feature Discovery cannot see the node labels of a selector"
    if pool.is_cpu and not pool.spec.nodes.names:
        return "Node Feature Discovery finds nodes by PCI id or name"
    bare = [taint.key for taint in pool.spec.taints if "/" not in taint.key]
    return f"the taint key '{bare[0]}' has no prefix" if bare else None
