"""Nothing is left behind, and who ends by himself is named."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.testbed.bed import Bed
from tests.testbed.bed import compiled
from tests.testbed.conftest import PROGRAMS
from tests.testbed.processes import DeadProgramError
from tests.testbed.processes import Program
from tests.testbed.scenarios import HERE

_CHILD = """
import pathlib, sys, time
from tests.testbed.processes import Program
program = Program("sleep", ["sleep", "300"], pathlib.Path(sys.argv[1]))
print(program.pid, flush=True)
time.sleep(300)
"""


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def _gone(pid: int) -> bool:
    end = time.monotonic() + 10
    while _is_alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not _is_alive(pid)


@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_programs_end_with_the_run(signal_: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _CHILD, str(tmp_path / "log")]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # A shell ignores the interrupt for what it runs in the background, and children inherit it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as run:
        assert run.stdout is not None
        program = int(run.stdout.readline())
        assert _is_alive(program)
        run.send_signal(signal_)
        run.wait(timeout=10)
    assert _gone(program)


def test_a_program_that_ends_is_named_with_its_last_words(tmp_path: Path) -> None:
    program = Program("talker", ["sh", "-c", "echo farewell; exit 3"], tmp_path / "log")
    assert _gone(program.pid)
    with pytest.raises(DeadProgramError, match=r"talker ended \(3\)[\s\S]*farewell"):
        program.check()
    program.end()


def test_each_killed_program_is_named_and_nothing_is_left(running_bed: Bed, tmp_path: Path) -> None:
    running_bed.check()  # A bed of its own dies here; the one of the other tests goes on.
    own = Bed(tmp_path)
    try:
        own.start()
        own.lay(compiled((HERE / "policies" / "kueue-volcano.yaml").read_text()))
        own.check()
        programs = list(own.plane.programs)
        assert sorted(one.name for one in programs) == sorted(set(PROGRAMS) - {"certs"})
        # The newest first: what is killed later does not need what is gone.
        for victim in reversed(programs):
            os.kill(victim.pid, signal.SIGKILL)
            victim.wait()
            with pytest.raises(DeadProgramError, match=rf"{victim.name} ended \(-9\)"):
                own.plane.check()
            own.plane.end(victim)
    finally:
        own.stop()
    assert all(_gone(one.pid) for one in programs)
    running_bed.check()
