"""A real control plane without machines: etcd, the API server, its controllers and its scheduler.

Everything listens on the loopback interface at free ports and lives in one folder. There is no
kubelet: `nodes.Kubelets` plays them.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from tests.conftest import ROOT
from tests.testbed.api import Api
from tests.testbed.api import RefusedError
from tests.testbed.processes import Program
from tests.testbed.processes import eventually
from tests.testbed.processes import free_ports

BIN = ROOT / ".tools" / "testbed"
# A name that resolves to this machine in every resolver.
LOOPBACK_NAME = "localhost"
# Services whose webhooks have no certificate of their own.
SERVED_AS = ("volcano-admission-service.volcano-system.svc",)


class ControlPlane:
    """The programs, and the administrator's access to the API server.

    Raises `AssertionError` if one does not come up, `processes.DeadProgramError` if one has ended.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs: list[Program] = []
        self.certs = folder / "certs"
        self.certs.mkdir()
        subprocess.run([BIN / "certs", self.certs, *SERVED_AS], check=True, timeout=60)
        self._etcd, self._peer, self.port = free_ports(3)
        self._admin = secrets.token_hex(16)
        self.api = Api(self.port, self.certs / "ca.crt", self._admin)
        self._kubeconfig = self.kubeconfig("admin", self._admin)

    def start(self) -> None:
        """Start all four and wait until they work."""
        self._start_etcd()
        self._start_server()
        self._start_controllers()

    def run(
        self,
        name: str,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        build: str = "",
    ) -> Program:
        """Start a program of `.tools/testbed`, or of a `build` there; all end together."""
        log = self.folder / f"{name}.log"
        program = Program(name, [str(BIN / build / name), *arguments], log, environment)
        self.programs.append(program)
        return program

    def end(self, program: Program) -> None:
        """End one program."""
        program.end()
        self.programs.remove(program)

    def check(self) -> None:
        """Raise `DeadProgramError` if a program has ended by itself."""
        for program in self.programs:
            program.check()

    def stop(self) -> None:
        """End everything, the last one started first."""
        while self.programs:
            self.programs.pop().end()
        self.api.close()

    def kubeconfig(self, name: str, token: str) -> Path:
        """Write the configuration of a client, and give its place."""
        cluster = {
            "server": f"https://127.0.0.1:{self.port}",
            "certificate-authority": str(self.certs / "ca.crt"),
        }
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "bed", "cluster": cluster}],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [{"name": "bed", "context": {"cluster": "bed", "user": name}}],
            "current-context": "bed",
        }
        path = self.folder / f"{name}.kubeconfig"
        path.write_text(json.dumps(config), encoding="utf-8")
        return path

    def service_account(self, namespace: str, name: str) -> str:
        """Give a token of a service account, valid as long as a test run may take."""
        path = self.api.path_of("v1", "ServiceAccount", namespace, name) + "/token"
        asked = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": 86400},
        }
        token: str = self.api.call("POST", path, asked).data["status"]["token"]
        return token

    def _start_etcd(self) -> None:
        client, peer = (f"http://127.0.0.1:{port}" for port in (self._etcd, self._peer))
        self.run(
            "etcd",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync=true",
            "--log-level=warn",
        )
        eventually(lambda: _answers(f"{client}/health"), 30, "etcd is healthy", self.check)

    def _start_server(self) -> None:
        tokens = self.folder / "tokens.csv"
        tokens.write_text(f'{self._admin},admin,admin,"system:masters"\n', encoding="utf-8")
        key = self.certs / "sa.key"
        self.run(
            "kube-apiserver",
            f"--etcd-servers=http://127.0.0.1:{self._etcd}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={self.port}",
            f"--tls-cert-file={self.certs / 'tls.crt'}",
            f"--tls-private-key-file={self.certs / 'tls.key'}",
            f"--service-account-key-file={self.certs / 'sa.pub'}",
            f"--service-account-signing-key-file={key}",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-cluster-ip-range=10.96.0.0/16",
            f"--token-auth-file={tokens}",
            "--authorization-mode=Node,RBAC",
            # The bed's nodes have no kubelet that would take the taint away.
            "--disable-admission-plugins=TaintNodesByCondition",
            # A loopback address is no endpoint of the service `kubernetes`.
            "--endpoint-reconciler-type=none",
            "--v=1",
        )
        eventually(self._ready, 90, "the API server is ready", self.check)

    def _ready(self) -> bool:
        try:
            self.api.call("GET", "/readyz")
        except (OSError, RefusedError):
            return False
        # The namespace comes a moment after the rest.
        return self.api.find("v1", "Namespace", "kube-system") is not None

    def _start_controllers(self) -> None:
        manager, scheduler = free_ports(2)
        self.run(
            "kube-controller-manager",
            *self._controller_arguments(manager),
            "--use-service-account-credentials=true",
            f"--service-account-private-key-file={self.certs / 'sa.key'}",
            f"--root-ca-file={self.certs / 'ca.crt'}",
            # Nobody sends heartbeats for the bed's nodes.
            "--controllers=*,-node-lifecycle-controller",
        )
        self.run("kube-scheduler", *self._controller_arguments(scheduler))
        eventually(
            lambda: self.api.find("v1", "ServiceAccount", "default", "default"),
            60,
            "the controllers make the service account 'default'",
            self.check,
        )

    def _controller_arguments(self, port: int) -> tuple[str, ...]:
        return (
            f"--kubeconfig={self._kubeconfig}",
            f"--authentication-kubeconfig={self._kubeconfig}",
            f"--authorization-kubeconfig={self._kubeconfig}",
            "--bind-address=127.0.0.1",
            f"--secure-port={port}",
            f"--tls-cert-file={self.certs / 'tls.crt'}",
            f"--tls-private-key-file={self.certs / 'tls.key'}",
            "--leader-elect=false",
        )


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
