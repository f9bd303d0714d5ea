"""Write a policy to start from: a blueprint, with your values in it.

The result is checked before it is written, and no file is ever overwritten. Nothing is asked
unless --interactive is given.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from gpupolicy.cli import exits
from gpupolicy.cli.arguments import parser_of
from gpupolicy.cli.output import write_error
from gpupolicy.cli.output import write_out

if TYPE_CHECKING:
    from gpupolicy.cli.blueprint import Blueprint

_STDOUT = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the verb takes."""
    parser.add_argument("blueprint", nargs="?", metavar="BLUEPRINT", help="one that --list shows")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=_setting,
        metavar="NAME=VALUE",
        help="a value, by the name of a parameter or a path such as nodePools[lab].nodes",
    )
    parser.add_argument(
        "--out", metavar="PATH", help="file or folder to write; '-' is standard output"
    )
    parser.add_argument(
        "--list", action="store_true", help="list the blueprints, or one's parameters"
    )
    parser.add_argument("--interactive", action="store_true", help="ask for the parameters")


def run(arguments: argparse.Namespace) -> int:
    """List, or fill a blueprint, check it and write it."""
    from gpupolicy.cli import blueprint

    try:
        if arguments.list:
            write_out(_listing(arguments.blueprint))
            return exits.OK
        if arguments.blueprint is None:
            return _wrong(f"name a blueprint: {', '.join(blueprint.names())}")
        chosen = blueprint.find(arguments.blueprint)
        values = dict(arguments.set)
        if arguments.interactive:
            values = _asked(chosen, values)
        return _write(chosen, chosen.filled(values), arguments.out)
    except blueprint.BlueprintError as error:
        return _wrong(str(error))


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def _wrong(message: str) -> int:
    parser_of("init").print_usage(sys.stderr)
    write_error(f"gpupolicy init: {message}\n")
    return exits.USAGE


def _listing(name: str | None) -> str:
    from gpupolicy.cli import blueprint
    from gpupolicy.cli.table import table

    if name is None:
        found = [blueprint.find(one) for one in blueprint.names()]
        return table(("BLUEPRINT", "FOR"), [(one.name, one.about) for one in found])
    rows = [(one.name, one.default, one.about) for one in blueprint.find(name).parameters]
    return table(("PARAMETER", "DEFAULT", "MEANS"), rows)


def _asked(chosen: Blueprint, values: dict[str, str]) -> dict[str, str]:
    """Ask for the parameters that are not set; an empty answer keeps the default."""
    from gpupolicy.cli.blueprint import BlueprintError

    if not (sys.stdin and sys.stdin.isatty()):
        raise BlueprintError("--interactive needs a terminal; use --set")
    for parameter in chosen.parameters:
        if parameter.name not in values:
            write_error(f"{parameter.name} ({parameter.about}) [{parameter.default}]: ")
            answer = sys.stdin.readline().strip()
            if answer:
                values = {**values, parameter.name: answer}
    return values


def _write(chosen: Blueprint, files: dict[str, str], out: str | None) -> int:
    if chosen.is_folder and out == _STDOUT:
        return _wrong(f"'{chosen.name}' has several files; name a folder with --out")
    root = (out or "policy").rstrip("/")
    if chosen.is_folder:
        named = {f"{root}/{name}": text for name, text in files.items()}
    else:
        named = dict(zip([out or "policy.yaml"], files.values(), strict=True))
    if not _is_sound(named, [f"{root}/{overlay.name}" for overlay in chosen.overlays]):
        write_error("gpupolicy init: nothing is written\n")
        return exits.FOUND
    if out == _STDOUT:
        write_out("".join(named.values()))
        return exits.OK
    from gpupolicy.deliver.create import create_files

    create_files(named)
    write_error("".join(f"wrote {name}\n" for name in named))
    return exits.OK


def _is_sound(files: dict[str, str], overlays: list[str]) -> bool:
    """Check the policy, alone and with each overlay, and show what is found."""
    from gpupolicy.cli.findings import exit_code
    from gpupolicy.cli.findings import show
    from gpupolicy.compiler import check_policy
    from gpupolicy.source.load import SourceText

    sources = {name: SourceText(name, text.encode()) for name, text in files.items()}
    policy = [source for name, source in sources.items() if name not in overlays]
    for laid_over in ([], *([sources[name]] for name in overlays)):
        compiled = check_policy(policy, laid_over)
        show(compiled, "text", as_data=False)
        if exit_code(compiled, strict=False) != exits.OK:
            return False
    return True
