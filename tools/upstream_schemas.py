"""Write the structure of upstream's CRDs into schemas/upstream/<component>/<version>/<kind>.json.

What is kept are facts that an API server acts on: names, types, required fields, enums, limits,
defaults, list types and CEL rules. Descriptions and messages are left out. The CRDs are read from
the released Go modules, at the versions of `COMPONENTS`, so that anybody gets the same files.

    python tools/upstream_schemas.py [--only COMPONENT] [--from COMPONENT/VERSION=FOLDER]

A release whose module a registry does not serve is read from a checkout of it with `--from`; its
source says so. Others are left as they are.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import ClassVar

import yaml

ROOT = Path(__file__).resolve().parent.parent / "schemas" / "upstream"

# Keywords of a structural schema that an API server acts on.
_KEPT = frozenset(
    [
        "type",
        "properties",
        "required",
        "enum",
        "format",
        "pattern",
        "default",
        "nullable",
        "items",
        "oneOf",
        "anyOf",
        "allOf",
        "not",
        "additionalProperties",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "x-kubernetes-int-or-string",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-map-type",
    ]
)
_ONE = ("items", "not", "additionalProperties")
_SEVERAL = ("oneOf", "anyOf", "allOf")


@dataclass(frozen=True, slots=True)
class Release:
    """The CRDs of one release: files below `folder` in a Go module, and the kinds to take.

    `served` is false where only a checkout has it.
    """

    version: str
    module: str
    tag: str
    folder: str
    served: bool = True


@dataclass(frozen=True, slots=True)
class Component:
    """An upstream project, the kinds of it that are emitted, and its releases."""

    name: str
    kinds: tuple[str, ...]
    releases: tuple[Release, ...]


def _releases(module: str, folder: str, tags: dict[str, str]) -> tuple[Release, ...]:
    return tuple(Release(version, module, tag, folder) for version, tag in tags.items())


_GPU_OPERATOR = "github.com/NVIDIA/gpu-operator"
_GPU_OPERATOR_CRDS = "deployments/gpu-operator/crds"

COMPONENTS = (
    Component(
        "gpu-operator",
        ("ClusterPolicy", "NVIDIADriver"),
        (
            # Tags of major version 2 and above are no versions of a Go module without /vN.
            Release("26.7", _GPU_OPERATOR, "v26.7.0", _GPU_OPERATOR_CRDS, served=False),
            Release(
                "25.10",
                _GPU_OPERATOR,
                "v1.8.3-0.20251203194844-846018752b8a",  # v25.10.1
                _GPU_OPERATOR_CRDS,
            ),
        ),
    ),
    Component(
        "jobset",
        ("JobSet",),
        _releases("sigs.k8s.io/jobset", "config/components/crd/bases", {"0.12": "v0.12.0"}),
    ),
    Component(
        "kai",
        ("Queue", "PodGroup", "SchedulingShard", "Topology"),
        _releases(
            "github.com/NVIDIA/KAI-scheduler",
            "deployments/kai-scheduler/crds",
            {"0.12": "v0.12.0"},
        ),
    ),
    Component(
        "kueue",
        (
            "ClusterQueue",
            "Cohort",
            "LocalQueue",
            "ResourceFlavor",
            "Topology",
            "WorkloadPriorityClass",
        ),
        _releases(
            "sigs.k8s.io/kueue",
            "config/components/crd/bases",
            {
                "0.19": "v0.19.2",
                "0.17": "v0.17.0",
                "0.15": "v0.15.0",
                "0.14": "v0.14.8",
                "0.13": "v0.13.10",
                "0.12": "v0.12.10",
                "0.11": "v0.11.9",
                "0.10": "v0.10.0",
            },
        ),
    ),
    Component(
        "node-feature-discovery",
        ("NodeFeatureRule",),
        _releases(
            "sigs.k8s.io/node-feature-discovery",
            "deployment/base/nfd-crds",
            {"0.19": "v0.19.0", "0.17": "v0.17.0"},
        ),
    ),
    Component(
        "prometheus-operator",
        ("AlertmanagerConfig", "PodMonitor", "PrometheusRule", "ScrapeConfig", "ServiceMonitor"),
        _releases(
            "github.com/prometheus-operator/prometheus-operator",
            "example/prometheus-operator-crd",
            {"0.93": "v0.93.0"},
        ),
    ),
    Component(
        "trainer",
        ("TrainJob",),
        _releases("github.com/kubeflow/trainer/v2", "manifests/base/crds", {"2.2": "v2.2.1"}),
    ),
    Component(
        "training-operator",
        ("PyTorchJob",),
        _releases(
            "github.com/kubeflow/training-operator", "manifests/base/crds", {"1.9": "v1.9.3"}
        ),
    ),
    Component(
        "volcano",
        ("HyperNode", "Job", "PodGroup", "Queue"),
        _releases("volcano.sh/volcano", "config/crd/volcano/bases", {"1.15": "v1.15.1"}),
    ),
)


class _Loader(yaml.CSafeLoader):
    """YAML as Kubernetes reads it: `=`, `on` and `no` are texts."""

    yaml_implicit_resolvers: ClassVar = {  # type: ignore[misc]
        first: [
            (tag, pattern)
            for tag, pattern in resolvers
            if tag != "tag:yaml.org,2002:value"
            and (first in "tTfF" or tag != "tag:yaml.org,2002:bool")
        ]
        for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


class NotServedError(Exception):
    """A module version that the Go module proxy refuses."""


def structure(schema: Any) -> Any:
    """Give a schema without its prose: the same constraints, CEL rules without their messages."""
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key in _KEPT}
    for key in _ONE:
        if key in kept:
            kept[key] = structure(kept[key])
    for key in _SEVERAL:
        if key in kept:
            kept[key] = [structure(item) for item in kept[key]]
    if "properties" in kept:
        kept["properties"] = {name: structure(sub) for name, sub in kept["properties"].items()}
    if rules := schema.get("x-kubernetes-validations"):
        kept["x-kubernetes-validations"] = [{"rule": rule["rule"].strip()} for rule in rules]
    return kept


def crd_structure(crd: dict[str, Any]) -> dict[str, Any]:
    """Give what is kept of a CustomResourceDefinition: names, scope, and a schema a version."""
    spec = crd["spec"]
    return {
        "group": spec["group"],
        "kind": spec["names"]["kind"],
        "plural": spec["names"]["plural"],
        "scope": spec["scope"],
        "versions": {
            version["name"]: {
                "served": version["served"],
                "storage": version["storage"],
                "schema": structure(version["schema"]["openAPIV3Schema"]),
            }
            for version in spec["versions"]
        },
    }


def module_folder(release: Release, scratch: Path) -> Path:
    """Download a module and give where it is. Raises `NotServedError`."""
    wanted = f"{release.module}@{release.tag}"
    done = subprocess.run(
        ["go", "mod", "download", "-json", wanted],
        cwd=scratch,
        capture_output=True,
        text=True,
        check=False,
    )
    answer = json.loads(done.stdout or "{}")
    if "Dir" not in answer:
        raise NotServedError(f"{wanted}: {answer.get('Error') or done.stderr.strip()}")
    return Path(answer["Dir"])


def found_crds(folder: Path, kinds: tuple[str, ...]) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Read the CRDs of `kinds` in a folder. Raises `LookupError` if one is missing."""
    found = {}
    for path in sorted(folder.glob("*.yaml")):
        for document in yaml.load_all(path.read_bytes(), Loader=_Loader):
            if isinstance(document, dict) and document.get("kind") == "CustomResourceDefinition":
                kind = document["spec"]["names"]["kind"]
                if kind in kinds:
                    found[kind] = (path, document)
    if missing := set(kinds) - set(found):
        raise LookupError(f"{folder} has no CRD of {', '.join(sorted(missing))}")
    return found


