"""What every test may ask for: real tools, and whether golden files are to be written anew."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI") == "true"

# No deadline: a shared machine stalls now and then. CI tries the same examples every time.
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if IN_CI else "here")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what `make golden` and `make output` say."""
    parser.addoption(
        "--golden-update",
        action="store_true",
        help="write golden files and output/ anew instead of comparing",
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let CI fail on a skip: it has everything that a test may need."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if IN_CI and reporter is not None and reporter.stats.get("skipped") and not session.exitstatus:
        reporter.write_line("CI has every tool, so a skipped test is a failure", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def golden_update(request: pytest.FixtureRequest) -> bool:
    """Tell whether golden files are to be written anew."""
    return bool(request.config.getoption("--golden-update"))


@dataclass(frozen=True, slots=True)
class Tool:
    """A program of somebody else's, as a test runs it."""

    path: str

    def run(self, *arguments: str | Path, cwd: Path | None = None) -> str:
        """Run it; gives what it wrote to standard output. Fails the test if it fails."""
        done = self.tried(*arguments, cwd=cwd)
        said = f"{done.stdout}{done.stderr}"
        assert done.returncode == 0, f"{Path(self.path).name} {arguments}:\n{said}"
        return done.stdout

    def tried(
        self, *arguments: str | Path, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run it, whatever its exit code."""
        command = [self.path, *map(str, arguments)]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="session")
def tool() -> Callable[[str], Tool]:
    """Find a real tool by its name, in .tools/bin and then on PATH.

    A missing one skips the test by name; with CI=true it fails it.
    """
    return find_tool


def find_tool(name: str) -> Tool:
    """Give the tool, or skip the test that asks."""
    bin_ = ROOT / ".tools" / "bin"
    path = shutil.which(name, path=f"{bin_}{os.pathsep}{os.environ.get('PATH', '')}")
    if path is not None:
        return Tool(path)
    if IN_CI:
        pytest.fail(f"{name} is missing, and CI has every tool: make tools")
    pytest.skip(f"{name} is missing: make tools")
