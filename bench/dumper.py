"""The yardstick: PyYAML's C dumper writes the objects that a compile wrote.

`python -m bench.dumper OUTPUT TO` reads the objects of a folder of output, then prints the CPU
seconds that dumping them took, one file an object into the new folder TO: nothing else is counted.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import yaml


def objects(output: Path) -> list[Any]:
    """Read the objects, not the plain files."""
    paths = [path for path in sorted(output.glob("*/*.yaml")) if path.parent.name != "files"]
    return [yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader) for path in paths]


def dump(data: list[Any], to: Path) -> float:
    """Write them; gives the CPU seconds."""
    to.mkdir()
    started = time.process_time()
    for number, one in enumerate(data):
        with open(os.path.join(to, f"{number}.yaml"), "w", encoding="utf-8") as file:
            yaml.dump(one, file, Dumper=yaml.CSafeDumper, sort_keys=False)
    return time.process_time() - started


if __name__ == "__main__":
    print(dump(objects(Path(sys.argv[1])), Path(sys.argv[2])))
