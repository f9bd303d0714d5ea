"""Small plans made by hand: what a room is given, without the rooms before it.

Every builder takes the fields of its dataclass by keyword; what is not given is the plainest.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any

from gpupolicy.plan.config_model import ConfigPlan
from gpupolicy.plan.model import Cell
from gpupolicy.plan.model import ComponentPlan
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import PlatformPlan
from gpupolicy.plan.model import PoolCells
from gpupolicy.plan.model import PriorityPlan
from gpupolicy.plan.model import QuotaLinePlan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.plan.model import Version
from gpupolicy.plan.monitoring_model import MonitoringPlan
from gpupolicy.plan.operator_model import GpuOperatorPlan
from gpupolicy.plan.pool_model import DevicePlan
from gpupolicy.plan.pool_model import GpuPlan
from gpupolicy.plan.pool_model import LevelPlan
from gpupolicy.plan.pool_model import MigGroup
from gpupolicy.plan.pool_model import MigPlan
from gpupolicy.plan.pool_model import NodeFinder
from gpupolicy.plan.pool_model import NodePlan
from gpupolicy.plan.pool_model import PciId
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.plan.pool_model import SharingPlan
from gpupolicy.plan.pool_model import TaintPlan

NAMESPACES = {
    "gpuOperator": "gpu-operator",
    "kueue": "kueue-system",
    "volcano": "volcano-system",
    "kai": "kai-scheduler",
    "prometheus": "monitoring",
    "dcgmExporter": "default",
    "nodeFeatureDiscovery": "node-feature-discovery",
}
TAINT = TaintPlan("nvidia.com/gpu", "present", "NoSchedule")
BARE_TAINT = TaintPlan("dedicated", "ml", "NoSchedule")
OPERATOR_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
CONTROL_PLANE_TOLERATION = {
    "key": "node-role.kubernetes.io/control-plane",
    "operator": "Equal",
    "value": "",
    "effect": "NoSchedule",
}


def version(text: str) -> Version:
    major, _, minor = text.partition(".")
    return Version(int(major), int(minor or 0))


def platform(kubernetes: str = "1.34", **fields: Any) -> PlatformPlan:
    """Make a platform; `components` maps names to versions."""
    components = {
        name: ComponentPlan(name, version(text), NAMESPACES[name])
        for name, text in fields.pop("components", {"gpuOperator": "26.7", "kueue": "0.19"}).items()
    }
    given: dict[str, Any] = {
        "kubernetes": version(kubernetes),
        "components": components,
        "node_way": "nodeFeatureRule",
        "gpu_operator_write": "helmValues",
        "mig_reboot": False,
        "prometheus_write": "objects",
        "prometheus_labels": {},
    }
    return PlatformPlan(**(given | fields))


def gpu(**fields: Any) -> GpuPlan:
    given: dict[str, Any] = {
        "name": "H100-SXM5-80GB",
        "resource": "nvidia.com/gpu",
        "memory_mib": 81920,
        "product_labels": ("NVIDIA-H100-80GB-HBM3",),
        "pci_ids": (PciId("10de", "2330", None),),
        "device_filters": ("0x233010DE",),
        "mig_capable": True,
        "profiling": True,
        "nvidia": True,
    }
    return GpuPlan(**(given | fields))


def amd() -> GpuPlan:
    return gpu(
        name="MI300X",
        resource="amd.com/gpu",
        product_labels=(),
        pci_ids=(),
        device_filters=(),
        mig_capable=False,
        profiling=False,
        nvidia=False,
    )


def node(
    name: str = "train",
    *,
    way: str = "nodeFeatureRule",
    names: Iterable[str] = (),
    selector: Mapping[str, str] | None = None,
    by_model: bool | None = None,
    labels: Mapping[str, str] | None = None,
    taints: Iterable[TaintPlan] = (),
    script_taints: Iterable[TaintPlan] | None = None,
    reasons: Iterable[str] = (),
) -> NodePlan:
    """Make the nodes of a pool as the plan does; taints without prefix are the script's."""
    taints = tuple(taints)
    if script_taints is None:
        bare = tuple(t for t in taints if "/" not in t.key)
        script_taints = {"nodeFeatureRule": bare, "script": taints}.get(way, ())
    rules = tuple(t for t in taints if t not in tuple(script_taints))
    return NodePlan(
        finder=NodeFinder(
            tuple(names), dict(selector or {}), not selector if by_model is None else by_model
        ),
        labels={"gpupolicy.dev/pool": name, **(labels or {})},
        taints=taints,
        labels_way=way,  # type: ignore[arg-type]
        rule_taints=rules if way == "nodeFeatureRule" else (),
        script_taints=tuple(script_taints),
        reasons=tuple(reasons),
    )


def device(name: str = "gpu", resource: str = "nvidia.com/gpu", **fields: Any) -> DevicePlan:
    given: dict[str, Any] = {
        "name": name,
        "resource": resource,
        "base_resource": resource.removesuffix(".shared"),
        "per_node": 8,
        "total": 32,
        "cap": 32,
        "replicas": 1,
        "sharing": "none",
        "profile": None,
        "memory_mib": 81920,
        "share": {},
    }
    return DevicePlan(**(given | fields))


