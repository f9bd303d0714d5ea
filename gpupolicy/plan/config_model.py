"""`ConfigPlan`: a ConfigMap of vendor configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConfigPlan:
    """File name to content, sorted by name, and the generated name that carries their hash."""

    name: str
    namespace: str
    files: Mapping[str, str]
