"""The bed as a fixture: one for a whole run, started when the first test asks for it.

These tests run where they are asked for, with `-m testbed` or by their path; elsewhere they are
skipped by name. Asked for in CI, a bed that was not built is a failure.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.testbed.bed import Bed
from tests.testbed.control_plane import BIN

_HERE = Path(__file__).parent
PROGRAMS = (
    "certs",
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kueue",
    "vc-controller-manager",
    "vc-scheduler",
    "vc-webhook-manager",
)
_BEDS = pytest.StashKey[list[Bed]]()


def _is_asked_for(config: pytest.Config) -> bool:
    paths = [Path(str(one).split("::")[0]).resolve() for one in config.args]
    return "testbed" in (config.option.markexpr or "") or any(
        path == _HERE or _HERE in path.parents for path in paths
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, and skip them unless somebody asked for them."""
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.testbed)
            if not _is_asked_for(config):
                item.add_marker(pytest.mark.skip(reason="test bed: make test-testbed"))


def started(
    request: pytest.FixtureRequest,
    folders: pytest.TempPathFactory,
    programs: Iterable[str],
    **releases: str,
) -> Iterator[Bed]:
    """Start a bed of these releases, which needs these programs, and end it whatever happens."""
    if missing := [name for name in programs if not (BIN / name).exists()]:
        reason = f"{', '.join(missing)} not built: make testbed"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    bed = Bed(folders.mktemp("bed"), **releases)
    request.config.stash.setdefault(_BEDS, []).append(bed)
    try:
        bed.start()
        yield bed
    finally:
        bed.stop()


@pytest.fixture(scope="session")
def running_bed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bed]:
    """Start the bed, and end it whatever happens."""
    yield from started(request, tmp_path_factory, PROGRAMS)


@pytest.fixture
def bed(running_bed: Bed) -> Iterator[Bed]:
    """Give the bed, empty, and make sure that all of it still runs afterwards."""
    running_bed.check()
    yield running_bed
    running_bed.check()
    running_bed.clear()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say how much passed through the beds, and that nothing was left out."""
    beds = config.stash.get(_BEDS, [])
    for bed in beds:
        terminalreporter.write_line(f"test bed{bed.releases}: {bed.applied} objects applied")
    if beds:
        stats = terminalreporter.stats
        played = sum("::test_scenario[" in one.nodeid for one in stats.get("passed", ()))
        skipped = len(stats.get("skipped", ()))
        terminalreporter.write_line(f"test bed: {played} scenarios hold, {skipped} tests skipped")
