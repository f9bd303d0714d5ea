"""The blueprints, and what each compiles to below `output/`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT

BLUEPRINTS = ROOT / "blueprints"
OUTPUT = ROOT / "output"
# As `manifest.lock` calls what is installed -> as `schemas/upstream` does.
_COMPONENTS = {"gpuOperator": "gpu-operator", "nodeFeatureDiscovery": "node-feature-discovery"}


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A policy of `blueprints/`, or one environment of it. `name` is also its folder of output."""

    name: str
    path: str
    overlays: tuple[str, ...] = ()

    @property
    def output(self) -> Path:
        return OUTPUT / self.name

    def files(self) -> dict[str, bytes]:
        """Read the output by path."""
        return read_tree(self.output)

    def objects(self) -> dict[str, dict[str, Any]]:
        """Read the Kubernetes objects of the output by path."""
        return {
            path: yaml.load(text, Loader=yaml.CSafeLoader)
            for path, text in self.files().items()
            if path.endswith(".yaml") and "/" in path and not path.startswith("files/")
        }

    def versions(self) -> dict[str, str]:
        """Give the versions of what is installed, as `schema_check` names it."""
        lock = json.loads(self.files()["manifest.lock"])
        return {_COMPONENTS.get(name, name): of for name, of in lock["targets"].items()}


def read_tree(folder: Path) -> dict[str, bytes]:
    """Read all files of a folder by their paths in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _found() -> Iterator[Blueprint]:
    for path in sorted(BLUEPRINTS.iterdir()):
        base, overlays = path / "base", path / "overlays"
        if base.is_dir() and overlays.is_dir():
            for overlay in sorted(overlays.glob("*.yaml")):
                yield Blueprint(
                    f"{path.name}/{overlay.stem}", _name(base), ("--overlay", _name(overlay))
                )
        elif path.is_dir() or path.suffix == ".yaml":
            yield Blueprint(path.stem, _name(path))


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


ALL = tuple(_found())
