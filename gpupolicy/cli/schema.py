"""Print the JSON Schema (draft-07) of policy files, with which editors complete and check.

Name the file in the first line of a policy: `# yaml-language-server: $schema=policy.schema.json`.
"""

from __future__ import annotations

import argparse

from gpupolicy.cli import exits
from gpupolicy.cli.output import write_out


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Take no arguments."""


def run(_arguments: argparse.Namespace) -> int:
    """Print the schema of the newest version of the language."""
    import json

    from gpupolicy.facts.catalog import facts
    from gpupolicy.spec.schema import policy_schema

    schema = policy_schema([name.upper() for name in facts().names()])
    write_out(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    return exits.OK
