"""Which legal word was probably meant, for hints; never one that says the opposite.

`all-enabled` is nearer to `all-disabled` than to any other name of a layout, and `unmanaged` to
`managed`: who takes such a hint gets what was to be kept off.
"""

from __future__ import annotations

from collections.abc import Iterable

# Of more legal words the first are looked at, and of a longer word its beginning: a policy with
# ten thousand tenants and as many misspelt parents must not take minutes.
_MOST, _LONGEST = 500, 100
_OPPOSITES = (
    ("enable", "disable"),
    ("allow", "deny"),
    ("low", "high"),
    ("under", "over"),
    ("min", "max"),
    ("least", "most"),
    ("always", "never"),
    ("before", "after"),
    ("start", "stop"),
    ("include", "exclude"),
)
_NEGATIONS = ("non", "not", "un", "no", "dis", "without")
_SAME = 0.85  # Two words are one but for a slip of the pen.


def nearest(word: str, legal: Iterable[str], cutoff: float = 0.7) -> str | None:
    """Find the nearest legal word; None if none is near, or none that means the same."""
    return next((near for near in _close(word, legal, cutoff) if not is_opposite(word, near)), None)


def opposite(word: str, legal: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Find the nearest legal word if it says the opposite."""
    near = next(iter(_close(word, legal, cutoff)), None)
    return near if near is not None and is_opposite(word, near) else None


def is_opposite(word: str, other: str) -> bool:
    """Tell whether one of two words that look alike denies the other."""
    one, two = _folded(word), _folded(other)
    for pair in _OPPOSITES:
        for a, b in (pair, pair[::-1]):
            if a in one and b in two and a not in two.replace(b, "", 1):
                return True
    return _denies(one, two) or _denies(two, one)


def _denies(denial: str, word: str) -> bool:
    """Tell whether the one is the other with a negation in it: `nonpreemptible`."""
    from difflib import SequenceMatcher

    for negation in _NEGATIONS:
        at = denial.find(negation)
        if at < 0 or negation in word[at : at + len(negation)]:
            continue
        rest = denial[:at] + denial[at + len(negation) :]
        if len(rest) > 3 and SequenceMatcher(None, rest, word).ratio() >= _SAME:
            return True
    return False


def _close(word: str, legal: Iterable[str], cutoff: float) -> list[str]:
    from difflib import get_close_matches
    from itertools import islice

    folded = {_folded(name): name for name in islice(legal, _MOST)}
    return [folded[key] for key in get_close_matches(_folded(word), folded, 3, cutoff)]


def _folded(word: str) -> str:
    return word[:_LONGEST].lower().replace("_", "").replace("-", "")
