"""Version texts of components, compared number by number."""

from __future__ import annotations

import re

_NUMBERS = re.compile(r"v?(\d+(?:\.\d+)*)")


def version_key(text: str) -> tuple[int, ...]:
    """Return the numbers of a version: "v26.7.1" is (26, 7, 1). Raises ValueError without any."""
    match = _NUMBERS.match(text.strip())
    if match is None:
        raise ValueError(f"not a version: '{text}'")
    return tuple(int(number) for number in match[1].split("."))
