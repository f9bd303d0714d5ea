"""Well-formed but hostile policies of 1 MiB are judged in bounded time and memory.

Each is one list or map of the language, as long as it can be; `python -m bench.hostile` measures
all of them. The time is the processor's, and twice what is promised, since the machine that runs
the tests may be busy with others; a rule that compares everything with everything takes minutes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.hostile import SHAPES
from bench.hostile import SIZE
from gpupolicy.cli import exits
from tests.measured import run_measured

SECONDS = 4.0
BYTES = 500 * 1024 * 1024
VALIDATE = "from gpupolicy.cli.main import main; sys.exit(main(['validate', sys.argv[1]]))"
NAMES = (
    "aliases of quotas",
    "alerts",
    "duplicate keys",
    "layout list cut",
    "long quantity",
    "long expression",
    "namespaces",
    "nested expression",
    "node names",
    "nulls for tenants",
    "pools of selectors",
    "quotas unknown",
    "tenants in a cycle",
    "tenants nested",
    "tenants of one name",
    "unknown keys of tenants",
    "workloads",
    "wrong names",
)


@pytest.mark.parametrize("name", NAMES)
def test_is_judged_in_bounded_time_and_memory(name: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(SHAPES[name](), encoding="utf-8")
    assert SIZE * 0.9 < path.stat().st_size <= SIZE
    cost = run_measured(VALIDATE, str(path))
    assert cost.code in (exits.OK, exits.FOUND)
    assert cost.seconds < SECONDS
    assert cost.peak < BYTES
