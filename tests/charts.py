"""The vendors' Helm charts, from the Go modules of their releases, and what they render to."""

from __future__ import annotations

import functools
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import find_tool

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart in a Go module, pinned by the hash that go.sum would hold.

    `line` is the version as a policy says it.
    """

    name: str
    line: str
    module: str
    version: str
    sum: str
    folder: str

    def __str__(self) -> str:
        return f"{self.name}-{self.line}"


_OPERATOR = ("github.com/NVIDIA/gpu-operator", "deployments/gpu-operator")
_KUEUE = ("sigs.k8s.io/kueue", "charts/kueue")
_VOLCANO = ("volcano.sh/volcano", "installer/helm/chart/volcano")
_NFD = ("sigs.k8s.io/node-feature-discovery", "deployment/helm/node-feature-discovery")


def _chart(name: str, line: str, where: tuple[str, str], version: str, sum_: str) -> Chart:
    module, folder = where
    return Chart(name, line, module, version, sum_, folder)


# Releases of the operator are no versions of its module (major 2 and above without /vN). These two
# commits, the tags v25.10.1 and v25.3.4, are the newest that the module proxy serves.
OPERATOR = (
    _chart(
        "gpu-operator",
        "25.10",
        _OPERATOR,
        "v1.8.3-0.20251203194844-846018752b8a",
        "h1:ODQhYqKcdHsamPlZPR5gaFd9gliN/OTaXxu/4FPFW1M=",
    ),
    _chart(
        "gpu-operator",
        "25.3",
        _OPERATOR,
        "v0.0.0-20250917190837-d73a0086a6ba",
        "h1:LoeqwWjR0h2WRyHXmyYCPVwM/dAdKKxjE8LzyyeuqHI=",
    ),
)
KUEUE = (
    _chart("kueue", "0.19", _KUEUE, "v0.19.2", "h1:mPNzr37u0nwI7ikST5QQl5gg6EgtYOAvC9ZbTgywdN8="),
    _chart("kueue", "0.14", _KUEUE, "v0.14.8", "h1:NDnU/0MMYENDm+02bgbN3bJ14o0nmSrnSFnouUODZyM="),
)
# The proxy serves no 1.13.
VOLCANO = (
    _chart(
        "volcano", "1.15", _VOLCANO, "v1.15.1", "h1:M0iGzhy1dvod2GFy1QiyWdv1jmmNfHW4+2WoRU7CIAk="
    ),
    _chart(
        "volcano", "1.14", _VOLCANO, "v1.14.1", "h1:9eLs47iZeLgey6EcA1rHwVkU7HoBNm3UVpJZ4uhFJ7c="
    ),
)
NFD = _chart("nfd", "0.19", _NFD, "v0.19.0", "h1:9CYm16vjSIbNO5Z1Y67rcrfy51YWmy3+6wjiWzJbrC4=")


class _Loader(yaml.CSafeLoader):
    """YAML as Kubernetes reads it: `=` is a text."""


_Loader.add_constructor("tag:yaml.org,2002:value", _Loader.construct_yaml_str)  # type: ignore[type-var]


@functools.cache
def folder_of(chart: Chart) -> Path:
    """Download the chart's module and give the chart's folder; its content is what was pinned."""
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "go.mod").write_text("module scratch\n", encoding="utf-8")
        wanted = f"{chart.module}@{chart.version}"
        said = find_tool("go").run("mod", "download", "-json", wanted, cwd=Path(scratch))
    answer = json.loads(said)
    assert answer["Sum"] == chart.sum, f"{wanted} is not what it was"
    return Path(answer["Dir"]) / chart.folder


@functools.cache
def render(chart: Chart, values: str, *arguments: str) -> list[Data]:
    """Run `helm template` with values; gives the objects, which are to be left as they are."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "values.yaml"
        path.write_text(values, encoding="utf-8")
        command = ("template", chart.name, folder_of(chart), "-n", "here", "-f", path, *arguments)
        said = find_tool("helm").run(*command)
    return [one for one in yaml.load_all(said, Loader=_Loader) if isinstance(one, dict)]


def only(objects: list[Data], kind: str, name: str = "") -> Data:
    """Give the one object of a kind whose name ends like that."""
    found = [
        one for one in objects if one["kind"] == kind and one["metadata"]["name"].endswith(name)
    ]
    assert len(found) == 1, f"{len(found)} objects {kind} {name}"
    return found[0]


def laid_over(below: Data, above: Data) -> Data:
    """Merge as Helm does: maps key by key, all else replaced."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        merged[key] = laid_over(old, value) if both else value
    return merged
