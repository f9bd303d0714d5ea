"""Device memory that workloads cannot have: the driver's reserve and the CUDA contexts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil

from gpupolicy.facts.read import source_texts
from gpupolicy.facts.read import yaml_of


@dataclass(frozen=True, slots=True)
class Overheads:
    """Bounds over observations, not vendor figures: `confirmed` is false. All sizes are MiB."""

    # The driver's reserve on a card for which no capture shows it.
    uncaptured_reserve_mib: int
    context_mib_per_sm: Fraction
    unknown_sm_count: int
    confirmed: bool
    source_ids: tuple[str, ...]

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources as text."""
        return source_texts(self.source_ids)

    def context_mib(self, sm_count: int | None) -> int:
        """Return the size of one process's empty context on so many multiprocessors, at most."""
        return ceil(self.context_mib_per_sm * (sm_count or self.unknown_sm_count))


@cache
def overheads() -> Overheads:
    """Return the bounds, read once."""
    data = yaml_of("overheads.yaml")
    context = data["process_context"]
    return Overheads(
        uncaptured_reserve_mib=data["uncaptured_reserve_mib"],
        context_mib_per_sm=Fraction(context["mib_per_sm"]),
        unknown_sm_count=context["unknown_sm_count"],
        confirmed=data["confirmed"],
        source_ids=tuple(data["sources"]),
    )
