"""What every check gets: the policy, the facts, and the capacity that follows from both."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from dataclasses import dataclass

from gpupolicy.capacity.model import Capacity
from gpupolicy.diagnostics.model import Related
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


# Beyond so many legal words the nearest one is not looked for: a policy with ten thousand tenants
# and as many misspelt parents must not take minutes.
_MANY = 300
_SHOWN = 12


def did_you_mean(word: str, legal: Collection[str]) -> str | None:
    """Make the hint for a name that does not exist: the nearest legal one, or all of a few."""
    if not legal:
        return None
    if len(legal) > _MANY:
        return f"did you mean '{word.lower()}'?" if word.lower() in legal else None
    near = nearest(word, tuple(legal))
    if near is not None:
        return f"did you mean '{near}'?"
    return f"legal here: {listed(legal)}" if len(legal) <= _SHOWN else None


def listed(words: Iterable[object], most: int = _SHOWN) -> str:
    """List words for a message: "a, b and c", of many only the first and how many there are."""
    texts = [str(word) for word in words]
    if len(texts) > most:
        texts = [*texts[: most - 1], f"{len(texts) - most + 1} more"]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def few(related: Iterable[Related], most: int = _SHOWN) -> tuple[Related, ...]:
    """Keep the first of many related places, and say in the last one how many are left out."""
    places = tuple(related)
    if len(places) <= most:
        return places
    last = Related(f"and {len(places) - most + 1} more like the one above")
    return (*places[: most - 1], last)
