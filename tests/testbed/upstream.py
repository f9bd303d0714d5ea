"""What upstream's releases install, read from the Go modules that the bed is built from.

Nothing of it is kept in the repository: the modules are in Go's cache, pinned by `go.sum`, or by
the checksum database for those that only bring CRDs.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT
from tests.conftest import find_tool

Data = dict[str, Any]
_GO = ROOT / "tests" / "testbed" / "go"


class Loader(yaml.CSafeLoader):
    """YAML as Kubernetes reads it: `=` is a text."""


Loader.add_constructor("tag:yaml.org,2002:value", Loader.construct_yaml_str)


def documents(text: bytes | str) -> list[Data]:
    """Read the objects of a YAML stream."""
    return [one for one in yaml.load_all(text, Loader=Loader) if isinstance(one, dict)]


def module(build: str, path: str) -> Path:
    """Give the folder of a module at the version that `tests/testbed/go/<build>` pins."""
    command = ["go", "list", "-m", "-f", "{{.Path}}@{{.Version}}", path]
    done = subprocess.run(command, cwd=_GO / build, capture_output=True, text=True, check=True)
    return _downloaded(done.stdout.strip(), _GO / build)


def _downloaded(wanted: str, folder: Path) -> Path:
    command = ["go", "mod", "download", "-json", wanted]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    answer = json.loads(done.stdout or "{}")
    assert "Dir" in answer, f"{wanted}: {answer.get('Error') or done.stderr}"
    return Path(answer["Dir"])


def crds(component: str, version: str, scratch: Path) -> Iterator[Data]:
    """Read the CRDs of a component that `tools/upstream_schemas.py` knows, all of its folder."""
    from tools.upstream_schemas import COMPONENTS

    (scratch / "go.mod").write_text("module scratch\n", encoding="utf-8")
    for one in COMPONENTS:
        for release in one.releases if one.name == component else ():
            if release.version == version:
                folder = _downloaded(f"{release.module}@{release.tag}", scratch) / release.folder
                yield from crds_in(folder)


def crds_in(folder: Path) -> Iterator[Data]:
    """Read the CRDs of a folder."""
    for path in sorted(folder.glob("*.yaml")):
        for one in documents(path.read_bytes()):
            if one.get("kind") == "CustomResourceDefinition":
                yield one


def kustomized(folder: Path) -> list[Data]:
    """Build a kustomization of a module, as its release does."""
    if (ROOT / ".tools" / "bin" / "kustomize").exists() or shutil.which("kubectl") is None:
        return documents(find_tool("kustomize").run("build", folder))
    return documents(find_tool("kubectl").run("kustomize", folder))
