"""List the GPU models that are known, or show one: memory, sharing, MIG profiles and layouts.

What no source confirms is marked with a question mark.
"""

from __future__ import annotations

import argparse

from gpupolicy.cli import exits
from gpupolicy.cli.arguments import add_format
from gpupolicy.cli.output import write_error
from gpupolicy.cli.output import write_out
from gpupolicy.facts.catalog import facts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the verb takes."""
    parser.add_argument("gpu", nargs="?", metavar="GPU", help="a model, by any name it goes by")
    add_format(parser, "catalogue")


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or the models that the name stands for."""
    known = facts()
    name = arguments.gpu
    models = known.find(name).models if name else tuple(map(known.load, known.names()))
    if not models:
        near = known.suggest(name)
        hint = f"did you mean {', '.join(near)}?" if near else "'gpupolicy catalog' lists them"
        write_error(f"gpupolicy: no GPU model is called {name!r}; {hint}\n")
        return exits.USAGE
    if arguments.output == "json":
        from gpupolicy.cli.catalog_json import models_json

        write_out(models_json(models))
        return exits.OK
    from gpupolicy.cli.catalog_text import list_text
    from gpupolicy.cli.catalog_text import page_text

    write_out(page_text(known.find(name)) if name else list_text(models))
    return exits.OK
