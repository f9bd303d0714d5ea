"""The shape of a target: a module that satisfies `Target`. No base class, no state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile
from gpupolicy.plan.model import Plan


class Target(Protocol):
    """A room that turns the plan into the objects of one component.

    `NAME` is the folder of its output; `APIS` lists (apiVersion, kind) of all it can write.
    `unsupported` says what the component has no word for: *exact*, *approximated how*, or
    *impossible*; `emit` gives nothing if the plan does not need the target.
    """

    # Read-only here, so that a module's own constants fit.
    @property
    def NAME(self) -> str:  # noqa: D102, N802
        ...

    @property
    def APIS(self) -> tuple[tuple[str, str], ...]:  # noqa: D102, N802
        ...

    def unsupported(self, plan: Plan, /) -> Iterator[Diagnostic]:
        """Find what the target cannot express as meant."""

    def emit(self, plan: Plan, /) -> Iterator[Manifest | PlainFile]:
        """Make the target's objects and files, in any order; the bundle sorts them."""


def expresses_everything(_plan: Plan) -> Iterator[Diagnostic]:
    """Stand for `unsupported` in a room that has nothing to refuse."""
    return iter(())
