"""Where components answer Prometheus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from gpupolicy.facts.read import source_texts
from gpupolicy.facts.read import yaml_of


@dataclass(frozen=True, slots=True)
class Scrape:
    """One endpoint of a component of `platform`.

    `selector` are labels of its Service, of the exporter's pods where `exporter` is true; `port`
    is the port's name; `jobs` is a regular expression of the job of its series.
    """

    component: str
    name: str
    exporter: bool
    selector: Mapping[str, str]
    port: str
    scheme: Literal["http", "https"]
    job: str
    jobs: str


@cache
def scrapes() -> tuple[Scrape, ...]:
    """Return all endpoints."""
    return tuple(
        Scrape(
            component=row["component"],
            name=row["name"],
            exporter=row.get("exporter", False),
            selector=row["selector"],
            port=row["port"],
            scheme=row.get("scheme", "http"),
            job=row["job"],
            jobs=row.get("jobs", row["job"]),
        )
        for row in yaml_of("scrapes.yaml")["scrapes"]
    )


def sources() -> tuple[str, ...]:
    """Return the sources of the table as text."""
    return source_texts(tuple(yaml_of("scrapes.yaml")["sources"]))
