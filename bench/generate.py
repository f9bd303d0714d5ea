"""A policy of any size: `python -m bench.generate TENANTS POOLS` prints it.

Plain arithmetic, no chance: the same sizes give the same bytes. Every tenant has a namespace,
members, labels and quotas on two neighbouring pools; every pool is as large as its guarantees need,
and one node more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

_HEAD = """\
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {name: bench}
spec:
  platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}, kueue: {version: "0.19"}}
  priorityClasses:
    - {name: realtime, value: 1000000, description: online inference}
    - {name: training, value: 500000}
    - {name: batch, value: 100000}
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of pool: its keys, and how many of which device a node of eight GPUs offers."""

    keys: str
    device: str
    per_node: int


_KINDS = (
    Kind("gpu: H100-SXM5-80GB", "", 8),
    Kind("gpu: A100-SXM4-80GB, sharing: {mig: {2g.20gb: 3}}", "device: 2g.20gb, ", 24),
    Kind("gpu: H200-SXM", "", 8),
    Kind("gpu: A10, sharing: {timeSlicing: 4}", "", 32),
)


def policy(tenants: int, pools: int) -> str:
    """Write a policy of so many tenants and pools."""
    return _HEAD + "\n".join([*_pools(tenants, pools), *_tenants(tenants, pools)]) + "\n"


def _guaranteed(tenant: int) -> int:
    return 4 + tenant % 5


def _pools(tenants: int, pools: int) -> Iterator[str]:
    needed = [0] * pools
    for tenant in range(tenants):
        for pool in _pools_of(tenant, pools):
            needed[pool] += _guaranteed(tenant)
    yield "  nodePools:"
    for pool in range(pools):
        kind = _KINDS[pool % len(_KINDS)]
        nodes = needed[pool] // kind.per_node + 1
        selector = f"{{example.com/pool: pool-{pool:03d}}}"
        yield f"    - {{name: pool-{pool:03d}, {kind.keys}, gpusPerNode: 8,"
        yield f"       nodes: {{count: {nodes}, selector: {selector}}},"
        yield '       allocatable: {cpu: "180", memory: 1900Gi}}'


def _pools_of(tenant: int, pools: int) -> set[int]:
    return {tenant % pools, (tenant + 1) % pools}


def _tenants(tenants: int, pools: int) -> Iterator[str]:
    yield "  tenants:"
    for tenant in range(tenants):
        name = f"team-{tenant:05d}"
        yield f"    - name: {name}"
        yield f"      namespaces: [{name}]"
        yield f"      members: {{groups: [{name}-engineers]}}"
        yield f'      labels: {{cost-centre: "{tenant % 10000:04d}"}}'
        yield f"      weight: {1 + tenant % 10}"
        yield "      priorityClasses: [training, batch]"
        yield "      quotas:"
        for pool in sorted(_pools_of(tenant, pools)):
            guaranteed = _guaranteed(tenant)
            device = _KINDS[pool % len(_KINDS)].device
            amounts = f"guaranteed: {guaranteed}, limit: {2 * guaranteed}"
            yield f"        - {{pool: pool-{pool:03d}, {device}{amounts}}}"


if __name__ == "__main__":
    sys.stdout.write(policy(int(sys.argv[1]), int(sys.argv[2])))