def pool(name: str = "train", index: int = 0, **fields: Any) -> PoolPlan:
    """Make a pool of four nodes with eight GPUs each."""
    given: dict[str, Any] = {
        "name": name,
        "path": ("spec", "nodePools", index),
        "source": f"nodePools[{name}]",
        "gpu": gpu(),
        "nodes": 4,
        "min_nodes": 4,
        "autoscaled": False,
        "spot": False,
        "gpus_per_node": 8,
        "reserve": 0,
        "quota_nodes": 4,
        "managed": True,
        "allocatable": {},
        "devices": (device(),),
        "mig": None,
        "sharing": None,
        "node": node(name),
        "levels": (LevelPlan("host", "kubernetes.io/hostname", 1),),
        "topology": None,
        "numa_policy": None,
    }
    return PoolPlan(**(given | fields))


def cpu_pool(name: str = "cpu", index: int = 0, **fields: Any) -> PoolPlan:
    nodes = node(name, way="script", selector={"example.com/pool": name})
    given: dict[str, Any] = {"gpu": None, "gpus_per_node": 0, "devices": (), "node": nodes}
    return pool(name, index, **(given | fields))


def mig(strategy: str = "mixed", config: str = "infer-9b1f62d4", **profiles: int) -> MigPlan:
    layout = profiles or {"1g.10gb": 7}
    return MigPlan(strategy, (MigGroup(tuple(range(8)), layout),), config)  # type: ignore[arg-type]


def sharing(kind: str = "timeSlicing", replicas: int = 4, *, rename: bool = True) -> SharingPlan:
    return SharingPlan(kind, rename, (("nvidia.com/gpu", replicas),))  # type: ignore[arg-type]


def line(
    pool: str = "train",
    device: str | None = "gpu",
    resource: str | None = "nvidia.com/gpu",
    guaranteed: int = 8,
    **fields: Any,
) -> QuotaLinePlan:
    given: dict[str, Any] = {
        "pool": pool,
        "device": device,
        "resource": resource,
        "guaranteed": guaranteed,
        "limit": None,
        "lend": None,
        "reach": guaranteed,
        "source": "quotas[0]",
    }
    return QuotaLinePlan(**(given | fields))


def cells(pool: str, **amounts: int) -> PoolCells:
    """Make cells of guarantees alone, by resource."""
    return PoolCells(
        pool, tuple(Cell(name, amount, None, None) for name, amount in amounts.items())
    )


def tenant(name: str = "vision", index: int = 0, **fields: Any) -> TenantPlan:
    given: dict[str, Any] = {
        "name": name,
        "path": ("spec", "tenants", index),
        "source": f"tenants[{name}]",
        "parent": None,
        "children": (),
        "weight": 1,
        "namespaces": (name,),
        "groups": (),
        "users": (),
        "labels": {},
        "priority_classes": (),
        "sla": None,
        "resources": (),
        "pools": (),
        "own": (),
        "lines": (line(),),
        "denied": (),
        "queues_cpu": False,
        "max_run_time": None,
        "never_preempts": False,
    }
    return TenantPlan(**(given | fields))


def priority(name: str, value: int, **fields: Any) -> PriorityPlan:
    given: dict[str, Any] = {
        "name": name,
        "value": value,
        "description": "",
        "global_default": False,
        "preempts": True,
        "source": f"priorityClasses[{name}]",
    }
    return PriorityPlan(**(given | fields))


def config(name: str, namespace: str = "gpu-operator", **files: str) -> ConfigPlan:
    return ConfigPlan(name, namespace, files)


def monitoring(**fields: Any) -> MonitoringPlan:
    given: dict[str, Any] = {
        "namespace": "monitoring",
        "groups": (),
        "receivers": (),
        "routes": (),
        "dashboards": (),
        "counters": None,
        "node_labels": (),
    }
    return MonitoringPlan(**(given | fields))


def operator(**fields: Any) -> GpuOperatorPlan:
    given: dict[str, Any] = {
        "daemonset_tolerations": (OPERATOR_TOLERATION,),
        "nfd_worker_tolerations": (CONTROL_PLANE_TOLERATION, OPERATOR_TOLERATION),
        "cluster_policy": None,
    }
    return GpuOperatorPlan(**(given | fields))


def plan(**fields: Any) -> Plan:
    """Make a plan: one pool of whole GPUs, one tenant, Kueue."""
    given: dict[str, Any] = {
        "name": "lab",
        "platform": platform(),
        "quota_holder": "kueue",
        "gang_holder": "kueue",
        "guard_rails": "warn",
        "pools": (pool(),),
        "tenants": (tenant(),),
        "priorities": (),
        "slas": (),
        "workloads": (),
        "spare_resources": (),
        "spare": (),
        "accelerators": ("nvidia.com/gpu",),
        "mig_strategy": "single",
        "device_plugin": None,
        "mig_parted": None,
        "topologies": {},
        "monitoring": None,
        "later": (),
        "gpu_operator": operator(),
    }
    return Plan(**(given | fields))
