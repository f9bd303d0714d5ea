"""The same input gives the same bytes, whatever the machine: `output/` again, in other processes.

That it is the same on another Python is shown by running all tests there, which `.ci/run` does.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from typing import ClassVar

import pytest
import yaml

import gpupolicy
from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.layout import lay_out
from gpupolicy.source.load import SourceText
from tests.blueprints import ALL
from tests.blueprints import OUTPUT
from tests.blueprints import read_tree
from tests.conftest import ROOT

MACHINES = {
    "ASCII only": {
        "PYTHONHASHSEED": "0",
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "0",
        "TZ": "UTC",
    },
    "UTF-8, far east": {
        "PYTHONHASHSEED": "4242",
        "LC_ALL": "C.UTF-8",
        "TZ": "Pacific/Chatham",
        "HOME": "/nonexistent",
        "COLUMNS": "40",
    },
    "optimized": {"PYTHONHASHSEED": "7", "LC_ALL": "POSIX", "PYTHONOPTIMIZE": "2"},
}
FILES = [one for one in ALL if (ROOT / one.path).is_file()]


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_another_machine_writes_the_same_bytes(machine: dict[str, str], tmp_path: Path) -> None:
    path = os.pathsep.join([str(ROOT), str(Path(gpupolicy.__file__).parent.parent)])
    command = [sys.executable, "-m", "tests.compile_all", str(tmp_path)]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": path, **machine}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    made, kept = read_tree(tmp_path), read_tree(OUTPUT)
    assert sorted(made) == sorted(kept)
    assert [name for name in made if made[name] != kept[name]] == []


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("blueprint", FILES, ids=lambda one: one.name)
def test_the_order_of_keys_means_nothing(blueprint: Any, seed: int) -> None:
    data = yaml.load((ROOT / blueprint.path).read_bytes(), Loader=_Texts)
    shuffled = _shuffled(data, random.Random(seed))
    assert list(shuffled) != list(data) or list(shuffled["spec"]) != list(data["spec"])
    assert _tree(shuffled) == _tree(data)


class _Texts(yaml.CSafeLoader):
    """Reads no dates and no octal numbers: what is text to a policy stays text."""

    yaml_implicit_resolvers: ClassVar[Any] = {}  # type: ignore[misc]


def _shuffled(data: Any, by: random.Random) -> Any:
    if isinstance(data, dict):
        items = [(key, _shuffled(value, by)) for key, value in data.items()]
        by.shuffle(items)
        return dict(items)
    return [_shuffled(item, by) for item in data] if isinstance(data, list) else data


def _tree(data: Any) -> dict[str, bytes]:
    text = _plain(data).encode()
    compiled = compile_policy([SourceText("policy.yaml", text)], today="2026-11-30")
    assert compiled.bundle is not None, compiled.diagnostics
    return {path: file.data for path, file in lay_out(compiled.bundle)[0].items()}


def _plain(data: Any) -> str:
    """Write flow YAML with the scalars as they were typed."""
    if isinstance(data, dict):
        return "{" + ", ".join(f"{key}: {_plain(value)}" for key, value in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(_plain, data)) + "]"
    return json.dumps(data) if re.search(r"[][,:{}#]", data) else str(data)
