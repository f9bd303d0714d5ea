"""Nothing is forgotten: every code is shown, every target is held to something, all is in order."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import gpupolicy
from gpupolicy.all_targets import TARGETS
from gpupolicy.diagnostics.codes import CODES
from tests import schema_check
from tests.blueprints import ALL
from tests.conftest import ROOT
from tests.test_versions import PLATFORMS

TESTS = ROOT / "tests"
GOLDEN = TESTS / "policies" / "err"
PACKAGE = Path(gpupolicy.__file__).parent


def _texts(folder: Path, *patterns: str) -> str:
    paths = [path for pattern in patterns for path in sorted(folder.rglob(pattern))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def test_every_code_has_a_golden_file_or_a_test() -> None:
    golden = {path.name[:5] for path in GOLDEN.iterdir()}
    named = set(re.findall(r"GP\d{3}", _texts(TESTS, "test_*.py")))
    assert sorted(set(CODES) - golden - named) == []


def test_golden_files_name_codes_that_exist() -> None:
    assert sorted({path.name[:5] for path in GOLDEN.iterdir()} - set(CODES)) == []


def test_codes_are_sorted_and_used() -> None:
    assert list(CODES) == sorted(CODES)
    used = set(re.findall(r'"(GP\d{3})"', _texts(PACKAGE, "*.py")))
    raised = {code for code in CODES if _raised(code)}
    assert used - set(CODES) == set(), "a code that the table does not have"
    assert sorted(set(CODES) - raised) == [], "a code that nothing raises"


def _raised(code: str) -> bool:
    """Tell whether a module other than the table has the code in it, not in a manual page."""
    pages = {path for path in PACKAGE.rglob("*.py") if path.name != "codes.py"}
    return any(re.search(rf'["\[]{code}["\]]', path.read_text(encoding="utf-8")) for path in pages)


@pytest.mark.parametrize("code", CODES.values(), ids=lambda code: code.number)
def test_every_code_has_its_manual_page(code: object) -> None:
    number, slug, module = (getattr(code, name) for name in ("number", "slug", "module"))
    page = import_module(module).__doc__ or ""
    assert re.search(rf"^{number} {slug}\n    \S", page, re.M)


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_is_tested_and_has_a_snapshot(name: str) -> None:
    folder = TESTS / "targets" / name
    assert list(folder.glob("test_*.py")), "no tests"
    snapshots = list(folder.glob("snapshots/**/*.*"))
    made = [path for one in ALL for path in one.files() if path.startswith(f"{name}/")]
    assert snapshots or made, "no snapshot"


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_is_compiled_from_end_to_end(name: str) -> None:
    """By a blueprint, or by `test_versions`, which has whole policies too."""
    paths = {path.removeprefix("files/") for one in ALL for path in one.files()}
    outputs = {path.partition("/")[0] for path in paths}
    values = [one for one in ALL if "files/gpu-operator-values.yaml" in one.files()]
    components = {component for named in PLATFORMS.values() for component in named}
    assert name in outputs | components | ({"gpu_operator"} if values else set())


@pytest.mark.parametrize("name", TARGETS)
def test_every_api_of_a_target_has_a_schema(name: str) -> None:
    assert [(api, kind) for api, kind in TARGETS[name].APIS if not _has_schema(api, kind)] == []


def _has_schema(api: str, kind: str) -> bool:
    """Tell whether any version of what is installed knows a kind."""
    nothing = {"apiVersion": api, "kind": kind, "metadata": {"name": "a"}}
    unknown = ("kind:", "apiVersion:")
    versions = [(name, of) for name, kept in schema_check.components().items() for of in kept]
    return any(
        not any(line.startswith(unknown) for line in schema_check.validate_object(nothing, {n: v}))
        for n, v in versions
    )


def test_targets_are_named_as_their_rooms() -> None:
    rooms = {
        path.name for path in (PACKAGE / "targets").iterdir() if (path / "__init__.py").exists()
    }
    assert set(TARGETS) == rooms
