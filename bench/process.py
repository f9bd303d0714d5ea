"""Whole processes, measured by the system: CPU seconds and the peak of memory."""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass

_QUIET = tuple((os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2))


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took. `peak` is the largest resident size, in KiB."""

    cpu: float
    peak: int


def run(command: list[str]) -> Cost:
    """Run a command to its end, which must be a success; what it says goes nowhere."""
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=_QUIET)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise SystemExit(
            f"bench: {' '.join(command)}: exit code {os.waitstatus_to_exitcode(status)}"
        )
    peak = usage.ru_maxrss // 1024 if sys.platform == "darwin" else usage.ru_maxrss
    return Cost(usage.ru_utime + usage.ru_stime, peak)


def ratio(ours: Callable[[], float], base: Callable[[], float], rounds: int) -> list[float]:
    """Take turns, so that both see the same machine; gives the ratio of every pair."""
    ours(), base()
    return [ours() / base() for _ in range(rounds)]


def median(values: Sequence[float]) -> float:
    """Give the middle one."""
    return statistics.median(values)
