"""Print a completion script for bash, zsh or fish.

bash: source <(gpupolicy completion bash)
zsh:  gpupolicy completion zsh > "${fpath[1]}/_gpupolicy"
fish: gpupolicy completion fish > ~/.config/fish/completions/gpupolicy.fish
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from collections.abc import Iterator

from gpupolicy.cli import exits
from gpupolicy.cli.arguments import FORMATS
from gpupolicy.cli.arguments import parser_of
from gpupolicy.cli.completion_scripts import FILES
from gpupolicy.cli.completion_scripts import SHELLS
from gpupolicy.cli.completion_scripts import Option
from gpupolicy.cli.completion_scripts import Verb
from gpupolicy.cli.completion_scripts import script
from gpupolicy.cli.diff import FORMS
from gpupolicy.cli.diff import LEVELS
from gpupolicy.cli.main import VERBS
from gpupolicy.cli.output import write_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the verb takes."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


def run(arguments: argparse.Namespace) -> int:
    """Print the script. It holds all names, so that completing starts no Python."""
    write_out(script(arguments.shell, list(verbs())))
    return exits.OK


def verbs() -> Iterator[Verb]:
    """Ask the parsers what can follow each verb."""
    for name, summary in VERBS:
        actions = parser_of(name)._actions  # argparse has no public way to ask
        options = tuple(_option(one) for one in actions if one.option_strings)
        metavars = [str(one.metavar) for one in actions if not one.option_strings]
        yield Verb(name, summary, options, _values(metavars[0]) if metavars else ())


def _option(action: argparse.Action) -> Option:
    takes_value = action.nargs != 0
    values = _values(str(action.metavar)) if takes_value else ()
    return Option(tuple(action.option_strings), takes_value, values, action.help or "")


def _values(metavar: str) -> tuple[str, ...]:
    """List what an argument can be, by its name in the help."""
    known: dict[str, Callable[[], tuple[str, ...]]] = {
        "PATH": lambda: (FILES,),
        "TENANT/WORKLOAD": lambda: (FILES,),
        "FILE": lambda: (FILES,),
        "DIR": lambda: (FILES,),
        "FORMAT": lambda: FORMATS,
        "FORM": lambda: FORMS,
        "LEVEL": lambda: LEVELS,
        "SHELL": lambda: SHELLS,
        "CODE": _codes,
        "BLUEPRINT": _blueprints,
        "GPU": _gpus,
        "NAME": _targets,
    }
    return known[metavar]() if metavar in known else ()


def _codes() -> tuple[str, ...]:
    from gpupolicy.diagnostics.codes import CODES

    return tuple(CODES)


def _blueprints() -> tuple[str, ...]:
    from gpupolicy.cli.blueprint import names

    return tuple(names())


def _gpus() -> tuple[str, ...]:
    from gpupolicy.facts.catalog import facts

    return tuple(name.upper() for name in facts().names())


def _targets() -> tuple[str, ...]:
    from gpupolicy.all_targets import TARGETS

    return tuple(TARGETS)
