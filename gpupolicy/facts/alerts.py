"""The alerts that can follow from a policy, as data: what they watch, and how they are tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any
from typing import Literal

from gpupolicy.facts.read import yaml_of

_TABLES = ("hardware", "capacity", "queues", "stack")

Scope = Literal["policy", "pool", "tenant", "line"]
Unit = Literal["ratio", "count", "celsius"]


@dataclass(frozen=True, slots=True)
class ThresholdFact:
    """The threshold of an alert, which a policy may change.

    A `ratio` is 0 to 1 and takes percentages (`20%`); the others take numbers only.
    """

    default: Fraction
    unit: Unit


@dataclass(frozen=True, slots=True)
class AlertFact:
    """An alert by the name that policies use. `threshold` is None where there is none to change."""

    name: str
    scope: Scope
    severity: Literal["critical", "warning", "info"]
    threshold: ThresholdFact | None


@cache
def alerts() -> Mapping[str, AlertFact]:
    """Return all alerts by name, in the order of the tables."""
    rows = (row for table in _TABLES for row in yaml_of(f"alerts/{table}.yaml")["alerts"])
    return {row["name"]: _alert(row) for row in rows}


def alert_names() -> tuple[str, ...]:
    """Return the names under which a policy can change an alert."""
    return tuple(alerts())


def _alert(row: dict[str, Any]) -> AlertFact:
    threshold = row.get("threshold")
    return AlertFact(
        name=row["name"],
        scope=row["scope"],
        severity=row["severity"],
        threshold=_threshold(threshold) if threshold else None,
    )


def _threshold(row: dict[str, str]) -> ThresholdFact:
    text = row["default"]
    value = Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    return ThresholdFact(value, row["unit"])  # type: ignore[arg-type]