def text_of(data: Any) -> str:
    """Print JSON as it is kept: sorted, on one line: it is data, not to be read."""
    return json.dumps(data, sort_keys=True, separators=(",", ":")) + "\n"


def write(component: Component, release: Release, folder: Path) -> list[dict[str, str]]:
    """Write one release's files; gives their rows for SOURCES.json."""
    rows = []
    found = found_crds(folder, component.kinds)
    for kind, (path, crd) in sorted(found.items()):
        to = ROOT / component.name / release.version / f"{kind.lower()}.json"
        to.parent.mkdir(parents=True, exist_ok=True)
        text = text_of(crd_structure(crd))
        to.write_text(text, encoding="utf-8")
        rows.append(
            {
                "file": to.relative_to(ROOT).as_posix(),
                "module": release.module,
                "path": f"{release.folder}/{path.name}",
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
                "source_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "version": release.tag,
            }
        )
    return rows


def folder_of(release: Release, checkout: str | None, scratch: Path) -> Path | None:
    """Give where a release's CRDs are; nothing if it is to be left as it is."""
    if checkout is not None:
        return Path(checkout)
    return module_folder(release, scratch) / release.folder if release.served else None


def write_all(only: str | None, checkouts: dict[str, str]) -> tuple[list[dict[str, str]], bool]:
    """Write every release there is; gives the new rows, and whether one was not served."""
    rows: list[dict[str, str]] = []
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "go.mod").write_text("module scratch\n")
        for component in COMPONENTS:
            for release in component.releases if only in (None, component.name) else ():
                name = f"{component.name}/{release.version}"
                try:
                    folder = folder_of(release, checkouts.get(name), Path(scratch))
                except NotServedError as error:
                    print(f"{name}: {error}", file=sys.stderr)
                    failed = True
                    continue
                rows += write(component, release, folder) if folder else []
    return rows, failed


def main() -> int:
    """Write the files and SOURCES.json; 1 if a release that should be served is not."""
    parser = argparse.ArgumentParser(description="Write schemas/upstream.")
    parser.add_argument("--only", metavar="COMPONENT")
    parser.add_argument("--from", dest="checkouts", action="append", default=[], metavar="C/V=DIR")
    options = parser.parse_args()
    rows, failed = write_all(options.only, dict(item.split("=", 1) for item in options.checkouts))
    sources = ROOT / "SOURCES.json"
    kept = json.loads(sources.read_text()) if sources.exists() else []
    by_file = {row["file"]: row for row in [*kept, *rows]}
    ordered = [by_file[file] for file in sorted(by_file)]
    sources.write_text(json.dumps(ordered, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(rows)} of {len(ordered)} files written")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
