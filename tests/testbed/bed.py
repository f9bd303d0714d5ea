"""The bed: a control plane with everything installed that our manifests speak to.

A policy is laid in with `lay`: its manifests are applied as they are written, its nodes are there
as its plan says. `clear` takes everything out again for the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.model import Manifest
from gpupolicy.source.load import SourceText
from tests.testbed import upstream
from tests.testbed.api import Api
from tests.testbed.api import Data
from tests.testbed.api import RefusedError
from tests.testbed.control_plane import ControlPlane
from tests.testbed.kueue import Kueue
from tests.testbed.nodes import Kubelets
from tests.testbed.nodes import delete_nodes
from tests.testbed.processes import eventually
from tests.testbed.volcano import Volcano

_T = TypeVar("_T")
# CRDs of what does not run here, by the versions that the manifests are written for.
_CRDS = (
    ("gpu-operator", "25.10"),
    ("jobset", "0.12"),
    ("node-feature-discovery", "0.19"),
    ("prometheus-operator", "0.93"),
)
# Namespaces of installed components: ours are in the manifests.
_NAMESPACES = ("gpu-operator", "monitoring", "volcano-system")
# Namespaces are kept: to delete one takes long, and the next policy may have it too.
_KEPT = ("Namespace",)
_WORK = (
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("batch/v1", "Job"),
    ("v1", "Pod"),
    ("kueue.x-k8s.io/v1beta2", "Workload"),
    ("kueue.x-k8s.io/v1beta1", "Workload"),
    ("scheduling.volcano.sh/v1beta1", "PodGroup"),
)


class Bed:
    """A running bed. `applied` counts the objects that passed since it was started.

    `kueue` and `volcano` are releases, as folders of `go/`; the newest without one.
    """

    def __init__(self, folder: Path, kueue: str = "", volcano: str = "") -> None:
        self.plane = ControlPlane(folder)
        self.api: Api = self.plane.api
        self.kueue = Kueue(self.plane, kueue)
        self.volcano = Volcano(self.plane, volcano)
        self.releases = "".join(f", {one}" for one in (kueue, volcano) if one)
        self.applied = 0
        self._kubelets: Kubelets | None = None
        self._laid: list[Manifest] = []

    def start(self) -> None:
        """Start everything and wait until it works."""
        self.plane.start()
        for name in _NAMESPACES:
            self.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self._install_crds()
        self._kubelets = Kubelets(self.api)
        self._kubelets.start()

    def stop(self) -> None:
        """End everything."""
        if self._kubelets is not None:
            self._kubelets.stop()
        self.plane.stop()

    def check(self) -> None:
        """Raise `DeadProgramError` if a program has ended by itself."""
        self.plane.check()
        if self._kubelets is not None and self._kubelets.broken is not None:
            raise AssertionError("the kubelets broke") from self._kubelets.broken

    @property
    def kubelets(self) -> Kubelets:
        """Give the simulated kubelets."""
        assert self._kubelets is not None
        return self._kubelets

    def eventually(self, ask: Callable[[], _T | None], seconds: float, what: str) -> _T:
        """Ask until the answer is neither None nor False."""
        return eventually(ask, seconds, what, self.check)

    def apply(self, manifest: Manifest, *, force: bool = False) -> Data:
        """Apply a manifest as it is written to its file. Raises `RefusedError`."""
        reply = self.api.apply(dict(manifest.data), dump(manifest.data), force=force)
        self.applied += 1
        return reply.data

    def lay(self, compiled: Compiled, kueue: Data | None = None) -> None:
        """Run Kueue and Volcano as the policy wants them, and apply all manifests in their order.

        `kueue` is laid over the configuration that is emitted, key by key at the top.
        """
        assert compiled.bundle is not None, [str(one) for one in compiled.diagnostics]
        for file in compiled.bundle.files:
            if file.path == "kueue-manager-config.yaml":
                self.kueue.run(file.text, kueue or {})
            if file.path == "volcano-values.yaml":
                self.volcano.run(file.text)
        for manifest in compiled.bundle.manifests:
            self._laid.append(manifest)
            self.apply(manifest, force=True)

    def wait_for_queues(self) -> None:
        """Wait until Kueue says of every queue that it is active."""
        for one in self._laid:
            if one.key.kind in ("ClusterQueue", "LocalQueue"):
                path = self.api.path_to(dict(one.data))
                self.eventually(lambda path=path: self._has(path, "Active"), 60, f"{path} active")

    def _has(self, path: str, condition: str) -> bool:
        found = self.api.call("GET", path).data.get("status", {}).get("conditions") or ()
        return any(one["type"] == condition and one["status"] == "True" for one in found)

    def clear(self) -> None:
        """Take out the work, the manifests and the nodes."""
        self._delete_work()
        # Kind by kind: Kueue keeps what another object still refers to, and looks only once.
        for kind, found in groupby(reversed(self._laid), key=lambda one: one.key.kind):
            if kind not in _KEPT:
                self._delete([self.api.path_to(dict(one.data)) for one in found])
        self._laid.clear()
        delete_nodes(self.api)
        self.kubelets.finished.clear()

    def _delete(self, paths: Sequence[str]) -> None:
        for path in paths:
            self.eventually(lambda path=path: self._is_let_go(path), 30, f"{path} is let go")
        for path in paths:
            self.eventually(lambda path=path: not _is_there(self.api, path), 60, f"{path} is gone")

    def _is_let_go(self, path: str) -> bool:
        try:
            self.api.delete(path)
        except RefusedError as error:
            # Volcano's webhook may not have seen yet that the children of a queue are gone.
            if "child queues" in error.message:
                return False
            raise
        return True

    def _delete_work(self) -> None:
        # Pods wait for no kubelet here, and what is not installed has no objects.
        kinds = [one for one in _WORK if self.api.knows(*one)]
        for kind in kinds:
            for path in list(self._work_of(*kind)):
                self.api.delete(path, grace=0)
        for kind in kinds:
            self.eventually(lambda kind=kind: not list(self._work_of(*kind)), 60, f"no {kind}")

    def _work_of(self, api: str, kind: str) -> Iterable[str]:
        for one in self.api.list(api, kind):
            meta = one["metadata"]
            yield self.api.path_of(api, kind, meta["namespace"], meta["name"])

    def _install_crds(self) -> None:
        scratch = self.plane.folder / "crds"
        scratch.mkdir()
        found = [crd for one, version in _CRDS for crd in upstream.crds(one, version, scratch)]
        for crd in found:
            self.api.apply(crd)
        for crd in found:
            path = self.api.path_to(crd)
            self.eventually(lambda path=path: self._has(path, "Established"), 60, path)


def _is_there(api: Api, path: str) -> bool:
    try:
        api.call("GET", path)
    except RefusedError as error:
        if error.status == 404:
            return False
        raise
    return True


def compiled(text: str, *overlays: str) -> Compiled:
    """Compile a policy; fails if it has errors."""
    laid = [SourceText(f"overlay-{place}.yaml", one.encode()) for place, one in enumerate(overlays)]
    made = compile_policy([SourceText("policy.yaml", text.encode())], laid, today="2026-01-01")
    assert made.bundle is not None, "\n".join(f"{d.code} {d.message}" for d in made.diagnostics)
    return made
