"""The ConfigMap that `devicePlugin.config.name` names.

Every key is a whole configuration file, chosen by the node label `nvidia.com/device-plugin.config`
(k8s-device-plugin v0.20 cmd/config-manager).
"""

from __future__ import annotations

from gpupolicy.manifest.key import Data
from gpupolicy.plan.config_model import ConfigPlan

CORE = "v1"


def config_map(config: ConfigPlan) -> Data:
    """Make the ConfigMap, in the namespace of the operator."""
    return {
        "apiVersion": CORE,
        "kind": "ConfigMap",
        "metadata": {"name": config.name, "namespace": config.namespace},
        "data": dict(config.files),
    }
