"""A bundle and a cluster -> the tree that is there, and the tree that an apply would leave.

The second is a server-side dry run, so that both sides have the defaults, and the fields of other
managers, which an apply leaves alone, stand on both and never differ.
"""

from __future__ import annotations

from typing import Any
from typing import NamedTuple

from gpupolicy.deliver.cluster import Cluster
from gpupolicy.deliver.layout import object_paths
from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.key import Data
from gpupolicy.manifest.key import key_of
from gpupolicy.manifest.model import Bundle

_OWNER = "gpupolicy.dev/policy"
# What the server writes on each object, which says nothing of its content.
_SERVER = ("managedFields", "resourceVersion", "uid", "generation", "creationTimestamp")


class Sides(NamedTuple):
    """Both trees, and the paths that could not be asked: their namespace does not exist yet."""

    before: dict[str, bytes]
    after: dict[str, bytes]
    unasked: list[str]


def sides(cluster: Cluster, wanted: Bundle, policy: str) -> Sides:
    """Read what is there and ask what it would become. Raises `ClusterError`.

    What carries the policy's label and is of a kind that the bundle has, but not in it, is on the
    first side alone.
    """
    found = Sides({}, {}, [])
    paths = object_paths(wanted.manifests)
    for path, manifest in zip(paths, wanted.manifests, strict=True):
        live = cluster.get(manifest.key)
        if live is not None:
            found.before[path] = _text(live)
        become = cluster.dry_run(manifest.data, manifest.key)
        if become is None:
            found.unasked.append(path)
        found.after[path] = _text(become or manifest.data)
    found.before.update(_left(cluster, wanted, policy))
    return found


def _left(cluster: Cluster, wanted: Bundle, policy: str) -> dict[str, bytes]:
    keys = {manifest.key for manifest in wanted.manifests}
    kinds = {(key.group, key.version, key.kind): key for key in sorted(keys)}
    found = {}
    for key in kinds.values():
        for data in cluster.labelled(key, f"{_OWNER}={policy}"):
            # Items of a list do not say what they are.
            whole = {**data, "apiVersion": _api(key.group, key.version), "kind": key.kind}
            if key_of(whole) not in keys:
                here = key_of(whole)
                path = f"cluster/{here.kind.lower()}-{here.namespace or '_'}-{here.name}.yaml"
                found[path] = _text(whole)
    return found


def _api(group: str, version: str) -> str:
    return f"{group}/{version}" if group else version


def _text(data: Data) -> bytes:
    kept = {key: value for key, value in data.items() if key != "status"}
    metadata = kept["metadata"]
    kept["metadata"] = {key: metadata[key] for key in metadata if key not in _SERVER}
    return dump(_ordered(kept)).encode()


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(one) for one in value] if isinstance(value, list) else value
