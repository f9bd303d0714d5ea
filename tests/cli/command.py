"""The command as users run it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import gpupolicy
from gpupolicy.cli import shipped

ROOT = os.path.dirname(os.path.dirname(gpupolicy.__file__))
BLUEPRINTS = shipped.folder("blueprints")
ARGUMENTS = [sys.executable, "-m", "gpupolicy"]


@dataclass(frozen=True, slots=True)
class Run:
    code: int
    out: str
    err: str


def environment(**changes: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, "PYTHONPATH": ROOT, **changes}


def run(
    *arguments: str,
    cwd: str | os.PathLike[str] | None = None,
    stdin: bytes = b"",
    **changes: str,
) -> Run:
    """Run the command, with an environment of its own, and read what it wrote as UTF-8."""
    done = subprocess.run(
        [*ARGUMENTS, *arguments],
        cwd=cwd,
        env=environment(**changes),
        input=stdin,
        capture_output=True,
        timeout=60,
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def imported(*arguments: str, cwd: str | os.PathLike[str] | None = None) -> set[str]:
    """List the modules that a run imports."""
    command: Sequence[str] = [sys.executable, "-X", "importtime", *ARGUMENTS[1:], *arguments]
    done = subprocess.run(
        command, cwd=cwd, env=environment(), capture_output=True, timeout=60, text=True
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}
