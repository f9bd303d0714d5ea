"""How far borrowing can ever take a tenant, by (tenant, pool, device)."""

from __future__ import annotations

from collections.abc import Mapping

from gpupolicy.capacity.model import Capacity
from gpupolicy.spec.v1alpha1.policy import Policy


def reaches(policy: Policy, capacity: Capacity) -> Mapping[tuple[str, str, str], int]:
    """Give the static reach of every quota line."""
    return {}
