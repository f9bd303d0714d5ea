"""Volcano: a queue tree where it holds quota, and the scheduler's settings where it places."""

from __future__ import annotations

from gpupolicy.targets.volcano.emit import emit
from gpupolicy.targets.volcano.support import unsupported

NAME = "volcano"
APIS: tuple[tuple[str, str], ...] = (("scheduling.volcano.sh/v1beta1", "Queue"),)

__all__ = ["APIS", "NAME", "emit", "unsupported"]
