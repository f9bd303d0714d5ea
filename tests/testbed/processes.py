"""Programs that the bed starts: each in its own process group, logged, and ended whatever happens.

A program dies with the one that started it (PR_SET_PDEATHSIG), so that nothing is left behind when
a test run is killed. One that ends by itself is a failure that names it.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)
_T = TypeVar("_T")


class DeadProgramError(AssertionError):
    """A program of the bed ended by itself."""


def free_ports(count: int) -> list[int]:
    """Give ports of the loopback interface that nobody listens on."""
    held = []
    for _ in range(count):
        held.append(socket.socket())
        held[-1].bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def _die_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    """A running program, by its name; its output goes to `log`."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        log: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.log = log
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=log.parent,
                env=environment,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )
        atexit.register(self.end)

    @property
    def pid(self) -> int:
        """Give the process id, which is also that of its group."""
        return self._process.pid

    def check(self) -> None:
        """Raise `DeadProgramError` if it has ended."""
        code = self._process.poll()
        if code is not None:
            raise DeadProgramError(f"{self.name} ended ({code}); its last words:\n{self.tail()}")

    def wait(self, seconds: float = 10) -> None:
        """Wait until it has ended."""
        self._process.wait(seconds)

    def tail(self, lines: int = 30) -> str:
        """Give the end of what it printed."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(line[:400] for line in text.splitlines()[-lines:])

    def end(self) -> None:
        """End it and what it started; does nothing the second time."""
        atexit.unregister(self.end)
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def eventually(
    ask: Callable[[], _T | None], seconds: float, what: str, check: Callable[[], None]
) -> _T:
    """Ask until the answer is neither None nor False; `check` raises where waiting is in vain.

    Raises `AssertionError`, which says `what` did not come.
    """
    end = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer is not None and answer is not False:
            return answer
        check()
        assert time.monotonic() < end, f"not within {seconds:g} s: {what}"
        time.sleep(0.1)
