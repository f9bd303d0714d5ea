"""Whole processes, measured by the system: CPU seconds and the peak of memory."""

from __future__ import annotations

import math
import os
import signal
import statistics
import sys
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Timer

_QUIET = tuple((os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2))


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took. `peak` is the largest resident size, in KiB."""

    cpu: float
    peak: int


def run(command: list[str]) -> Cost:
    """Run a command to its end, which must be a success; what it says goes nowhere."""
    cost, code = measured(command)
    if code:
        raise SystemExit(f"bench: {' '.join(command)}: exit code {code}")
    return cost


def measured(command: list[str], at_most: float = math.inf) -> tuple[Cost, int]:
    """Run a command to its end, or for so many seconds; gives its exit code too, -9 if stopped."""
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=_QUIET)
    stop = Timer(at_most, os.kill, (pid, signal.SIGKILL))
    if at_most < math.inf:
        stop.start()
    # Reaped only after the timer is stopped, so that it can kill no process but this one.
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    stop.cancel()
    _, status, usage = os.wait4(pid, 0)
    peak = usage.ru_maxrss // 1024 if sys.platform == "darwin" else usage.ru_maxrss
    return Cost(usage.ru_utime + usage.ru_stime, peak), os.waitstatus_to_exitcode(status)


def ratio(ours: Callable[[], float], base: Callable[[], float], rounds: int) -> list[float]:
    """Take turns, so that both see the same machine; gives the ratio of every pair."""
    ours(), base()
    return [ours() / base() for _ in range(rounds)]


def median(values: Sequence[float]) -> float:
    """Give the middle one."""
    return statistics.median(values)
