"""The device plugin's configuration: a file a pool, in one ConfigMap."""

from __future__ import annotations

from gpupolicy.targets.device_plugin.emit import emit
from gpupolicy.targets.device_plugin.support import unsupported

NAME = "device_plugin"
APIS: tuple[tuple[str, str], ...] = (("v1", "ConfigMap"),)

__all__ = ["APIS", "NAME", "emit", "unsupported"]
