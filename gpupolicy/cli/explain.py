"""Print the manual page of a code: what it means, why it matters, what to write instead.

Without a code, all codes are listed.
"""

from __future__ import annotations

import argparse

from gpupolicy.cli import exits
from gpupolicy.cli.output import write_error
from gpupolicy.cli.output import write_out
from gpupolicy.cli.table import table
from gpupolicy.diagnostics.codes import CODES
from gpupolicy.diagnostics.explain import find_code
from gpupolicy.diagnostics.explain import manual_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the verb takes."""
    parser.add_argument("code", nargs="*", metavar="CODE", help="a code (GP203) or its name")


def run(arguments: argparse.Namespace) -> int:
    """Print the pages in the order asked for, or the list."""
    if not arguments.code:
        rows = [(one.number, one.severity.value, one.slug, one.title) for one in CODES.values()]
        write_out(table(("CODE", "SEVERITY", "NAME", "MEANS"), rows))
        return exits.OK
    codes = [(name, find_code(name)) for name in arguments.code]
    unknown = [name for name, code in codes if code is None]
    if unknown:
        write_error("".join(_unknown(name) for name in unknown))
        return exits.USAGE
    write_out("\n".join(manual_page(code) for _, code in codes if code is not None))
    return exits.OK


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), [one.slug for one in CODES.values()], n=1)
    hint = f"did you mean '{near[0]}'?" if near else "'gpupolicy explain' lists the codes"
    return f"gpupolicy: there is no code {name!r}; {hint}\n"
