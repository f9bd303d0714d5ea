"""Print the version of gpupolicy."""

from __future__ import annotations

import argparse

from gpupolicy import __version__
from gpupolicy.cli import exits
from gpupolicy.cli.output import write_out


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Take no arguments."""


def run(_arguments: argparse.Namespace) -> int:
    """Print it. Asked for plainly, `main` has answered already."""
    write_out(f"gpupolicy {__version__}\n")
    return exits.OK
