"""How one piece of text is written in YAML so that every reader reads it back as that text.

YAML 1.1 (PyYAML), YAML 1.2 (ruamel.yaml, editors) and Go's readers (kubectl, Argo CD) disagree
about which plain words are booleans, numbers, dates or null. Text stays plain only if none of them
could take it for anything else: it starts with a letter or a slash, or has a letter that no number
has. Everything else is quoted. Text of several lines is a literal block where a block can hold it.
"""

from __future__ import annotations

_DIGITS = "0123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Characters that mean nothing to YAML anywhere within a word.
_WORD = _LETTERS + _DIGITS + "_./-"
# What may also stand inside a plain scalar outside of flow collections, apart from ': ' and ' #'.
_SENTENCE = _WORD + " !\"#$%&'()*+,:;<=>?@[\\]^`{|}~"
_PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
_STARTS = frozenset(_LETTERS + "/")
# Whatever can stand in a number, a date or a time in any of the readers.
_NUMERIC = _DIGITS + "abcdefABCDEFoOpPtTxXzZ_.:+-, "
_WORDS = frozenset(
    {"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity"}
)
_BIDIRECTIONAL = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_HIDDEN = (0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF, *_BIDIRECTIONAL)
_ESCAPES: dict[int, str] = {
    **{code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA1))},
    **{code: f"\\u{code:04x}" for code in _HIDDEN},
    ord('"'): '\\"',
    ord("\\"): "\\\\",
    9: "\\t",
    10: "\\n",
    13: "\\r",
}
_CACHED_LENGTH = 80
_CACHE_SIZE = 65_536


class _Scalars(dict[str, str]):
    """Text to its scalar on one line. Keys, labels and names repeat, so they are remembered."""

    def __missing__(self, text: str) -> str:
        if type(text) is not str:
            return self[_exact(text)]
        written = text if _is_plain(text) else _quoted(text)
        if len(text) <= _CACHED_LENGTH and len(self) < _CACHE_SIZE:
            self[text] = written
        return written


def _exact(text: object) -> str:
    """Give the text of a kind of text; what only equals a text (no key of ours) is refused."""
    if not isinstance(text, str):
        raise TypeError(f"{type(text).__name__} is not text")
    return str.__str__(text)


def _is_plain(text: str) -> bool:
    if not text or text.strip(_SENTENCE):
        return False
    if text[0] not in _STARTS and not (text[0] in _DIGITS and text.strip(_NUMERIC)):
        return False
    if text.strip(_WORD):
        return not (": " in text or " #" in text or text[-1] in ": ")
    return text.lower() not in _WORDS


def _quoted(text: str) -> str:
    if ("\\" in text or '"' in text) and not text.strip(_PRINTABLE):
        return "'" + text.replace("'", "''") + "'"
    if not text.isascii():
        text.encode()  # half of a surrogate pair is not text: UnicodeEncodeError
    return '"' + text.translate(_ESCAPES) + '"'


SCALARS = _Scalars()


def block_header(text: str) -> str | None:
    """Give the header of the literal block for `text`, or None if a block cannot hold it.

    A block cannot hold what it would hide from a reviewer: blanks at the end of a line, carriage
    returns, control characters. `|2` where the first line starts with a blank, for readers find
    the indentation by that line.
    """
    stripped = text.rstrip("\n")
    if not stripped or " \n" in text or "\t\n" in text or text[-1] in " \t":
        return None
    if stripped.lstrip("\n").strip(_PRINTABLE + "\n\t") and _has_escapes(stripped):
        return None
    indicator = "2" if text.lstrip("\n")[0] in " \t" else ""
    newlines = len(text) - len(stripped)
    return "|" + indicator + ("-", "", "+")[min(newlines, 2)]


def _has_escapes(text: str) -> bool:
    text.encode()
    harmless = {'"', "\\", "\n", "\t"}
    return any(ord(character) in _ESCAPES for character in set(text) - harmless)
