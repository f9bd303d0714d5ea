"""Runs `cel-check`: the API server's own compiler and evaluator of admission policies."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

_PROGRAM = Path(__file__).parents[2] / ".tools" / "bin" / "cel-check"


def evaluate(policies: list[Any], requests: list[Any]) -> dict[str, Any]:
    """Compile the policies and ask them about requests; skips the test if it was not built."""
    if not _PROGRAM.exists():
        pytest.skip("cel-check is not in .tools/bin: make tools")
    asked = json.dumps({"policies": policies, "requests": requests})
    done = subprocess.run([str(_PROGRAM)], input=asked, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
