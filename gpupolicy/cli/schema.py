"""Print the JSON Schema (draft-07) of policy files, with which editors complete and check.

Name the file in the first line of a policy: `# yaml-language-server: $schema=policy.schema.json`.
"""

from __future__ import annotations

import argparse

from gpupolicy.cli import exits
from gpupolicy.cli.output import write_out
from gpupolicy.cli.shipped import read

VERSION = "v1alpha1"


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Take no arguments."""


def run(_arguments: argparse.Namespace) -> int:
    """Print the schema of the newest version of the language."""
    write_out(read("schemas", "policy", f"{VERSION}.json"))
    return exits.OK
