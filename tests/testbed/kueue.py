"""Kueue's manager with its webhooks, installed from its release as its users do.

Its own certificates are used: the webhooks keep their Service, which is an ExternalName here, so
that the API server calls a port of the loopback interface and checks the name of the Service.
"""

from __future__ import annotations

import base64
import copy
from pathlib import Path

import yaml

from tests.testbed import upstream
from tests.testbed.api import Data
from tests.testbed.api import RefusedError
from tests.testbed.control_plane import LOOPBACK_NAME
from tests.testbed.control_plane import ControlPlane
from tests.testbed.processes import Program
from tests.testbed.processes import eventually
from tests.testbed.processes import free_ports

NAMESPACE = "kueue-system"
# Programs of the release that do not run here: what they are asked for is not tested.
_LEFT_OUT = ("Deployment", "APIService")


class Kueue:
    """An installed Kueue; `run` starts its manager with a configuration.

    `release` is a folder of `go/`, such as `kueue-0.14`; the newest without one.
    """

    def __init__(self, plane: ControlPlane, release: str = "") -> None:
        self._plane = plane
        self._release = release
        self._program: Program | None = None
        self._config: Data | None = None
        self._webhook, self._health, self.metrics = free_ports(3)

    def _install(self) -> None:
        """Apply the release's objects: CRDs, roles, webhooks."""
        folder = (
            upstream.module(self._release or "kueue", "sigs.k8s.io/kueue") / "config" / "default"
        )
        for one in upstream.kustomized(folder):
            if one["kind"] not in _LEFT_OUT:
                self._plane.api.apply(self._adapted(one))

    def _adapted(self, one: Data) -> Data:
        made = copy.deepcopy(one)
        if made["kind"] == "Service" and made["metadata"]["name"] == "kueue-webhook-service":
            made["spec"] = {"type": "ExternalName", "externalName": LOOPBACK_NAME}
        for webhook in made.get("webhooks", ()):
            webhook["clientConfig"]["service"]["port"] = self._webhook
        if made["kind"] == "CustomResourceDefinition" and "conversion" in made["spec"]:
            client = made["spec"]["conversion"]["webhook"]["clientConfig"]
            client["service"]["port"] = self._webhook
        return made

    def run(self, config: str, changes: Data | None = None) -> None:
        """Run the manager with a configuration as it is emitted; nothing if it runs with it.

        `changes` replace keys at its top; None takes one out.
        """
        wanted: Data = yaml.safe_load(config) | (changes or {})
        wanted = {key: value for key, value in wanted.items() if value is not None}
        if wanted == self._config:
            return
        if self._config is None:
            self._install()
        if self._program is not None:
            self._plane.end(self._program)
        self._program = self._start(wanted)
        self._config = wanted
        eventually(self._mount_certificate, 60, "Kueue makes its certificate", self._plane.check)
        eventually(self._answers, 90, "Kueue's webhooks answer", self._plane.check)

    def _start(self, wanted: Data) -> Program:
        plane = self._plane
        made = wanted | {
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self._health}"},
            "metrics": wanted.get("metrics", {}) | {"bindAddress": f"127.0.0.1:{self.metrics}"},
            "webhook": {
                "host": "127.0.0.1",
                "port": self._webhook,
                "certDir": str(plane.folder / "kueue-certs"),
            },
            "leaderElection": {"leaderElect": False},
        }
        path = plane.folder / "kueue-config.yaml"
        path.write_text(yaml.safe_dump(made), encoding="utf-8")
        token = plane.service_account(NAMESPACE, "kueue-controller-manager")
        return plane.run(
            "kueue",
            f"--config={path}",
            f"--kubeconfig={plane.kubeconfig('kueue', token)}",
            "--zap-log-level=2",
            # It listens on a port that cannot be chosen.
            "--feature-gates=VisibilityOnDemand=false",
            build=self._release,
        )

    def _mount_certificate(self) -> bool:
        """Do what a kubelet does with the Secret of Kueue's certificate."""
        secret = self._plane.api.get("v1", "Secret", "kueue-webhook-server-cert", NAMESPACE)
        folder = self._plane.folder / "kueue-certs"
        folder.mkdir(exist_ok=True)
        for name, text in (secret.get("data") or {}).items():
            (folder / name).write_bytes(base64.b64decode(text))
        return (folder / "tls.key").exists()

    def _answers(self) -> bool:
        newest = "kueue.x-k8s.io/v1beta2"
        flavor = {
            "apiVersion": newest if not self._release else "kueue.x-k8s.io/v1beta1",
            "kind": "ResourceFlavor",
            "metadata": {"name": "testbed-is-it-there"},
        }
        queue = {
            "apiVersion": "kueue.x-k8s.io/v1beta1",
            "kind": "ClusterQueue",
            "metadata": {"name": "testbed-is-it-there"},
            "spec": {},
        }
        try:
            for one in (flavor, queue):
                self._plane.api.apply(one, dry_run=True)
        except RefusedError:
            return False
        return True


def default_config(folder: Path) -> str:
    """Give the configuration of the release's own installation."""
    config: str = (folder / "manager" / "controller_manager_config.yaml").read_text()
    return config
