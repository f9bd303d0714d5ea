"""The metrics that the exporters publish: type, unit, since when, and histogram bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any
from typing import Literal

from gpupolicy.facts.read import source_texts
from gpupolicy.facts.read import yaml_of
from gpupolicy.facts.versions import version_key


@dataclass(frozen=True, slots=True)
class Metric:
    """A field that the DCGM exporter can publish.

    `mig` says what it means where MIG is on: "instance" (a value for each), "parent" (the GPU's
    value, repeated on each instance), "absent", or "unknown". `since` and `until` are versions of
    the exporter, the half of its tag behind the dash; `gaps` are exporter tags that do not know
    the name although older ones did.
    """

    name: str
    type: Literal["gauge", "counter", "label"]
    unit: str
    help: str
    mig: Literal["instance", "parent", "absent", "unknown"]
    since: str
    until: str | None
    gaps: tuple[str, ...]
    default: bool
    default_since: str
    profiling: bool
    confirmed: bool

    def known_to(self, exporter: str) -> bool:
        """Tell whether an exporter ("4.6.0-4.8.3" or "4.8.3") knows the name.

        One that does not stops at the line: an unknown field ends the exporter's process.
        """
        at = version_key(exporter.rpartition("-")[2])
        if at < version_key(self.since) or exporter in self.gaps:
            return False
        return self.until is None or at <= version_key(self.until)

    def in_default(self, exporter: str) -> bool:
        """Tell whether the exporter publishes it without a counters file of one's own."""
        at = version_key(exporter.rpartition("-")[2])
        return self.default and at >= version_key(self.default_since) and self.known_to(exporter)


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram and its upper bounds in seconds, without +Inf; `since` is the version."""

    name: str
    component: str
    since: str | None
    bounds: tuple[Fraction, ...]
    labels: tuple[str, ...]
    help: str
    source_ids: tuple[str, ...]
    confirmed: bool

    def around(self, seconds: Fraction) -> tuple[Fraction | None, Fraction | None]:
        """Return the bounds next to a value; the same twice if it is one, None outside."""
        below = [bound for bound in self.bounds if bound <= seconds]
        above = [bound for bound in self.bounds if bound >= seconds]
        return (below[-1] if below else None, above[0] if above else None)


@dataclass(frozen=True, slots=True)
class Metrics:
    """Everything known of metrics."""

    fields: Mapping[str, Metric]
    histograms: tuple[Histogram, ...]
    # Names found in public examples that no exporter knows: name to the right one, or None.
    mistaken: Mapping[str, str | None]
    # Name to version to the name in use from there on, for labels and metrics that were renamed.
    sources: tuple[str, ...]

    def histogram(self, name: str, version: str | None = None) -> Histogram | None:
        """Return the histogram as the newest component, or the one of `version`, has it."""
        found = [h for h in self.histograms if h.name == name]
        if version is not None:
            at = version_key(version)
            found = [h for h in found if h.since is None or version_key(h.since) <= at]
        return found[-1] if found else None

    def default_fields(self, exporter: str) -> tuple[Metric, ...]:
        """Return what an exporter publishes by default, in the order of its own list."""
        return tuple(m for m in self.fields.values() if m.in_default(exporter))


@cache
def metrics() -> Metrics:
    """Return the tables, read once."""
    data = yaml_of("metrics.yaml")
    return Metrics(
        fields={row["name"]: _metric(row) for row in data["fields"]},
        histograms=tuple(_histogram(row) for row in data["histograms"]),
        mistaken=data["mistaken"],
        sources=source_texts(tuple(data["sources"])),
    )


def _metric(row: dict[str, Any]) -> Metric:
    return Metric(
        name=row["name"],
        type=row["type"],
        unit=row["unit"],
        help=row["help"],
        mig=row["mig"],
        since=row.get("since", "3.0.0"),
        until=row.get("until"),
        gaps=tuple(row.get("gaps", ())),
        default=row.get("default", False),
        default_since=row.get("default_since", row.get("since", "3.0.0")),
        profiling=row.get("profiling", False),
        confirmed=row.get("confirmed", True),
    )


def _histogram(row: dict[str, Any]) -> Histogram:
    return Histogram(
        name=row["name"],
        component=row["component"],
        since=row.get("since"),
        bounds=tuple(Fraction(bound) for bound in row["bounds"]),
        labels=tuple(row.get("labels", ())),
        help=row["help"],
        source_ids=tuple(row["sources"]),
        confirmed=row.get("confirmed", True),
    )
