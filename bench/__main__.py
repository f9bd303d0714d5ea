"""Hold the compiler against its bounds: `python -m bench [--report] [--quick]`.

Every number is a ratio of CPU seconds of whole processes, taken in turns with its yardstick, or a
size; so it means the same on any machine. Nothing is written outside of a temporary folder. Ends
with 1 if a bound is missed, unless it is only to report.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from bench.generate import policy
from bench.process import Cost
from bench.process import median
from bench.process import ratio
from bench.process import run

_ROOT = Path(__file__).resolve().parent.parent
_GPUPOLICY = os.path.join(os.path.dirname(sys.executable), "gpupolicy")
_NOTHING = [sys.executable, "-c", "pass"]
_POOLS = 50


@dataclass(frozen=True, slots=True)
class Row:
    """One number, and the bound that it must not be above."""

    name: str
    value: float
    bound: float
    unit: str
    detail: str

    @property
    def holds(self) -> bool:
        """Tell whether the number keeps to its bound."""
        return self.value <= self.bound


class Bench:
    """The measurements, in a folder of their own."""

    def __init__(self, folder: Path, *, quick: bool) -> None:
        self._folder = folder
        self._quick = quick
        self._number = count()

    def rows(self) -> Iterator[Row]:
        """Measure one after the other."""
        yield self._start("version", ["version"], 4.0, 21)
        lab = ["validate", str(_ROOT / "blueprints" / "lab.yaml")]
        yield self._start("validate lab", lab, 20.0, 11)
        yield self._against_dumper()
        yield from self._growth()

    def _start(self, name: str, arguments: list[str], bound: float, rounds: int) -> Row:
        ratios = ratio(
            lambda: run([_GPUPOLICY, *arguments]).cpu,
            lambda: run(_NOTHING).cpu,
            self._rounds(rounds),
        )
        return Row(f"{name} / python -c pass", median(ratios), bound, "x", _spread(ratios))

    def _rounds(self, usual: int) -> int:
        return max(1, usual // 3) if self._quick else usual

    def _against_dumper(self) -> Row:
        text = self._written(1000)
        output = self._new()
        self._compile(text, output)
        ratios = ratio(
            lambda: self._compile(text, self._new()).cpu,
            lambda: _dumper(output, self._new()),
            self._rounds(5),
        )
        name = f"compile 1,000 tenants, {_POOLS} pools / PyYAML's C dumper alone"
        return Row(name, median(ratios), 1.0, "x", _spread(ratios))

    def _growth(self) -> Iterator[Row]:
        large = 3000 if self._quick else 10_000
        base = self._middle(lambda: self._compile(self._written(1), self._new()), 3)
        small = self._middle(lambda: self._compile(self._written(100), self._new()), 5)
        most = self._middle(lambda: self._compile(self._written(large), self._new()), 1)
        exponent = math.log((most.cpu - base.cpu) / (small.cpu - base.cpu)) / math.log(large / 100)
        seconds = (
            f"{small.cpu:.2f} s to {most.cpu:.2f} s, {base.cpu:.2f} s of them for the pools alone"
        )
        yield Row(f"growth from 100 to {large:,} tenants", exponent, 1.1, "exponent", seconds)
        grown = (most.peak - base.peak) / large
        sizes = f"{base.peak // 1024} MiB to {most.peak // 1024} MiB"
        yield Row(f"memory of a tenant, of {large:,}", grown, 60.0, "KiB", sizes)

    def _middle(self, measure: Callable[[], Cost], rounds: int) -> Cost:
        costs = sorted((measure() for _ in range(rounds)), key=lambda cost: cost.cpu)
        return costs[len(costs) // 2]

    def _written(self, tenants: int) -> str:
        path = self._folder / f"{tenants}.yaml"
        if not path.exists():
            path.write_text(policy(tenants, _POOLS), encoding="utf-8")
        return str(path)

    def _compile(self, text: str, to: Path) -> Cost:
        return run([_GPUPOLICY, "compile", text, "--out", str(to)])

    def _new(self) -> Path:
        """Name a folder that is not there: writing over old files measures the file system."""
        return self._folder / str(next(self._number))


def _dumper(output: Path, to: Path) -> float:
    command = [sys.executable, "-m", "bench.dumper", str(output), str(to)]
    return float(subprocess.check_output(command, cwd=_ROOT))


def _spread(ratios: list[float]) -> str:
    return f"{min(ratios):.2f} to {max(ratios):.2f} in {len(ratios)} pairs"


def _print(row: Row) -> None:
    sign = "ok" if row.holds else "MISSED"
    number = f"{row.value:.2f} <= {row.bound:g} {row.unit}"
    print(f"{row.name:<58} {number:<24} {sign:<7} ({row.detail})", flush=True)


def main() -> int:
    """Measure, print, and say whether all bounds hold."""
    parser = argparse.ArgumentParser(prog="bench", description="Hold the compiler to its bounds.")
    parser.add_argument("--report", action="store_true", help="print only; a miss is no failure")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and 3,000 tenants")
    options = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory(prefix="gpupolicy-bench-") as folder:
        for row in Bench(Path(folder), quick=options.quick).rows():
            _print(row)
            missed += not row.holds
    return int(bool(missed) and not options.report)


if __name__ == "__main__":
    sys.exit(main())
