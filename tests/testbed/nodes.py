"""Simulated nodes of a plan, and the kubelets that they have not.

A node carries what the policy puts on it (labels, taints) and what its hardware would offer
(allocatable). Pods that are bound to it run at once and end when they are deleted; what a real
kubelet and the vendor's device plugin would do beyond that is not simulated.
"""

from __future__ import annotations

import contextlib
import http.client
import threading
from collections.abc import Iterator

from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import PoolPlan
from tests.testbed.api import Api
from tests.testbed.api import Data
from tests.testbed.api import RefusedError

_MIB = ("memory", "ephemeral-storage")


def names(pool: PoolPlan) -> list[str]:
    """Give the names of a pool's nodes."""
    return list(pool.node.finder.names) or [f"{pool.name}-{index}" for index in range(pool.nodes)]


def create_nodes(api: Api, plan: Plan) -> None:
    """Create the nodes of every pool."""
    for pool in plan.pools:
        for index, name in enumerate(names(pool)):
            path = api.path_to(api.create(_node(pool, name, index)).data)
            api.merge(f"{path}/status", {"status": _status(pool)})


def delete_nodes(api: Api) -> None:
    """Delete every node."""
    for node in api.list("v1", "Node"):
        api.delete(api.path_of("v1", "Node", name=node["metadata"]["name"]))


def _node(pool: PoolPlan, name: str, index: int) -> Data:
    levels = {
        level.node_label: f"{level.name}-{index // level.nodes}"
        for level in pool.levels
        if level.name != "host" and level.nodes
    }
    labels = {
        "kubernetes.io/hostname": name,
        **pool.node.finder.selector,
        **pool.node.labels,
        **levels,
    }
    taints = [
        {"key": one.key, "effect": one.effect} | ({"value": one.value} if one.value else {})
        for one in pool.node.taints
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": taints},
    }


def _status(pool: PoolPlan) -> Data:
    offered = {"pods": "110", "cpu": "1000", "memory": "10000Gi"}
    offered |= {key: quantity(key, amount) for key, amount in pool.allocatable.items()}
    offered |= {device.resource: str(device.per_node) for device in pool.devices}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "simulated"}
    return {"capacity": offered, "allocatable": offered, "conditions": [ready]}


def quantity(resource: str, amount: int) -> str:
    """Write an amount of a plan as a Kubernetes quantity."""
    if resource == "cpu":
        return f"{amount}m"
    if resource in _MIB or resource.startswith("hugepages-"):
        return f"{amount}Mi"
    return str(amount)


class Kubelets:
    """Runs what is bound to a node, in a thread of its own, and takes away what is deleted."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="kubelets", daemon=True)
        self.broken: BaseException | None = None
        # Pods whose work is done, by namespace and prefix of the name: they end well.
        self.finished: set[tuple[str, str]] = set()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for it."""
        self._stop.set()
        self._thread.join(timeout=30)

    def lose(self, node: str) -> None:
        """Take a node away with all that runs there, as when a machine is given up."""
        api = self._api
        api.delete(api.path_of("v1", "Node", name=node))
        for pod in api.list("v1", "Pod", fieldSelector=f"spec.nodeName={node}"):
            meta = pod["metadata"]
            api.delete(api.path_of("v1", "Pod", meta["namespace"], meta["name"]), grace=0)

    def _work(self) -> None:
        try:
            while not self._stop.wait(0.2):
                with contextlib.suppress(OSError, http.client.HTTPException):
                    self._look()
        except BaseException as error:
            self.broken = error
        finally:
            self._api.close()

    def _look(self) -> None:
        for pod in self._api.list("v1", "Pod", resourceVersion="0"):
            if pod["spec"].get("nodeName"):
                with contextlib.suppress(RefusedError):
                    self._serve(pod)

    def _serve(self, pod: Data) -> None:
        meta = pod["metadata"]
        path = self._api.path_of("v1", "Pod", meta["namespace"], meta["name"])
        phase = pod["status"].get("phase")
        if "deletionTimestamp" in meta:
            self._api.delete(path, grace=0)
        elif phase in ("Succeeded", "Failed"):
            return
        elif self._is_finished(meta):
            self._say(path, {"phase": "Succeeded", "conditions": [_condition("Ready", "False")]})
        elif phase == "Pending":
            conditions = [_condition("Ready", "True"), _condition("ContainersReady", "True")]
            self._say(path, {"phase": "Running", "conditions": conditions})

    def _is_finished(self, meta: Data) -> bool:
        return any(
            meta["namespace"] == namespace and meta["name"].startswith(prefix)
            for namespace, prefix in list(self.finished)
        )

    def _say(self, path: str, status: Data) -> None:
        patch = {"status": status}
        self._api.call("PATCH", f"{path}/status", patch, "strategic-merge-patch+json")


def _condition(kind: str, status: str) -> Data:
    return {"type": kind, "status": status}


def pods_by_node(api: Api) -> Iterator[tuple[str, Data]]:
    """Give every bound pod with its node."""
    for pod in api.list("v1", "Pod"):
        if node := pod["spec"].get("nodeName"):
            yield node, pod
