"""One file: bytes -> its documents and findings, whatever the bytes are."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field
from typing import TYPE_CHECKING

from yaml import YAMLError

from gpupolicy.source.construct import Constructor
from gpupolicy.source.events import open_events
from gpupolicy.source.findings import Findings
from gpupolicy.source.findings import Unreadable
from gpupolicy.source.syntax import directive_finding
from gpupolicy.source.syntax import syntax_finding
from gpupolicy.source.text import decode

if TYPE_CHECKING:
    from gpupolicy.diagnostics.model import Diagnostic
    from gpupolicy.source.construct import Root
    from gpupolicy.source.places import Places


@dataclass(slots=True)
class File:
    """What one file holds: its documents that are not null.

    `is_lossy` says that part of it is not in them; `patches` are the places of `$patch` keys.
    """

    name: str
    roots: list[Root] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)
    is_lossy: bool = False
    patches: dict[int, int] = field(default_factory=dict)


def read(name: str, data: bytes, places: Places) -> File:
    """Decode and parse one file, and record where its values stand. Never raises."""
    text, faults = decode(name, data)
    if text is None:
        return File(name, findings=faults, is_lossy=True)
    base = places.add_file(name, text)
    findings = Findings(places, base)
    file = File(name, findings=findings.found)
    if refused := directive_finding(places, base, text):
        return File(name, findings=[refused], is_lossy=True)
    try:
        constructor = Constructor(open_events(text), findings, places, base)
        file.patches = constructor.patches
        file.roots = [root for root in constructor.documents() if root.data is not None]
        file.is_lossy = findings.is_lossy
    except Unreadable as stop:
        file.findings.append(stop.finding)
        file.is_lossy = True
    except (YAMLError, ValueError, OverflowError) as error:  # The last two by the Python parser.
        file.findings.append(syntax_finding(error, places, base, text))
        file.is_lossy = True
    return file
