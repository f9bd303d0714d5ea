"""Pools in numbers -> pools decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.plan import configs
from gpupolicy.plan import names
from gpupolicy.plan.model import GangHolder
from gpupolicy.plan.model import PlatformPlan
from gpupolicy.plan.nodes import lower_nodes
from gpupolicy.plan.pool_model import DevicePlan
from gpupolicy.plan.pool_model import GpuPlan
from gpupolicy.plan.pool_model import LevelPlan
from gpupolicy.plan.pool_model import MigGroup
from gpupolicy.plan.pool_model import MigPlan
from gpupolicy.plan.pool_model import NodePlan
from gpupolicy.plan.pool_model import PciId
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.plan.pool_model import SharingPlan


def lower_pools(
    capacity: Capacity, platform: PlatformPlan, policy: str, gang: GangHolder, *, lends: bool
) -> tuple[tuple[PoolPlan, ...], str]:
    """Decide all pools; also gives `mig.strategy`, which depends on all of them.

    `lends` says that the nodes of a reserve are quota that can be borrowed.
    """
    pools = list(capacity.pools.values())
    migs = [_mig(pool) for pool in pools]
    sharings = [_sharing(pool) for pool in pools]
    strategy = configs.mig_strategy(migs, sharings)
    keyed = [configs.needs_file(m, s, strategy) for m, s in zip(migs, sharings, strict=True)]
    plans = []
    for pool, mig, sharing, own in zip(pools, migs, sharings, keyed, strict=True):
        key = (pool.name if own else names.DEFAULT_CONFIG) if any(keyed) else None
        node = lower_nodes(pool, platform, _gpu(pool), mig, key)
        topology = _topology(policy, pool) if gang == "kueue" else None
        quota_nodes = pool.nodes if lends else pool.nodes - pool.reserve
        plans.append(_pool(pool, quota_nodes, mig, sharing, node, topology))
    return tuple(plans), strategy


def _pool(
    pool: PoolCapacity,
    quota_nodes: int,
    mig: MigPlan | None,
    sharing: SharingPlan | None,
    node: NodePlan,
    topology: str | None,
) -> PoolPlan:
    return PoolPlan(
        name=pool.name,
        path=pool.path,
        source=f"nodePools[{pool.name}]",
        gpu=_gpu(pool),
        nodes=pool.nodes,
        min_nodes=pool.min_nodes,
        autoscaled=pool.is_autoscaled,
        spot=pool.spec.nodes.spot,
        gpus_per_node=pool.gpus_per_node,
        reserve=pool.reserve,
        quota_nodes=quota_nodes,
        managed=pool.is_managed,
        allocatable=pool.allocatable,
        devices=tuple(_device(device) for device in pool.devices),
        mig=mig,
        sharing=sharing,
        node=node,
        levels=levels(pool),
        topology=topology,
        numa_policy=pool.spec.topology.numa.policy if pool.spec.topology.numa else None,
    )


def levels(pool: PoolCapacity) -> tuple[LevelPlan, ...]:
    """Give the levels, the widest first, with the implied `host` behind them."""
    written = (LevelPlan(lv.name, lv.node_label, lv.nodes) for lv in pool.spec.topology.levels)
    return (*written, LevelPlan("host", names.HOST_LABEL, 1))


def topologies(pools: Sequence[PoolPlan]) -> dict[str, tuple[LevelPlan, ...]]:
    """Collect the distinct level lists by generated name, in the order of the pools."""
    return {pool.topology: pool.levels for pool in pools if pool.topology}


def _topology(policy: str, pool: PoolCapacity) -> str:
    return names.topology(policy, (level.node_label for level in levels(pool)))


def _gpu(pool: PoolCapacity) -> GpuPlan | None:
    if pool.gpu is None:
        return None
    gpu, model = pool.gpu, pool.gpu.model
    return GpuPlan(
        name=gpu.name,
        resource=gpu.resource,
        memory_mib=gpu.memory_mib,
        product_labels=model.product_labels if model else (),
        pci_ids=tuple(PciId(i.vendor, i.device, i.subsystem) for i in model.pci_ids)
        if model
        else (),
        device_filters=tuple(i.mig_parted for i in model.pci_ids) if model else (),
        mig_capable=model is not None and model.mig is not None,
        profiling=model is not None and model.profiling,
        nvidia=gpu.is_nvidia,
    )


def _device(device: Device) -> DevicePlan:
    return DevicePlan(
        name=device.name,
        resource=device.resource,
        base_resource=device.base_resource,
        per_node=device.per_node,
        total=device.total,
        cap=device.cap,
        replicas=device.replicas,
        sharing=device.sharing if device.sharing in ("timeSlicing", "mps") else "none",
        profile=device.profile,
        memory_mib=device.memory_mib,
        share=device.share,
    )


def _mig(pool: PoolCapacity) -> MigPlan | None:
    """Give the layout, equal groups as one; a pool with MIG off everywhere is uncut."""
    if not any(group.profiles for group in pool.layouts):
        return None
    merged: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for group in pool.layouts:
        merged.setdefault(tuple(sorted(group.profiles.items())), []).extend(group.gpus)
    groups = sorted((tuple(sorted(gpus)), dict(profiles)) for profiles, gpus in merged.items())
    strategy = (pool.spec.sharing.mig_strategy if pool.spec.sharing else None) or "mixed"
    config = names.mig_config(pool.name, groups)
    return MigPlan(strategy, tuple(MigGroup(gpus, profiles) for gpus, profiles in groups), config)


def _sharing(pool: PoolCapacity) -> SharingPlan | None:
    shared = [device for device in pool.devices if device.replicas > 1]
    if not shared:
        return None
    rename = pool.spec.sharing is None or pool.spec.sharing.rename is not False
    resources = dict.fromkeys((d.base_resource, d.replicas) for d in shared)
    kind: Literal["timeSlicing", "mps"] = "mps" if shared[0].sharing == "mps" else "timeSlicing"
    return SharingPlan(kind, rename, tuple(resources))
