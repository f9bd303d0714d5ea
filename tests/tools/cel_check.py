"""Runs `celcheck`: the API server's own compiler and evaluator of admission policies."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

_SOURCE = Path(__file__).parent / "celcheck"
# Kept between runs: Go links again only if something changed.
_BINARY = Path(__file__).parents[2] / ".tools" / "celcheck"


@functools.cache
def _binary() -> tuple[str | None, str]:
    """Build the program once per process; gives the path, or why there is none."""
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        return None, "go is not installed"
    _BINARY.parent.mkdir(exist_ok=True)
    built = subprocess.run(
        [go, "build", "-o", str(_BINARY), "."], cwd=_SOURCE, capture_output=True, text=True
    )
    if built.returncode:
        return None, f"celcheck cannot be built: {built.stderr.strip().splitlines()[-1]}"
    return str(_BINARY), ""


def evaluate(policies: list[Any], requests: list[Any]) -> dict[str, Any]:
    """Compile the policies and ask them about requests; skips the test if there is no Go."""
    binary, why = _binary()
    if binary is None:
        pytest.skip(why)
    asked = json.dumps({"policies": policies, "requests": requests})
    done = subprocess.run([binary], input=asked, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
