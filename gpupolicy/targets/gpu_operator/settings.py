"""The fields of the operator that follow from a policy.

They are spelled alike in the chart's values and in the ClusterPolicy (GPU Operator v26.7,
deployments/gpu-operator/templates/clusterpolicy.yaml).
"""

from __future__ import annotations

from gpupolicy.manifest.key import Data
from gpupolicy.plan.config_model import ConfigPlan
from gpupolicy.plan.model import Plan
from gpupolicy.plan.names import DEFAULT_CONFIG
from gpupolicy.plan.names import MIG_OFF
from gpupolicy.targets.gpu_operator.tolerations import gpu_taints
from gpupolicy.targets.gpu_operator.tolerations import tolerations

SCRAPE_INTERVAL = "15s"


def settings(plan: Plan) -> Data:
    """Give the fields by component, in the chart's order."""
    defaults = plan.gpu_operator.daemonset_tolerations if plan.gpu_operator else ()
    found: Data = {
        "daemonsets": {"tolerations": tolerations(defaults, gpu_taints(plan))},
        "mig": {"strategy": plan.mig_strategy},
    }
    if plan.device_plugin:
        config = {"name": plan.device_plugin.name, "default": DEFAULT_CONFIG}
        found["devicePlugin"] = {"config": config}
    found["dcgmExporter"] = _exporter(plan)
    mig_manager = _mig_manager(plan)
    if mig_manager:
        found["migManager"] = mig_manager
    return found


def _mig_manager(plan: Plan) -> Data:
    found: Data = {}
    if plan.mig_parted:
        # The layout of a node is its label's word; the operator takes no other default than this.
        found["config"] = {"name": plan.mig_parted.name, "default": MIG_OFF}
    if plan.platform.mig_reboot:
        found["env"] = [{"name": "WITH_REBOOT", "value": "true"}]
    return found


def _exporter(plan: Plan) -> Data:
    if plan.platform.component("dcgmExporter"):
        # Two exporters would count every GPU twice.
        return {"enabled": False}
    counters = counters_of(plan)
    found: Data = {"config": {"name": counters.name}} if counters else {}
    return found | {"serviceMonitor": service_monitor(plan)}


def counters_of(plan: Plan) -> ConfigPlan | None:
    """Give the ConfigMap of the exporter's fields; None if its own list will do."""
    return plan.monitoring.counters if plan.monitoring else None


def service_monitor(plan: Plan) -> Data:
    """Switch the ServiceMonitor on where prometheus-operator reads it, and off elsewhere.

    Off is written too: the operator's default is on since 26.7, and it complains without the CRD.
    """
    platform = plan.platform
    if platform.component("prometheus") is None or platform.prometheus_write == "files":
        return {"enabled": False}
    relabeling = {
        "sourceLabels": ["__meta_kubernetes_pod_node_name"],
        "targetLabel": "node",
        "action": "replace",
    }
    return {
        "enabled": True,
        "interval": SCRAPE_INTERVAL,
        "honorLabels": False,
        "additionalLabels": dict(platform.prometheus_labels),
        "relabelings": [relabeling],
    }
