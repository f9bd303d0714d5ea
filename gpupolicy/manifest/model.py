"""What the compiler makes: Kubernetes objects, plain files, and the ordered bundle of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpupolicy.manifest.key import Data
from gpupolicy.manifest.key import ObjectKey
from gpupolicy.manifest.key import key_of
from gpupolicy.manifest.order import depths
from gpupolicy.manifest.order import rank


class DuplicateObjectError(ValueError):
    """Two objects of one key, or two files of one path: a fault of ours, never of a policy."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One Kubernetes object, as plain data.

    `target` is the room that made it and the folder it is written to. `source` says which words of
    the policy it follows from: `tenants[product].quotas[0]`. `data` is not changed afterwards.
    """

    target: str
    data: Data
    source: str

    @property
    def key(self) -> ObjectKey:
        """Group, version, kind, namespace and name. Raises `KeyError` on an incomplete object."""
        return key_of(self.data)


@dataclass(frozen=True, slots=True)
class PlainFile:
    """A file that is no Kubernetes object (Helm values, a runbook), written below `files/`.

    `path` is relative, with `/`; `text` has LF line ends and ends with one.
    """

    target: str
    path: str
    text: str
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything a policy compiles to, objects in the order in which they are to be applied."""

    manifests: tuple[Manifest, ...] = ()
    files: tuple[PlainFile, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.manifests or self.files)


def bundle(items: Iterable[Manifest | PlainFile]) -> Bundle:
    """Order objects by kind, depth in their tree, namespace and name, and files by path.

    Raises `DuplicateObjectError` if an object or a path stands twice.
    """
    objects: dict[ObjectKey, Manifest] = {}
    files: dict[str, PlainFile] = {}
    for item in items:
        if isinstance(item, PlainFile):
            if files.setdefault(item.path, item) is not item:
                raise DuplicateObjectError(f"two files {item.path}")
        elif objects.setdefault(item.key, item) is not item:
            raise DuplicateObjectError(f"two objects {item.key}")
    depth = depths({key: manifest.data for key, manifest in objects.items()})
    order = sorted(objects, key=lambda key: (*rank(key), depth.get(key, 0), key[3:], key))
    return Bundle(
        tuple(objects[key] for key in order), tuple(files[path] for path in sorted(files))
    )
