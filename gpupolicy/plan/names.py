"""Every generated name is made here.

Names of ConfigMaps carry a hash of their content: their readers do not watch them, and a new name
changes the pod template of the daemon set that mounts them, so that a plain GitOps flow takes
effect (device plugin v0.20 cmd/config-manager, GPU Operator v26.7 controllers/object_controls.go).
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping

POOL_LABEL = "gpupolicy.dev/pool"
DEVICE_PLUGIN_LABEL = "nvidia.com/device-plugin.config"
MIG_LABEL = "nvidia.com/mig.config"
NO_DEVICE_PLUGIN_LABEL = "nvidia.com/gpu.deploy.device-plugin"
HOST_LABEL = "kubernetes.io/hostname"
# The key that unlabelled nodes read: no sharing, so that they are never oversubscribed.
DEFAULT_CONFIG = "default"
MIG_OFF = "all-disabled"


def hash8(text: str) -> str:
    """Give the first 8 hexadecimal digits of the SHA-256 of a text."""
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()[:8]


def hash_files(files: Mapping[str, str]) -> str:
    """Give the hash of a set of files, whatever their order."""
    return hash8("".join(f"{name}\0{files[name]}\0" for name in sorted(files)))


def device_plugin(files: Mapping[str, str]) -> str:
    """Name the device plugin's ConfigMap; also a volume name, so a DNS label without dots."""
    return f"gpupolicy-device-plugin-{hash_files(files)}"


def mig_parted(files: Mapping[str, str]) -> str:
    """Name the mig-parted ConfigMap."""
    return f"gpupolicy-mig-{hash_files(files)}"


def counters(files: Mapping[str, str]) -> str:
    """Name the ConfigMap of dcgm-exporter's counters."""
    return f"gpupolicy-dcgm-metrics-{hash_files(files)}"


def mig_config(pool: str, groups: Iterable[tuple[tuple[int, ...], Mapping[str, int]]]) -> str:
    """Name a layout of a pool; a node label value. A changed layout is a changed label."""
    text = ";".join(
        ",".join(map(str, gpus)) + ":" + ",".join(f"{p}={n}" for p, n in sorted(profiles.items()))
        for gpus, profiles in groups
    )
    return f"{pool}-{hash8(text)}"


def topology(policy: str, node_labels: Iterable[str]) -> str:
    """Name a Kueue Topology; pools with equal levels share one, and levels are immutable."""
    return f"{policy}-{hash8(','.join(node_labels))}"


def alert(name: str) -> str:
    """Name an alert: `gpu-low-utilization` is `GpuPolicyLowUtilization`."""
    return "GpuPolicy" + "".join(map(str.capitalize, name.removeprefix("gpu-").split("-")))


def dashboard_uid(policy: str, kind: str, name: str) -> str:
    """Identify a dashboard in a Grafana that several policies share; at most 40 characters."""
    return f"gpupolicy-{kind}-{hash8(f'{policy}/{kind}/{name}')}"


def ksm_resource(resource: str) -> str:
    """Spell a resource name as kube-state-metrics does: `nvidia_com_mig_1g_10gb_shared`.

    Source: kube-state-metrics 2.20, internal/store/utils.go, SanitizeLabelName.
    """
    return "".join(char if char.isalnum() else "_" for char in resource)


def tenant_source(tenant: str) -> str:
    """Name a tenant as a place in the policy."""
    return f"tenants[{tenant}]"
