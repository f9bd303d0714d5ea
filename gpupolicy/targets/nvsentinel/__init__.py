"""NVSentinel: values of its chart, by which it fences nodes whose GPU is broken."""

from __future__ import annotations

from gpupolicy.targets.nvsentinel.emit import emit
from gpupolicy.targets.nvsentinel.support import unsupported

NAME = "nvsentinel"
APIS: tuple[tuple[str, str], ...] = ()

__all__ = ["APIS", "NAME", "emit", "unsupported"]
