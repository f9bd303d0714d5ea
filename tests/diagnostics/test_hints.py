"""Every error and warning that the code can give has a hint, whichever variant of it comes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import gpupolicy
from gpupolicy.diagnostics.codes import CODES
from gpupolicy.diagnostics.model import Severity

ROOT = Path(gpupolicy.__file__).parent
ROOMS = ("checks", "targets", "plan", "deliver", "manifest")
MODULES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


def _made(module: Path) -> list[ast.Call]:
    calls = [node for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Call)]
    return [call for call in calls if getattr(call.func, "id", "") == "Diagnostic"]


def _severity(call: ast.Call) -> Severity | None:
    """Give the severity of a finding as it is written; None if only a run tells."""
    for keyword in call.keywords:
        if keyword.arg == "severity":
            named = keyword.value
            return Severity[named.attr] if isinstance(named, ast.Attribute) else None
    code = call.args[0] if call.args else None
    known = isinstance(code, ast.Constant) and code.value in CODES
    return CODES[str(code.value)].severity if known and isinstance(code, ast.Constant) else None


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_finding_has_a_hint(module: Path) -> None:
    for call in _made(module):
        if _severity(call) not in (Severity.NOTE, None):
            named = {keyword.arg for keyword in call.keywords}
            assert "hint" in named, f"{module}:{call.lineno}"


def test_findings_are_made_in_many_modules() -> None:
    assert sum(len(_made(module)) for module in MODULES) > 150
