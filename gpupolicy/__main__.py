"""`python -m gpupolicy`: the command where no script is installed."""

from __future__ import annotations

from gpupolicy.cli.main import entry

entry()
