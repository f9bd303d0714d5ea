"""Compiles every blueprint into a folder: `python -m tests.compile_all DIR`, in one process."""

from __future__ import annotations

import os
import sys

from gpupolicy.cli.main import main
from tests.blueprints import ALL
from tests.conftest import ROOT


def run(to: str) -> int:
    """Compile all of them; gives the worst exit code."""
    os.chdir(ROOT)
    codes = [
        main(["compile", one.path, *one.overlays, "--out", os.path.join(to, one.name)])
        for one in ALL
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(run(os.path.abspath(sys.argv[1])))
