"""The version tables of the components that a policy's `platform` can name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from typing import Literal

from gpupolicy.facts.read import source_texts
from gpupolicy.facts.read import yaml_of
from gpupolicy.facts.versions import version_key

Relation = Literal["known", "newer", "older", "between"]


@dataclass(frozen=True, slots=True)
class ComponentVersion:
    """One release line of a component.

    `parts` are the versions of what it brings along (for the GPU Operator: device plugin,
    exporter, and so on); `values` are facts that differ from line to line, as plain data.
    """

    version: str
    supported: bool
    parts: Mapping[str, str]
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
    """

    line: ComponentVersion
    relation: Relation


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

    def resolve(self, version: str) -> Resolved:
        """Return the line for a version such as "26.7" or "v26.7.1".

        Raises ValueError for a text without numbers.
        """
        at = version_key(version)[: len(self.oldest.key)]
        fitting = [line for line in self.lines if line.key <= at]
        if not fitting:
            return Resolved(self.oldest, "older")
        if fitting[-1].key == at:
            return Resolved(fitting[-1], "known")
        return Resolved(fitting[-1], "newer" if at > self.newest.key else "between")


def component_names() -> tuple[str, ...]:
    """Return the components that have a table, in the order of the file."""
    return tuple(_tables())


@cache
def component(name: str) -> Component:
    """Return the version table of a component. Raises KeyError for an unknown one."""
    data = _tables()[name]
    return Component(
        name=name,
        title=data["title"],
        namespace=data.get("namespace"),
        lines=tuple(_line(row) for row in data["lines"]),
        source_ids=tuple(data["sources"]),
        notes=tuple(data.get("notes", ())),
    )


@cache
def _tables() -> dict[str, Any]:
    tables: dict[str, Any] = yaml_of("components.yaml")["components"]
    return tables


def _line(row: dict[str, Any]) -> ComponentVersion:
    return ComponentVersion(
        version=row["version"],
        supported=row.get("supported", True),
        parts=row.get("parts", {}),
        values=row.get("values", {}),
    )
