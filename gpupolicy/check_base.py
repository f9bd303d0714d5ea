"""What every check gets: the policy, the facts, and the capacity that follows from both."""

from __future__ import annotations

from dataclasses import dataclass

from gpupolicy.capacity.model import Capacity
from gpupolicy.facts.catalog import Facts
from gpupolicy.spec.v1alpha1.policy import Policy


@dataclass(frozen=True, slots=True)
class CheckContext:
    """The subject of all checks.

    A check is a module in `checks/` with a docstring (its manual page) and a function
    `check(context) -> Iterator[Diagnostic]`. It gives paths, never places.
    """

    policy: Policy
    facts: Facts
    capacity: Capacity


def nearest(word: str, legal: list[str] | tuple[str, ...]) -> str | None:
    """Find the nearest legal word, for a hint; None if none is near."""
    import difflib  # only a refusal needs it

    found = difflib.get_close_matches(word, list(legal), n=1, cutoff=0.6)
    return found[0] if found else None
