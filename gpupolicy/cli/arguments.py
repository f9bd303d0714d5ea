"""The parser of every verb, made when it is asked for, and the arguments that verbs share."""

from __future__ import annotations

import argparse
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING
from typing import Protocol
from typing import cast

from gpupolicy.cli.output import write_error
from gpupolicy.cli.output import write_out

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

FORMATS = ("text", "json")
_LATER = ("sarif", "github", "junit", "gitlab")


class Verb(Protocol):
    """What a module of this package offers if it is a verb."""

    __doc__: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Say which arguments the verb takes."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it and give the exit code."""


class _Parser(argparse.ArgumentParser):
    """Writes as everything here writes: UTF-8, at once, and errors harmless on a terminal."""

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        if file is sys.stdout:
            write_out(message)
            return
        from gpupolicy.diagnostics.render.snippet import escape

        write_error("\n".join(map(escape, message.split("\n"))))


def room_of(verb: str) -> Verb:
    """Give the module of a verb."""
    return cast("Verb", import_module(f"gpupolicy.cli.{verb}"))


def parser_of(verb: str) -> argparse.ArgumentParser:
    """Make the parser of one verb. What stands first in its module is its help text."""
    room = room_of(verb)
    parser = _Parser(
        prog=f"gpupolicy {verb}",
        description=room.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    room.add_arguments(parser)
    return parser


def add_policy(parser: argparse.ArgumentParser) -> None:
    """Add what says which policy is meant and how it is judged."""
    parser.add_argument("path", nargs="+", metavar="PATH", help="files and folders of one policy")
    parser.add_argument(
        "--overlay",
        action="append",
        default=[],
        metavar="FILE",
        help="lay a partial document over the policy; may be repeated, in order",
    )
    parser.add_argument("--strict", action="store_true", help="let warnings count as errors")
    parser.add_argument(
        "--date", type=_date, metavar="DATE", help="judge the end of suppressions by this day"
    )


def add_format(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `-o`."""
    parser.add_argument(
        "-o",
        "--output",
        type=_format,
        default="text",
        metavar="FORMAT",
        help=f"form of the {what}: {', '.join(FORMATS)}",
    )


def _format(text: str) -> str:
    if text in FORMATS:
        return text
    legal = " or ".join(FORMATS)
    reason = "is not available in this version" if text in _LATER else "is not a format"
    raise argparse.ArgumentTypeError(f"'{text}' {reason}; use {legal}")


def _date(text: str) -> str:
    from datetime import date

    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a date such as 2027-03-01") from None
