"""Well-formed but hostile policies of 1 MiB are judged in bounded time and memory.

Each is one list or map of the language, as long as it can be; `python -m bench.hostile` measures
all of them. The time is the processor's, and twice what is promised, since the machine that runs
the tests may be busy with others; a rule that compares everything with everything takes minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.hostile import SHAPES
from bench.hostile import SIZE
from bench.process import measured
from gpupolicy.cli import exits

SECONDS = 4.0
KIB = 500 * 1024
NAMES = (
    "aliases of quotas",
    "alerts",
    "duplicate keys",
    "layout list cut",
    "long quantity",
    "namespaces",
    "node names",
    "pools of selectors",
    "quotas unknown",
    "tenants in a cycle",
    "tenants nested",
    "tenants of one name",
    "unknown keys of tenants",
    "workloads",
)


@pytest.mark.parametrize("name", NAMES)
def test_is_judged_in_bounded_time_and_memory(name: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(SHAPES[name](), encoding="utf-8")
    assert SIZE * 0.9 < path.stat().st_size <= SIZE
    cost, code = measured([sys.executable, "-m", "gpupolicy", "validate", str(path)], at_most=120)
    assert code in (exits.OK, exits.FOUND)
    assert cost.cpu < SECONDS
    assert cost.peak < KIB
