"""The XID codes of the NVIDIA driver: what each says and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any
from typing import Literal

from gpupolicy.facts.read import source_texts
from gpupolicy.facts.read import yaml_of


@dataclass(frozen=True, slots=True)
class Xid:
    """One XID code. `generations` is empty where every generation raises it."""

    code: int
    name: str
    severity: Literal["info", "warning", "critical"]
    suspect: Literal["application", "hardware", "driver", "nvlink"]
    action: str
    then: str | None
    generations: tuple[str, ...]
    isolate: bool
    note: str | None
    confirmed: bool


@dataclass(frozen=True, slots=True)
class XidTable:
    """All codes, and what the device plugin and DCGM make of some of them."""

    codes: tuple[Xid, ...]
    unused: tuple[int, ...]
    plugin_ignored: tuple[int, ...]
    health_fail: tuple[int, ...]
    health_warn: tuple[int, ...]
    blinding: tuple[int, ...]
    known_to_exporter_up_to: int
    source_ids: tuple[str, ...]

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources as text."""
        return source_texts(self.source_ids)

    def find(self, code: int) -> Xid | None:
        """Return the entry of a code, None if the table has none."""
        return next((xid for xid in self.codes if xid.code == code), None)


@cache
def xid_table() -> XidTable:
    """Return the table, read once."""
    data = yaml_of("xids.yaml")
    return XidTable(
        codes=tuple(_xid(row) for row in data["xids"]),
        unused=tuple(data["unused"]),
        plugin_ignored=tuple(data["plugin_ignored"]),
        health_fail=tuple(data["health_fail"]),
        health_warn=tuple(data["health_warn"]),
        blinding=tuple(data["blinding"]),
        known_to_exporter_up_to=data["known_to_exporter_up_to"],
        source_ids=tuple(data["sources"]),
    )


def xids() -> tuple[Xid, ...]:
    """Return the codes, in their order."""
    return xid_table().codes


def _xid(row: dict[str, Any]) -> Xid:
    return Xid(
        code=row["code"],
        name=row["name"],
        severity=row["severity"],
        suspect=row["suspect"],
        action=row["action"],
        then=row.get("then"),
        generations=tuple(row.get("generations", ())),
        isolate=row.get("isolate", False),
        note=row.get("note"),
        confirmed=row.get("confirmed", True),
    )
