"""Text with words in `%{...}`, read once and written many times.

The braces after the percent sign keep it apart from PromQL, where `%` is an operator, and from Go
templates, which annotations use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Words = Mapping[str, str]

_WORD = re.compile(r"%\{(\w+)\}")


class Text:
    """A text and the words that it needs."""

    __slots__ = ("_format", "words")

    def __init__(self, text: str) -> None:
        self.words = frozenset(_WORD.findall(text))
        # Python's own formatting puts words in at the speed of C.
        self._format = _WORD.sub(r"%(\1)s", text.replace("%", "%%").replace("%%{", "%{"))
        if not self.words:
            self._format = text

    @classmethod
    def plain(cls, text: str) -> Text:
        """Make a text without words, whatever stands in it."""
        made = cls("")
        made._format = text
        return made

    def write(self, words: Words) -> str:
        """Put the words in. Raises `KeyError` for a word that is not given."""
        return self._format % words if self.words else self._format
