"""MIG manager: the layouts of all pools, in one ConfigMap."""

from __future__ import annotations

from gpupolicy.targets.mig_manager.emit import emit
from gpupolicy.targets.mig_manager.support import unsupported

NAME = "mig_manager"
APIS: tuple[tuple[str, str], ...] = (("v1", "ConfigMap"),)

__all__ = ["APIS", "NAME", "emit", "unsupported"]
