"""What people write for a quantity, and how Kubernetes spells it: hints for refusals."""

from __future__ import annotations

import re

from gpupolicy.quantity import LONGEST

_LOOSE = re.compile(r"\s*([0-9]+(?:[.,][0-9]+)?|[.,][0-9]+)\s*([kKmMgGtTpPeE]?)([iI]?)[bB]?\s*\Z")
_WORD = re.compile(
    r"(?<![A-Za-z])([kmgtpe])(ilo|ega|iga|era|eta|xa|ibi|ebi|obi|xbi)bytes?\s*\Z", re.I
)
_NO_UNIT = re.compile(r"\s*(?:bytes?|v?cpus?|cores?|gpus?|pods?)\s*\Z", re.I)
_GROUPED = re.compile(r"(?<=[0-9])_(?=[0-9])")


def advice(text: str) -> str:
    """Say what to write for a text that is no quantity."""
    near = nearest(text)
    if near == "":
        return "it is empty"
    if near is None:
        if text.endswith("%"):
            return "percentages are of devices: write an amount, such as 64Gi"
        return "write a number and one of n u m k M G T P E, or Ki Mi Gi Ti Pi Ei, such as 64Gi"
    if near[-1:] == "k" and text.strip()[-1] == "K":
        return f"write {near} (thousands) or {near[:-1]}Ki (1024s)"
    return f"write {near}"


def nearest(text: str) -> str | None:
    """Respell what people write for a quantity; None if unknown, empty for nothing.

    `64GiB`, `64 gb`, `1,5G`, `64 gigabytes`, `16 cores`, `1_000`.
    """
    if not text.strip():
        return ""
    match = _LOOSE.match(_shortened(text)) if len(text) <= LONGEST else None
    if match is None:
        return None
    number, letter, binary = match[1].replace(",", "."), match[2].upper(), match[3].lower()
    return (
        number + ("k" if letter == "K" and not binary else letter) + (binary and "i" * bool(letter))
    )


def _shortened(text: str) -> str:
    text = _WORD.sub(lambda word: word[1] + "i" * word[2].lower().endswith("bi"), text)
    return _GROUPED.sub("", _NO_UNIT.sub("", text))
