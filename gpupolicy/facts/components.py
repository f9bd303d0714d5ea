"""The version tables of the components that a policy's `platform` can name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from typing import Literal

from gpupolicy.facts.read import source_texts
from gpupolicy.facts.read import yaml_of
from gpupolicy.facts.versions import version_key

_NAMES = (
    "kubernetes",
    "gpuOperator",
    "kueue",
    "volcano",
    "kai",
    "nvsentinel",
    "dcgmExporter",
    "nodeFeatureDiscovery",
    "prometheus",
)
_JOINED = re.compile(r"v?\d[\d.]*-\d[\d.]*")

Relation = Literal["known", "newer", "older", "between"]


@dataclass(frozen=True, slots=True)
class ComponentVersion:
    """One release line of a component.

    `releases` are the patch releases that are known, from old to new, with the versions of what
    they bring along (for the GPU Operator: device plugin, exporter, and so on); `values` are facts
    that differ from line to line, as plain data; their keys are explained in the data file.
    """

    version: str
    vendor_support: str | None
    releases: Mapping[str, Mapping[str, str]]
    values: Mapping[str, Any]

    @property
    def key(self) -> tuple[int, ...]:
        """The numbers of the version, for comparisons."""
        return version_key(self.version)


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a version in a policy means: the line whose facts hold, and how it was found.

    "newer" takes the newest known line; "between" (a line that was never seen, or never made)
    takes the next older one; "older" has no line, only the oldest that is supported as `line`.
    `parts` are the versions that the release brings along: those of the patch release written, of
    the nearest older one, or, where only the line is written, of the line's oldest, so that
    nothing is used that a release of the line does not know.
    """

    line: ComponentVersion
    relation: Relation
    parts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Component:
    """A component of `platform`. `lines` are ordered from old to new."""

    name: str
    title: str
    namespace: str | None
    lines: tuple[ComponentVersion, ...]
    source_ids: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def oldest(self) -> ComponentVersion:
        """The oldest line that is supported."""
        return self.lines[0]

    @property
    def newest(self) -> ComponentVersion:
        """The newest line that is known."""
        return self.lines[-1]

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources as text."""
        return source_texts(self.source_ids)

    def resolve(self, version: str | None) -> Resolved:
        """Return the line for a version such as "26.7" or "v26.7.1"; None is the newest release.

        Of a tag that joins two versions ("4.5.3-4.8.2") the second counts. Raises ValueError for a
        text without numbers.
        """
        if version is None:
            return Resolved(self.newest, "known", _parts(self.newest, (*self.newest.key, 1 << 30)))
        written = version_key(version.rpartition("-")[2] if _JOINED.fullmatch(version) else version)
        at = written[: len(self.oldest.key)]
        fitting = [line for line in self.lines if line.key <= at]
        if not fitting:
            return Resolved(self.oldest, "older", _parts(self.oldest, ()))
        line = fitting[-1]
        if line.key == at:
            return Resolved(line, "known", _parts(line, written))
        return Resolved(line, "newer" if at > self.newest.key else "between", _parts(line, written))


def component_names() -> tuple[str, ...]:
    """Return the components that have a table, as `platform` spells them."""
    return _NAMES


@cache
def component(name: str) -> Component:
    """Return the version table of a component. Raises KeyError for an unknown one."""
    if name not in _NAMES:
        raise KeyError(name)
    data = yaml_of(f"components/{name}.yaml")
    return Component(
        name=name,
        title=data["title"],
        namespace=data["namespace"],
        lines=tuple(_line(row) for row in data["lines"]),
        source_ids=tuple(data["sources"]),
        notes=tuple(data.get("notes", ())),
    )


def _line(row: dict[str, Any]) -> ComponentVersion:
    return ComponentVersion(
        version=row["version"],
        vendor_support=row.get("vendorSupport"),
        releases=row.get("releases", {}),
        values=row["values"],
    )


def _parts(line: ComponentVersion, written: tuple[int, ...]) -> Mapping[str, str]:
    known = sorted(line.releases, key=version_key)
    if not known:
        return {}
    older = [release for release in known if version_key(release) <= written]
    return line.releases[older[-1] if older else known[0]]
