"""Helm values: of the operator's chart, and of charts of their own for exporter and NFD."""

from __future__ import annotations

from gpupolicy.manifest.key import Data
from gpupolicy.plan.model import Plan
from gpupolicy.targets.gpu_operator.settings import counters_of
from gpupolicy.targets.gpu_operator.settings import service_monitor
from gpupolicy.targets.gpu_operator.settings import settings
from gpupolicy.targets.gpu_operator.tolerations import Toleration
from gpupolicy.targets.gpu_operator.tolerations import all_taints
from gpupolicy.targets.gpu_operator.tolerations import gpu_taints
from gpupolicy.targets.gpu_operator.tolerations import tolerations

# What dcgm-exporter's own chart tolerates (dcgm-exporter 4.8, deployment/values.yaml).
_EXPORTER_TOLERATIONS: tuple[Toleration, ...] = (
    {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"},
)
_EXPORTER_FOLDER = "/etc/dcgm-exporter"
_EXPORTER_VOLUME = "exporter-metrics-volume"


def operator_values(plan: Plan) -> Data:
    """Give the values of the operator's chart that the policy owns, and no others."""
    if plan.platform.gpu_operator_write == "clusterPolicy":
        return {"clusterPolicy": {"deployCR": False}, **_bundled_nfd(plan)}
    values = settings(plan)
    for component in values.values():
        if "config" in component:
            # The ConfigMap is an object of ours, the chart must not make one.
            component["config"] = {"create": False, **component["config"]}
    return values | _bundled_nfd(plan)


def _bundled_nfd(plan: Plan) -> Data:
    if plan.platform.component("nodeFeatureDiscovery"):
        # It runs once in a cluster.
        return {"nfd": {"enabled": False}}
    defaults = plan.gpu_operator.nfd_worker_tolerations if plan.gpu_operator else ()
    return {"node-feature-discovery": _nfd(plan, defaults)}


def nfd_values(plan: Plan) -> Data:
    """Give the values of NFD's own chart, whose worker tolerates nothing by default."""
    return _nfd(plan, ())


def _nfd(plan: Plan, defaults: tuple[Toleration, ...]) -> Data:
    values: Data = {"worker": {"tolerations": tolerations(defaults, all_taints(plan))}}
    if any(pool.node.rule_taints for pool in plan.pools):
        values["master"] = {"config": {"enableTaints": True}}
    return values


def exporter_values(plan: Plan) -> Data:
    """Give the values of dcgm-exporter's own chart."""
    values: Data = {"tolerations": tolerations(_EXPORTER_TOLERATIONS, gpu_taints(plan))}
    values["serviceMonitor"] = service_monitor(plan)
    counters = counters_of(plan)
    if counters:
        for key in counters.files:
            values |= _mounted(counters.name, key)
    return values


def _mounted(config_map: str, key: str) -> Data:
    path = f"{_EXPORTER_FOLDER}/{key}"
    return {
        "arguments": ["-f", path],
        "extraConfigMapVolumes": [{"name": _EXPORTER_VOLUME, "configMap": {"name": config_map}}],
        "extraVolumeMounts": [{"name": _EXPORTER_VOLUME, "mountPath": path, "subPath": key}],
    }
