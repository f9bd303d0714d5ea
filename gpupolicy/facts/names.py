"""How a GPU name in a policy becomes a key of the catalogue's index."""

from __future__ import annotations

import re

# What GPU Feature Discovery appends to the label of a node that shares or cuts its GPUs
# (NVIDIA/k8s-device-plugin v0.20.0, internal/lm/resource.go and mig-strategy.go).
_DERIVED = re.compile(r"(?:-mig-(?:invalid|[1-7](?:c\.[1-7])?g\.\d+gb[a-z.+-]*?))?(?:-shared)?$")
_BLANKS = re.compile(r"[\s_-]+")
_VENDOR = "nvidia-"


def normalise(name: str) -> str:
    """Return a name in the index's spelling: lower case, blanks and underscores as one '-'."""
    return _BLANKS.sub("-", name.strip().lower())


def keys_of(name: str) -> tuple[str, ...]:
    """Return the index keys to try for a name, the most literal first.

    The literal spelling comes first because a product label can be a name that is ambiguous
    without its prefix: the label of one board reads like the family.
    """
    literal = normalise(name)
    plain = _DERIVED.sub("", literal)
    tries = [literal, plain, literal.removeprefix(_VENDOR), plain.removeprefix(_VENDOR)]
    return tuple(dict.fromkeys(tries))
