"""Check a policy: its form, its references, and whether hardware and quotas can honour it.

Findings go to standard output. Nothing is written anywhere.
"""

from __future__ import annotations

import argparse

from gpupolicy.cli.arguments import add_format
from gpupolicy.cli.arguments import add_policy
from gpupolicy.cli.findings import exit_code
from gpupolicy.cli.findings import show
from gpupolicy.cli.output import write_error
from gpupolicy.compiler import check_policy
from gpupolicy.deliver.read import read_sources


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the verb takes."""
    add_policy(parser)
    add_format(parser, "findings")


def run(arguments: argparse.Namespace) -> int:
    """Check the policy and show what was found."""
    sources, overlays = read_sources(arguments.path), read_sources(arguments.overlay)
    compiled = check_policy(sources, overlays, today=arguments.date)
    show(compiled, arguments.output, as_data=True)
    if not compiled.diagnostics:
        write_error("gpupolicy validate: nothing found\n")
    return exit_code(compiled, strict=arguments.strict)
