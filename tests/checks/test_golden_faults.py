"""Every code of a check has a fault that gives it, and it alone.

The text beside a fault is what `gpupolicy validate tests/policies/err/<fault>.yaml` prints.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gpupolicy.compiler import check_policy
from gpupolicy.diagnostics.codes import CODES
from gpupolicy.diagnostics.render.text import render_text
from gpupolicy.source.load import SourceText

ROOT = Path(__file__).parents[2]
FOLDER = "tests/policies/err"
# Its fault has ten thousand names; test_cluster_size.py writes them.
WRITTEN_ELSEWHERE = {"GP469"}
# And the unknown key, the commonest mistake of all.
OURS = [
    code
    for code, row in CODES.items()
    if (row.module.startswith("gpupolicy.checks.") and code not in WRITTEN_ELSEWHERE)
    or code == "GP101"
]


@pytest.mark.parametrize("code", OURS)
def test_a_code_has_a_fault_that_gives_it_alone(code: str) -> None:
    name = f"{FOLDER}/{code}-{CODES[code].slug}"
    source = SourceText(f"{name}.yaml", (ROOT / f"{name}.yaml").read_bytes())
    result = check_policy([source], today="2026-11-30")
    assert {found.code for found in result.diagnostics} == {code}
    assert result.diagnostics[0].severity is CODES[code].severity
    assert result.document is not None
    expected = (ROOT / f"{name}.out").read_text(encoding="utf-8")
    assert render_text(result.diagnostics, result.document.texts) == expected


def test_no_fault_is_left_over() -> None:
    """A second fault of a code carries a word more: `GP452-topology-wrong-nesting`."""
    names = {path.stem for path in (ROOT / FOLDER).glob("GP[2346]*.yaml")}
    firsts = {f"{code}-{CODES[code].slug}" for code in OURS if code != "GP101"}
    assert firsts <= names
    for name in names - firsts:
        code = name.partition("-")[0]
        assert name.startswith(f"{code}-{CODES[code].slug}-")
