"""The vendors' configuration files: device plugin and mig-parted, and `mig.strategy`.

Formats: k8s-device-plugin v0.20 api/config/v1, mig-parted v0.15 api/spec/v1. The text is made
here, not in a target, since the ConfigMap's name is a hash of it and more than one room needs it.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any

from gpupolicy.manifest.canonical import dump
from gpupolicy.plan import names
from gpupolicy.plan.config_model import ConfigPlan
from gpupolicy.plan.pool_model import GpuPlan
from gpupolicy.plan.pool_model import MigGroup
from gpupolicy.plan.pool_model import MigPlan
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.plan.pool_model import SharingPlan


def mig_strategy(migs: Iterable[MigPlan | None], sharings: Iterable[SharingPlan | None]) -> str:
    """Decide `mig.strategy`; empty where the per-node files must say it (they lose against it).

    The operator passes the value as environment, which beats the file, so files of different
    strategies need it absent.
    """
    strategies = {mig.strategy for mig in migs if mig}
    has_mps = any(sharing and sharing.kind == "mps" for sharing in sharings)
    if not strategies:
        return "single"
    if strategies == {"single"}:
        return "single"
    if strategies == {"mixed"} and not has_mps:
        return "mixed"
    return ""


def needs_file(mig: MigPlan | None, sharing: SharingPlan | None, strategy: str) -> bool:
    """Tell whether a pool has a device-plugin file of its own."""
    return sharing is not None or (strategy == "" and mig is not None)


def device_plugin(pools: Sequence[PoolPlan], strategy: str, namespace: str) -> ConfigPlan | None:
    """Make the device plugin's files, a key a pool; None if every pool has whole GPUs."""
    files = {
        pool.name: dump(_plugin_file(pool.mig, pool.sharing, strategy))
        for pool in pools
        if pool.managed and needs_file(pool.mig, pool.sharing, strategy)
    }
    if not files:
        return None
    default: dict[str, Any] = {"version": "v1"}
    if strategy == "":
        default["flags"] = {"migStrategy": "mixed"}
    files[names.DEFAULT_CONFIG] = dump(default)
    return ConfigPlan(names.device_plugin(files), namespace, dict(sorted(files.items())))


def _plugin_file(mig: MigPlan | None, sharing: SharingPlan | None, strategy: str) -> dict[str, Any]:
    document: dict[str, Any] = {"version": "v1"}
    if strategy == "":
        document["flags"] = {"migStrategy": _file_strategy(mig, sharing)}
    if sharing:
        document["sharing"] = {
            sharing.kind: {
                "renameByDefault": sharing.rename,
                # Always explicit: the two blocks have different defaults.
                "failRequestsGreaterThanOne": True,
                "resources": [
                    {"name": name, "replicas": count} for name, count in sharing.resources
                ],
            }
        }
    return document


def _file_strategy(mig: MigPlan | None, sharing: SharingPlan | None) -> str:
    if mig:
        return mig.strategy
    return "none" if sharing and sharing.kind == "mps" else "mixed"


def mig_parted(pools: Sequence[PoolPlan], namespace: str) -> ConfigPlan | None:
    """Make the mig-parted file with `all-disabled` first; None if no pool is cut."""
    configs: dict[str, Any] = {names.MIG_OFF: [{"devices": "all", "mig-enabled": False}]}
    for pool in pools:
        if pool.mig and pool.gpu:
            configs[pool.mig.config] = [
                _entry(pool.gpu, group, pool.mig) for group in pool.mig.groups
            ]
    if len(configs) == 1:
        return None
    files = {"config.yaml": dump({"version": "v1", "mig-configs": configs})}
    return ConfigPlan(names.mig_parted(files), namespace, files)


def _entry(gpu: GpuPlan, group: MigGroup, mig: MigPlan) -> dict[str, Any]:
    entry: dict[str, Any] = {
        # A wrong id matches nothing and says nothing, so only the catalogue's ids stand here.
        "device-filter": list(gpu.device_filters),
        "devices": "all" if len(mig.groups) == 1 else list(group.gpus),
        "mig-enabled": bool(group.profiles),
    }
    if group.profiles:
        entry["mig-devices"] = dict(sorted(group.profiles.items()))
    return entry
