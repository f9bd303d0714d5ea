"""The ConfigMap that `migManager.config.name` names.

Its one key `config.yaml` holds all layouts; the node label `nvidia.com/mig.config` chooses one
(mig-parted v0.15 cmd/nvidia-mig-manager).
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
