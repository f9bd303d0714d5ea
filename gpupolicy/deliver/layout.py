"""Bundle -> files: which path each object gets, and the bytes that stand there.

One object a file, `<target>/<kind>-<name>.yaml`, with the namespace before the name where there is
one; plain files below `files/`; a `kustomization.yaml` that lists the objects.

GP707 output-name-clash
    Two files of the output would be one file where upper and lower case are the same (macOS,
    Windows), so one of them would be lost on such a machine. Rename the thing in the policy that
    both are called after.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.key import ObjectKey
from gpupolicy.manifest.model import Bundle
from gpupolicy.manifest.model import Manifest

KUSTOMIZATION = "kustomization.yaml"
_FILES = "files"
# Never two folders or files of ours: the names that the tree itself uses.
_RESERVED = frozenset({_FILES, KUSTOMIZATION, "manifest.lock"})


class TreeFile(NamedTuple):
    """The content of one file of the output."""

    data: bytes
    executable: bool


def lay_out(bundle: Bundle) -> tuple[dict[str, TreeFile], list[Diagnostic]]:
    """Give every file of the output by its path, `kustomization.yaml` last, or the clashes.

    Raises `ValueError` for an empty bundle and for a path that leads out of the folder: our bugs.
    """
    if not bundle:
        raise ValueError("there is nothing to write")
    paths = object_paths(bundle.manifests)
    texts = [(path, dump(m.data), False) for path, m in zip(paths, bundle.manifests, strict=True)]
    texts += [(f"{_FILES}/{file.path}", file.text, file.executable) for file in bundle.files]
    if paths:
        texts.append((KUSTOMIZATION, _kustomization(paths), False))
    clashes = _clashes(path for path, _, _ in texts)
    return {path: TreeFile(text.encode(), executable) for path, text, executable in texts}, clashes


def object_paths(manifests: Iterable[Manifest]) -> list[str]:
    """Give each object's path. Raises `ValueError` for a target with a name that is not its own."""
    named = [(manifest.target, manifest.key) for manifest in manifests]
    paths = [_path(target, key, "-") for target, key in named]
    repeated = len(set(paths)) < len(paths)
    counts = {path: paths.count(path) for path in _twice(paths)} if repeated else {}
    for place, (target, key) in enumerate(named):
        if paths[place] in counts:
            # Namespace `a-b` with name `c`, and `a` with `b-c`: no name has an underscore.
            paths[place] = _path(target, key, "_")
    for path in paths:
        check_path(path)
        if path.count("/") != 1:
            raise ValueError(f"{path!r} is no file of a target's folder")
    return paths


def check_path(path: str) -> None:
    """Raise `ValueError` unless `path` is relative, with `/`, and stays below where it starts."""
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\\" in path or "\0" in path:
        raise ValueError(f"{path!r} is no path below the output folder")


def _path(target: str, key: ObjectKey, separator: str) -> str:
    if target in _RESERVED:
        raise ValueError(f"a target cannot be called {target!r}")
    owner = f"{key.namespace}{separator}" if key.namespace else ""
    # RBAC names may have colons, which Windows has no file names with.
    name = f"{owner}{key.name}".replace(":", "_")
    return f"{target}/{key.kind.lower()}-{name}.yaml"


def _twice(paths: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    return {path for path in paths if path in seen or seen.add(path)}  # type: ignore[func-returns-value]


def _clashes(paths: Iterable[str]) -> list[Diagnostic]:
    """Find the files that are one file where case does not count."""
    first: dict[str, str] = {}
    found = []
    for path in paths:
        check_path(path)
        other = first.setdefault(path.casefold(), path)
        if other is not path:
            message = f"'{other}' and '{path}' are one file where case does not count"
            hint = "rename what both are called after"
            found.append(Diagnostic("GP707", message, hint=hint))
    return found


def _kustomization(paths: Iterable[str]) -> str:
    return dump(
        {
            "apiVersion": "kustomize.config.k8s.io/v1beta1",
            "kind": "Kustomization",
            "resources": sorted(paths),
        }
    )
