"""How a pool's nodes are found by label, where neither their names nor NFD say it."""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.plan.names import POOL_LABEL
from gpupolicy.plan.pool_model import PoolPlan

PRODUCT_LABEL = "nvidia.com/gpu.product"
# A label value has at most 63 characters; GPU Feature Discovery leaves a longer one out.
_LONGEST_VALUE = 63


def selector(pool: PoolPlan) -> str:
    """Give the label selector of a pool in the notation of kubectl; empty if there is none.

    Nodes that a rule labels are known by the pool's own label, others of a pool that is found by
    its model by what GPU Feature Discovery calls the product.
    """
    node = pool.node
    if node.labels_way == "nodeFeatureRule":
        return f"{POOL_LABEL}={pool.name}"
    if node.finder.selector:
        return ",".join(f"{key}={value}" for key, value in sorted(node.finder.selector.items()))
    values = ", ".join(products(pool)) if node.finder.by_model else ""
    return f"{PRODUCT_LABEL} in ({values})" if values else ""


def products(pool: PoolPlan) -> list[str]:
    """List all values of the product label that the pool's nodes may have, however shared."""
    return [value for value in _products(pool) if len(value) <= _LONGEST_VALUE]


def _products(pool: PoolPlan) -> Iterator[str]:
    for product in pool.gpu.product_labels if pool.gpu else ():
        for suffix in _suffixes(pool):
            yield product + suffix


def _suffixes(pool: PoolPlan) -> list[str]:
    """Give what GPU Feature Discovery appends (k8s-device-plugin v0.20, internal/lm)."""
    suffixes = ["", "-SHARED"]
    if pool.mig and pool.mig.strategy == "single":
        profiles = dict.fromkeys(p for group in pool.mig.groups for p in group.profiles)
        for profile in sorted(profiles):
            cut = "-MIG-" + profile.replace("+", ".")
            suffixes += [cut, f"{cut}-SHARED"]
        # While the GPUs of a node are not cut alike yet.
        suffixes.append("-MIG-INVALID")
    return suffixes
