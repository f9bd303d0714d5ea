"""Runs `goread`: what the Go libraries of Kubernetes make of texts."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

_SOURCE = Path(__file__).parent / "goread"


@functools.cache
def _binary() -> str | None:
    """Build the reader once per process; Go's own cache makes it quick. None without Go."""
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        return None
    target = Path(tempfile.mkdtemp(prefix="goread-")) / "goread"
    built = subprocess.run(
        [go, "build", "-o", str(target), "."], cwd=_SOURCE, capture_output=True, text=True
    )
    if built.returncode:
        pytest.skip(f"goread cannot be built: {built.stderr.strip().splitlines()[-1]}")
    return str(target)


def read(what: str, texts: list[str]) -> list[Any]:
    """Read `texts` as `yaml` or `quantity`; skips the test if there is no Go."""
    binary = _binary()
    if binary is None:
        pytest.skip("go is not installed")
    done = subprocess.run(
        [binary, what], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    answers: list[Any] = json.loads(done.stdout)
    return answers
