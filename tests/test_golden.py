"""Policies with a fault, and the exact text that says so: place, caret, numbers and hint.

`policies/err/<CODE>-<slug>` is a policy, a file or a folder, with its `.out` beside it; an overlay
is `<CODE>-<slug>.overlay.yaml`. What only a target can tell (GP5xx) is asked of `compile`, all
else of `validate`. `policies/ok` must be silent. `make golden` writes the texts anew.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpupolicy.cli import exits
from gpupolicy.cli.main import main
from gpupolicy.diagnostics.codes import CODES
from tests.conftest import ROOT

POLICIES = Path(__file__).parent / "policies"
DAY = "2026-11-30"


def _policies(folder: str) -> list[Path]:
    found = sorted((POLICIES / folder).iterdir()) if (POLICIES / folder).exists() else []
    return [path for path in found if path.suffix != ".out" and ".overlay" not in path.suffixes]


def _said(policy: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> tuple[int, str]:
    """Run the command on a policy; gives the exit code and the findings."""
    verb = "compile" if policy.name.startswith("GP5") else "validate"
    overlay = policy.with_suffix(".overlay.yaml")
    overlays = ["--overlay", _name(overlay)] if overlay.exists() else []
    code = main([verb, _name(policy), *overlays, "--date", DAY])
    captured = capfdbinary.readouterr()
    return code, (captured.err if verb == "compile" else captured.out).decode()


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.mark.parametrize("policy", _policies("err"), ids=lambda path: path.stem)
def test_says_what_is_wrong(
    policy: Path, golden_update: bool, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    number, _, slug = policy.stem.partition("-")
    code, said = _said(policy, capfdbinary)
    numbers = re.findall(r"^\w+\[(GP\d{3})\]:", said, re.M)
    assert number in numbers, f"{number} is not among what is said:\n{said}"
    assert slug.startswith(CODES[number].slug), "the file is named after the code"
    assert code == (exits.FOUND if "error[" in said else exits.OK)
    golden = policy.with_suffix(".out")
    if golden_update:
        golden.write_bytes(said.encode())
    assert golden.exists(), "make golden writes it"
    assert said == golden.read_bytes().decode()


@pytest.mark.parametrize("policy", _policies("ok"), ids=lambda path: path.stem)
def test_is_silent(policy: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert _said(policy, capfdbinary) == (exits.OK, "")


def test_no_text_is_left_over() -> None:
    texts = {path.stem for path in (POLICIES / "err").glob("*.out")}
    assert texts - {path.stem for path in _policies("err")} == set()


@pytest.mark.parametrize("text", sorted((POLICIES / "err").glob("*.out")), ids=lambda p: p.stem)
def test_every_error_and_warning_shows_a_way_out(text: Path) -> None:
    """Each has a place, and a line of help below it."""
    blocks = re.split(r"\n\n(?=error\[|warning\[|note\[|found )", text.read_text())
    findings = [block for block in blocks if re.match(r"(error|warning)\[", block)]
    for block in findings:
        assert re.search(r"^ *--> \S+:\d+:\d+$", block, re.M), block
        assert "= help: " in block, block
