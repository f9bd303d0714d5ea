"""Text -> events of PyYAML's C parser, or of its Python one where the C library is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from typing import Any
from typing import Protocol
from typing import cast

if TYPE_CHECKING:
    import yaml


class Mark(Protocol):
    """A place in the text; `index` counts characters from 0."""

    index: int


class Event(Protocol):
    """An event of either parser. Which attributes it has depends on its class.

    `style` is empty for an unquoted scalar, else `'`, `"`, `|` or `>`. `flow_style` tells `{}`
    and `[]` from blocks.
    """

    __class__: Any
    start_mark: Mark
    end_mark: Mark
    anchor: str
    tag: str
    value: str
    style: str | None
    flow_style: bool


GetEvent = Callable[[], Event]


def open_events(text: str) -> GetEvent:
    """Give a function that returns the next event of a YAML stream, and raises `YAMLError`."""
    try:
        from yaml._yaml import CParser
    except ImportError:
        return _open_python_events(text)
    return cast("GetEvent", CParser(text).get_event)


def _open_python_events(text: str) -> GetEvent:
    from yaml.events import ScalarEvent
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner
    from yaml.scanner import ScannerError

    class PythonParser(Reader, Scanner, Parser):
        def __init__(self) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            Parser.__init__(self)

    get = cast("GetEvent", PythonParser().get_event)

    def get_checked() -> Event:
        # The C parser refuses an escape for half a surrogate pair; this one lets it through.
        event = get()
        if event.__class__ is ScalarEvent and not _is_encodable(event.value):
            problem = "found invalid Unicode character escape code"
            raise ScannerError(None, None, problem, cast("yaml.Mark", event.start_mark))
        return event

    return get_checked


def _is_encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
