"""How many maps and lists a file may have."""

from __future__ import annotations

from gpupolicy.source.aliases import MAX_CONTAINERS
from tests.source.loading import POLICY
from tests.source.loading import load_texts

_SPEC = POLICY + "spec:\n  nodePools: ["
_AROUND = 3  # The document, `spec` and the list.


def _codes(number: int) -> list[str]:
    _, found = load_texts(_SPEC + "{}, " * number + "]\n")
    return [one.code for one in found]


def test_as_many_as_allowed_are_read() -> None:
    assert "GP018" not in _codes(MAX_CONTAINERS - _AROUND)


def test_one_more_is_refused() -> None:
    assert _codes(MAX_CONTAINERS - _AROUND + 1) == ["GP018"]
