"""Volcano's webhooks, controllers and scheduler, installed by its chart with the values we emit."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import ClassVar

from tests.conftest import find_tool
from tests.testbed import upstream
from tests.testbed.api import Data
from tests.testbed.api import RefusedError
from tests.testbed.control_plane import LOOPBACK_NAME
from tests.testbed.control_plane import ControlPlane
from tests.testbed.processes import Program
from tests.testbed.processes import eventually
from tests.testbed.processes import free_ports

NAMESPACE = "volcano-system"
SERVICE = "volcano-admission-service"
_CHART = "installer/helm/chart/volcano"
# Programs, and the job that makes certificates: the bed starts the ones and has the other.
_LEFT_OUT = ("Deployment", "Job", "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy")


class Volcano:
    """An installed Volcano; `run` starts its programs with the values of a policy.

    `release` is a folder of `go/`, such as `volcano-1.14`; the newest without one.
    """

    def __init__(self, plane: ControlPlane, release: str = "") -> None:
        self._plane = plane
        self._release = release
        self._chart: Path | None = None
        self._programs: dict[str, Program] = {}
        self._port, *self._spare = free_ports(4)
        self._settings: dict[str, Data] = {}

    def run(self, values: str) -> None:
        """Install the chart with values and run what it would; nothing if it runs like that."""
        rendered = self._render(values)
        settings = {one["metadata"]["name"]: one for one in rendered if one["kind"] == "ConfigMap"}
        if settings == self._settings:
            return
        for one in rendered:
            if one["kind"] not in _LEFT_OUT:
                self._plane.api.apply(self._adapted(one), force=True)
        self._settings = settings
        for program in self._programs.values():
            self._plane.end(program)
        self._start(next(one for one in rendered if _is_admission(one)))
        eventually(self._answers, 60, "Volcano's webhooks answer", self._plane.check)

    def _render(self, values: str) -> list[Data]:
        if self._chart is None:
            self._chart = upstream.module(self._release or "volcano", "volcano.sh/volcano") / _CHART
        path = self._plane.folder / "volcano-values.yaml"
        path.write_text(values, encoding="utf-8")
        arguments = ("template", "volcano", self._chart, "-n", NAMESPACE, "-f", path)
        return upstream.documents(find_tool("helm").run(*arguments))

    def _adapted(self, one: Data) -> Data:
        made = copy.deepcopy(one)
        if made["kind"] == "Service" and made["metadata"]["name"] == SERVICE:
            made["spec"] = {"type": "ExternalName", "externalName": LOOPBACK_NAME}
        for webhook in made.get("webhooks", ()):
            webhook["clientConfig"]["service"]["port"] = self._port
        return made

    def _start(self, admission: Data) -> None:
        plane, certs = self._plane, self._plane.certs
        # In a folder of its own: Volcano reads it again when anything beside it changes.
        scheduler = plane.folder / "volcano-scheduler" / "volcano-scheduler.conf"
        scheduler.parent.mkdir(exist_ok=True)
        text = self._settings["volcano-scheduler-configmap"]["data"]["volcano-scheduler.conf"]
        scheduler.write_text(text, encoding="utf-8")
        admissions = _argument(admission, "enabled-admission")
        self._programs = {
            "vc-webhook-manager": self._run(
                "vc-webhook-manager",
                "volcano-admission",
                f"--enabled-admission={admissions}",
                f"--tls-cert-file={certs / 'tls.crt'}",
                f"--tls-private-key-file={certs / 'tls.key'}",
                f"--ca-cert-file={certs / 'ca.crt'}",
                f"--webhook-namespace={NAMESPACE}",
                f"--webhook-service-name={SERVICE}",
                "--listen-address=127.0.0.1",
                f"--port={self._port}",
            ),
            "vc-controller-manager": self._run(
                "vc-controller-manager",
                "volcano-controllers",
                f"--listen-address=127.0.0.1:{self._spare[0]}",
                "--enable-healthz=false",
                "--leader-elect=false",
            ),
            "vc-scheduler": self._run(
                "vc-scheduler",
                "volcano-scheduler",
                f"--scheduler-conf={scheduler}",
                f"--listen-address=127.0.0.1:{self._spare[1]}",
                "--enable-healthz=false",
                "--leader-elect=false",
                "--schedule-period=500ms",
            ),
        }

    _ENVIRONMENT: ClassVar = {"KUBE_POD_NAMESPACE": NAMESPACE, "HELM_RELEASE_NAME": "volcano"}

    def _run(self, name: str, account: str, *arguments: str) -> Program:
        config = self._plane.kubeconfig(name, self._plane.service_account(NAMESPACE, account))
        environment = {**os.environ, **self._ENVIRONMENT}
        environment["DEBUG_SOCKET_DIR"] = str(self._plane.folder)
        return self._plane.run(
            name,
            f"--kubeconfig={config}",
            "-v=3",
            *arguments,
            environment=environment,
            build=self._release,
        )

    def _answers(self) -> bool:
        queue = {
            "apiVersion": "scheduling.volcano.sh/v1beta1",
            "kind": "Queue",
            "metadata": {"name": "testbed-is-it-there"},
            "spec": {"weight": 1},
        }
        try:
            self._plane.api.apply(queue, dry_run=True)
            # Volcano makes its root itself.
            return self._plane.api.find(queue["apiVersion"], "Queue", "root") is not None
        except (LookupError, RefusedError):  # The API server serves a new kind a moment later.
            return False


def _is_admission(one: Data) -> bool:
    return one["kind"] == "Deployment" and one["metadata"]["name"] == "volcano-admission"


def _argument(deployment: Data, name: str) -> str:
    for one in deployment["spec"]["template"]["spec"]["containers"][0]["args"]:
        key, _, value = one.removeprefix("--").partition("=")
        if key == name:
            return str(value)
    raise LookupError(f"{deployment['metadata']['name']} has no --{name}")
