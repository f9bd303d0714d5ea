"""Our own bugs: a report to paste instead of a traceback.

GP900 internal-error
    gpupolicy failed where it should have given a finding. The fault is in gpupolicy, whatever the
    policy says, and the exit code is 3. The report has the version, the command line and the
    lines of the program that were being run, but nothing of the policy itself except, perhaps,
    in the last line: look it through, then send it to the project with the policy if you can.
    Nothing that was being written is left half-written; the command can be run again.
"""

from __future__ import annotations

import sys
import traceback

from gpupolicy import __version__
from gpupolicy.diagnostics.render.snippet import escape

_FRAMES = 12


def report(error: Exception, arguments: list[str]) -> str:
    """Say that the program failed, with what its authors need to know."""
    python = ".".join(str(number) for number in sys.version_info[:3])
    lines = [
        "error[GP900]: gpupolicy itself failed",
        "  = note: this is a bug in gpupolicy, not in the policy",
        "  = help: send the lines below to the project, with the policy if you can",
        "",
        f"gpupolicy {__version__}, Python {python}, {sys.platform}",
        "arguments: " + escape(" ".join(arguments)),
        *_frames(error),
        escape(f"{type(error).__name__}: {error}"),
    ]
    return "\n".join(lines) + "\n"


def _frames(error: Exception) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    return [f"  {_short(one.filename)}:{one.lineno} {one.name}" for one in frames]


def _short(file: str) -> str:
    """Leave out where the package is installed: it is nobody's business and differs everywhere."""
    parts = file.replace("\\", "/").split("/")
    for index in range(len(parts) - 1, -1, -1):
        if parts[index] in ("gpupolicy", "site-packages"):
            return "/".join(parts[index:])
    return parts[-1]
