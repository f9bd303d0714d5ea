"""Small bundles to write, and what lies in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gpupolicy.deliver.lock import LockHeader
from gpupolicy.manifest.model import Bundle
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile
from gpupolicy.manifest.model import bundle

HEADER = LockHeader("0.1.0", "sha256:aa", {"kueue": "0.19", "kubernetes": "1.34"})
KUEUE = "kueue.x-k8s.io/v1beta2"


def thing(
    kind: str, name: str, namespace: str = "", target: str = "kueue", **spec: Any
) -> Manifest:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    data = {"apiVersion": KUEUE, "kind": kind, "metadata": metadata, "spec": spec}
    return Manifest(target, data, f"tenants[{name}]")


def tree(*tenants: str, size: int = 1) -> Bundle:
    """A tree whose files are: one queue a tenant, one flavor, a script, and Helm values."""
    return bundle(
        [
            thing("ResourceFlavor", "train", size=size),
            *(thing("ClusterQueue", name, size=size) for name in tenants),
            *(thing("LocalQueue", name, f"{name}-ns") for name in tenants),
            PlainFile("nodes", "nodes/label.sh", f"#!/bin/sh\necho {size}\n", executable=True),
            PlainFile("gpu_operator", "values.yaml", "mig: {}\n"),
        ]
    )


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, links and what is hidden included."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if not path.is_dir()
    }
