"""The metrics that exporters and schedulers publish: type, unit, since when, histogram bounds."""

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

MetricType = Literal["gauge", "counter", "label"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A field that the DCGM exporter can publish.

    `mig` says what it means where MIG is on: "instance" (a value for each), "parent" (the GPU's
    value, repeated on each instance), "absent", or "unknown". Versions are the exporter's half of
    its tag, the one behind the dash; every method takes the half or the whole tag.
    """

    name: str
    type: MetricType
    unit: str
    help: str
    mig: Literal["instance", "parent", "absent", "unknown"]
    since: str
    gaps: tuple[str, ...]
    default: bool
    default_since: str
    profiling: bool
    # From this version on the type is `newer_type`.
    newer_since: str | None
    newer_type: MetricType | None

    def known_to(self, exporter: str) -> bool:
        """Tell whether an exporter knows the name; one that does not ends at the line."""
        at = _half(exporter)
        return at >= version_key(self.since) and at not in map(version_key, self.gaps)

    def in_default(self, exporter: str) -> bool:
        """Tell whether the operator's own counters file of an exporter has it."""
        return (
            self.default
            and _half(exporter) >= version_key(self.default_since)
            and self.known_to(exporter)
        )

    def type_at(self, exporter: str) -> MetricType:
        """Return the type to write into a counters file of an exporter."""
        if self.newer_type and _half(exporter) >= version_key(self.newer_since or ""):
            return self.newer_type
        return self.type


@dataclass(frozen=True, slots=True)
class Series:
    """What another component publishes. `needs` is the switch that must be on for it."""

    id: str
    name: str
    component: str
    type: MetricType
    labels: tuple[str, ...]
    since: str | None
    needs: str | None
    help: str

    def known_to(self, version: str) -> bool:
        """Tell whether a version of the component publishes it."""
        return self.since is None or version_key(version) >= version_key(self.since)


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram and its upper bounds in seconds, ascending, without +Inf.

    `labels` are those worth selecting by; `since` is the version of the component; `role` says
    which objective of an SLA stands on it ("queueWait").
    """

    name: str
    component: str
    since: str | None
    bounds: tuple[Fraction, ...]
    labels: tuple[str, ...]
    help: str
    source_ids: tuple[str, ...]
    role: str | None

    def around(self, seconds: Fraction) -> tuple[Fraction | None, Fraction | None]:
        """Return the bounds next to a value: both the value itself if it is one, None outside."""
        below = [bound for bound in self.bounds if bound <= seconds]
        above = [bound for bound in self.bounds if bound >= seconds]
        return (below[-1] if below else None, above[0] if above else None)


class Metrics:
    """Everything known of metrics; each table is read when it is first asked for."""

    __slots__ = ()

    @property
    def fields(self) -> Mapping[str, Metric]:
        """The fields of the DCGM exporter by name, those of its default list first."""
        return _fields()

    @property
    def series(self) -> Mapping[str, Series]:
        """What other components publish, by our own ids."""
        return _series()

    @property
    def histograms(self) -> tuple[Histogram, ...]:
        """The histograms, of one name from old to new."""
        return _histograms()

    @property
    def mistaken(self) -> Mapping[str, str]:
        """Names in public examples that nothing publishes, to the right one."""
        names: Mapping[str, str] = _data("fields")["mistaken"]
        return names

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of all tables as text."""
        ids = [*_data("fields")["sources"], *_data("series")["sources"]]
        ids += [source for histogram in self.histograms for source in histogram.source_ids]
        return source_texts(tuple(dict.fromkeys(ids)))

    def histogram(self, name: str, version: str | None = None) -> Histogram | None:
        """Return the histogram as a version of its component has it, the newest if absent."""
        found = [each for each in self.histograms if each.name == name]
        if version is not None:
            at = version_key(version)
            found = [h for h in found if h.since is None or version_key(h.since) <= at]
        return found[-1] if found else None

    def queue_wait(self, version: str | None = None) -> Histogram | None:
        """Return the histogram of waiting times that a version of Kueue publishes."""
        names = [each.name for each in self.histograms if each.role == "queueWait"]
        return self.histogram(names[0], version) if names else None

    def default_fields(self, exporter: str) -> tuple[Metric, ...]:
        """Return what an exporter publishes by default, in the order of its own list."""
        return tuple(field for field in self.fields.values() if field.in_default(exporter))


@cache
def metrics() -> Metrics:
    """Return the tables."""
    return Metrics()


@cache
def _data(table: str) -> Mapping[str, Any]:
    data: Mapping[str, Any] = yaml_of(f"metrics_data/{table}.yaml")
    return data


@cache
def _fields() -> Mapping[str, Metric]:
    return {row["name"]: _metric(row) for row in _data("fields")["fields"]}


@cache
def _series() -> Mapping[str, Series]:
    return {row["id"]: _one_series(row) for row in _data("series")["series"]}


@cache
def _histograms() -> tuple[Histogram, ...]:
    return tuple(_histogram(row) for row in _data("histograms")["histograms"])


def _half(exporter: str) -> tuple[int, ...]:
    return version_key(exporter.rpartition("-")[2])


def _metric(row: dict[str, Any]) -> Metric:
    since = row.get("since", "3.0.0")
    newer = row.get("newer", {})
    return Metric(
        name=row["name"],
        type=row["type"],
        unit=row["unit"],
        help=row["help"],
        mig=row["mig"],
        since=since,
        gaps=tuple(row.get("gaps", ())),
        default=row.get("default", False),
        default_since=row.get("default_since", since),
        profiling=row.get("profiling", False),
        newer_since=newer.get("since"),
        newer_type=newer.get("type"),
    )


def _one_series(row: dict[str, Any]) -> Series:
    return Series(
        id=row["id"],
        name=row["name"],
        component=row["component"],
        type=row["type"],
        labels=tuple(row["labels"]),
        since=row.get("since"),
        needs=row.get("needs"),
        help=row["help"],
    )


def _histogram(row: dict[str, Any]) -> Histogram:
    return Histogram(
        name=row["name"],
        component=row["component"],
        since=row.get("since"),
        bounds=tuple(Fraction(bound) for bound in row["bounds"]),
        labels=tuple(row["labels"]),
        help=row["help"],
        source_ids=tuple(row["sources"]),
        role=row.get("role"),
    )
