"""Taints: legal, few enough, and tolerated by somebody.

GP455 taint-twice
    Kubernetes takes one taint per key and effect. The later of the two would be refused, or would
    replace the first. A taint with another effect on the same key is legal.

GP456 taints-too-many
    A pool's NoSchedule and NoExecute taints become tolerations of its Kueue flavor, and Kueue
    takes at most 8 of them (ResourceFlavor, spec.tolerations). Use fewer taints: one is enough to
    keep other pods away.

GP457 pool-unreachable
    The pool is tainted, so pods get in only by a toleration, and no tenant has a quota on it, so
    nobody gets one: its nodes stay empty for ever. Give a tenant a quota on the pool, even
    `guaranteed: 0` with the right to borrow, or leave the taint out.

        quotas: [{pool: notebooks, guaranteed: 0}]

GP467 taint-of-kubernetes
    The taint is one that Kubernetes itself, a cloud controller or an autoscaler puts on nodes and
    takes off again, such as `node.kubernetes.io/unschedulable` of a node that is cordoned. Written
    here it would be gone at the next sync, or would tell that component that every node of the
    pool is broken. Use a key of your own, such as `example.com/gpu`.

GP468 taint-prefix-reserved
    The prefixes `kubernetes.io` and `k8s.io` belong to Kubernetes. Node Feature Discovery sets no
    taints there and cloud node pools refuse most: an administrator's script can, but a new node
    lacks the taint until it runs again. Use a prefix of your own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.node_keys import reserved_prefix
from gpupolicy.capacity.node_keys import taint_owner
from gpupolicy.capacity.wording import number
from gpupolicy.capacity.wording import quoted
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import nearest
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.pools import Taint

# kueue v0.19 apis/kueue/v1beta2/resourceflavor_types.go: MaxItems of tolerations.
_MOST_TOLERATIONS = 8
_FEW = 4


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find taints that are written twice, too many, not ours, or that nobody tolerates."""
    kueue = context.policy.spec.platform.kueue is not None
    reached = _reached(context)
    misspelt = sorted(reached - context.capacity.pools.keys())
    for pool in context.capacity.pools.values():
        yield from _twice(pool)
        yield from _not_ours(pool)
        hard = [taint for taint in pool.spec.taints if taint.effect != "PreferNoSchedule"]
        distinct = {(taint.key, taint.value, taint.effect) for taint in hard}
        if kueue and len(distinct) > _MOST_TOLERATIONS:
            yield _too_many(pool, len(distinct))
        if hard and context.policy.spec.tenants and not _is_meant(pool, reached, misspelt):
            yield _unreachable(context, pool, hard[0])


def _is_meant(pool: PoolCapacity, reached: set[str], misspelt: list[str]) -> bool:
    """Tell whether a quota names the pool, or names it wrongly, which is reported there."""
    if pool.name in reached:
        return True
    return bool(misspelt) and nearest(pool.name, misspelt) is not None


def _reached(context: CheckContext) -> set[str]:
    """Give the pools on which somebody has a quota who can have pods: not a parent."""
    return {
        quota.pool
        for tenant in context.capacity.tenants.values()
        if not tenant.children
        for quota in tenant.spec.quotas
    }


def _twice(pool: PoolCapacity) -> Iterator[Diagnostic]:
    seen: dict[tuple[str, str], int] = {}
    for index, taint in enumerate(pool.spec.taints):
        first = seen.setdefault((taint.key, taint.effect), index)
        if first != index:
            yield Diagnostic(
                "GP455",
                f"pool '{pool.name}' has two taints with the key '{taint.key}' and the effect "
                f"{taint.effect}",
                (*pool.path, "taints", index),
                hint="keep one of them, or give it another effect",
                related=(Related("the first", (*pool.path, "taints", first)),),
            )


def _not_ours(pool: PoolCapacity) -> Iterator[Diagnostic]:
    """Find taints whose key is somebody else's."""
    for index, taint in enumerate(pool.spec.taints):
        path = (*pool.path, "taints", index, "key")
        own = f"example.com/{taint.key.rpartition('/')[2]}"
        if owner := taint_owner(taint.key):
            text = f"pool '{pool.name}': the taint '{taint.key}' is not a pool's to set: {owner}"
            yield Diagnostic("GP467", text, path, hint="leave it out, or use a key of your own")
        elif prefix := reserved_prefix(taint.key):
            yield Diagnostic(
                "GP468",
                f"pool '{pool.name}': the taint '{taint.key}' is under '{prefix}', which belongs "
                "to Kubernetes: Node Feature Discovery does not set it, so new nodes lack it until "
                "a script sets it",
                path,
                severity=Severity.WARNING,
                hint=f"use a prefix of your own, such as {own}",
            )


def _too_many(pool: PoolCapacity, count: int) -> Diagnostic:
    return Diagnostic(
        "GP456",
        f"pool '{pool.name}': {count} taints need {count} tolerations, more than the "
        f"{_MOST_TOLERATIONS} of a Kueue flavor",
        (*pool.path, "taints"),
        hint="one taint keeps other pods away: write fewer",
    )


def _unreachable(context: CheckContext, pool: PoolCapacity, taint: Taint) -> Diagnostic:
    text = f"{taint.key}={taint.value}" if taint.value else taint.key
    leaves = (tenant.name for tenant in context.capacity.tenants.values() if not tenant.children)
    tenants = list(islice(leaves, _FEW))
    some = quoted(tenants, "or") if 0 < len(tenants) < _FEW else "a tenant"
    return Diagnostic(
        "GP457",
        f"pool '{pool.name}' is tainted ({text}:{taint.effect}), and no tenant has a quota on it: "
        f"no pod would ever tolerate the taint, and {number(pool.nodes, 'node')} would stay empty",
        (*pool.path, "taints"),
        hint=f"give {some} a quota, {{pool: {pool.name}, guaranteed: 0}}, or leave the taint out",
    )
