"""What a child process costs: the processor's seconds and the peak of its memory."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

# What `getrusage` calls a child's peak is at least that of its parent, since it began as a copy;
# the kernel's high-water mark begins anew with the program (proc(5), VmHWM).
_TELL = """
import atexit, sys, time
def _tell():
    try:
        with open("/proc/self/status") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) * 1024
    except OSError:
        import resource
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        peak *= 1 if sys.platform == "darwin" else 1024
    print(f"\\ncost {time.process_time()} {peak}", file=sys.stderr)
atexit.register(_tell)
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """Exit code, CPU seconds and peak bytes of a process."""

    code: int
    seconds: float
    peak: int


def run_measured(code: str, *arguments: str, timeout: float = 120) -> Measured:
    """Run Python code in a process of its own. Fails if it does not reach its end."""
    done = subprocess.run(
        [sys.executable, "-c", _TELL + code, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=timeout,
    )
    word, seconds, peak = done.stderr.rstrip().rpartition("\n")[2].split()
    assert word == "cost", done.stderr[-2000:]
    return Measured(done.returncode, float(seconds), int(peak))
