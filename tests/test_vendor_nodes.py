"""What NVIDIA's own parsers make of a node is what the plan says it offers.

Every pool of every blueprint and of 200 generated policies: the configuration that its labels and
the operator's values choose is loaded by the device plugin's and mig-parted's own packages
(k8s-device-plugin v0.19.3, mig-parted v0.13.1), GPU by GPU and device by device.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.read import read_sources
from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.source.load import SourceText
from tests.blueprints import ALL
from tests.conftest import ROOT
from tests.conftest import Tool
from tests.generated import generated

pytestmark = pytest.mark.tools
Data = dict[str, Any]
_COUNT = 200


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a pool with GPUs of one PCI id, and the texts that its daemons are given."""

    name: str
    pool: PoolPlan
    device_id: str
    plugin_file: str
    strategy: str
    mig_file: str
    layout: str


def _settings(made: Compiled) -> Data:
    """Give the operator's settings as they are written, in the values or in the ClusterPolicy."""
    assert made.bundle is not None
    for manifest in made.bundle.manifests:
        if manifest.key.kind == "ClusterPolicy":
            return dict(manifest.data["spec"])
    texts = [f.text for f in made.bundle.files if f.path == "gpu-operator-values.yaml"]
    return yaml.load(texts[0], Loader=yaml.CSafeLoader) if texts else {}


def _files(made: Compiled, settings: Data, component: str) -> Mapping[str, str]:
    """Give the ConfigMap that the operator mounts for a component; empty if it names none."""
    name = settings.get(component, {}).get("config", {}).get("name")
    if not name:
        return {}
    assert made.bundle is not None
    found = [
        one.data["data"]
        for one in made.bundle.manifests
        if (one.key.kind, one.key.name) == ("ConfigMap", name)
    ]
    assert len(found) == 1, f"the operator is told to read {name}, of which there are {len(found)}"
    files: Mapping[str, str] = found[0]
    return files


def nodes_of(name: str, made: Compiled) -> Iterator[Node]:
    """Give a node of every pool that NVIDIA's daemons serve, one for each PCI id it may have."""
    plan = _plan(made)
    if plan.platform.component("gpuOperator") is None:
        return
    settings = _settings(made)
    plugin = _files(made, settings, "devicePlugin")
    mig = _files(made, settings, "migManager")
    for pool in plan.pools:
        if pool.gpu is None or not pool.gpu.nvidia or not pool.managed:
            continue
        labels = pool.node.labels
        # Without a label, config-manager falls back on the key that the operator names.
        default = settings.get("devicePlugin", {}).get("config", {}).get("default", "")
        key = labels.get("nvidia.com/device-plugin.config", default)
        layout = labels.get("nvidia.com/mig.config", "") if mig else ""
        for device_id in pool.gpu.device_filters or ("0x0",):
            yield Node(
                f"{name}/{pool.name}/{device_id}",
                pool,
                device_id,
                plugin[key] if plugin else "",
                settings.get("mig", {}).get("strategy") or "",
                mig["config.yaml"] if layout else "",
                layout,
            )


def _plan(made: Compiled) -> Plan:
    assert made.plan is not None
    return made.plan


@functools.cache
def _nodes() -> tuple[Node, ...]:
    found: list[Node] = []
    for blueprint in ALL:
        overlays = [one for one in blueprint.overlays if one != "--overlay"]
        paths = [str(ROOT / one) for one in (blueprint.path, *overlays)]
        made = compile_policy(read_sources(paths[:1]), read_sources(paths[1:]), today="2026-01-01")
        found += nodes_of(blueprint.name, made)
    for one in generated(_COUNT):
        found += nodes_of(one.name, one.made)
    return tuple(found)


def _understood(nodes: tuple[Node, ...], tool: Callable[[str], Tool], folder: Path) -> list[Data]:
    """Ask NVIDIA's parsers about all nodes at once."""
    paths: dict[str, str] = {"": ""}
    for node in nodes:
        for text in (node.plugin_file, node.mig_file):
            if text not in paths:
                path = folder / f"{len(paths)}.yaml"
                path.write_text(text, encoding="utf-8")
                paths[text] = str(path)
    requests = [
        {
            "devicePlugin": paths[node.plugin_file],
            "migStrategy": node.strategy,
            "migParted": paths[node.mig_file],
            "layout": node.layout,
            "deviceIDs": [node.device_id] * node.pool.gpus_per_node,
        }
        for node in nodes
    ]
    (folder / "nodes.json").write_text(json.dumps(requests), encoding="utf-8")
    states = json.loads(tool("nvidia-config").run("nodes", folder / "nodes.json"))
    assert len(states) == len(nodes)
    return list(states)


def _planned(pool: PoolPlan) -> Data:
    """Say what the plan says, in the words of the parsers."""
    gpus: list[Data] = [{"mig-enabled": False, "mig-devices": None}] * pool.gpus_per_node
    for group in pool.mig.groups if pool.mig else ():
        for index in group.gpus:
            gpus[index] = {
                "mig-enabled": bool(group.profiles),
                "mig-devices": dict(group.profiles) or None,
            }
    offers: Counter[str] = Counter()
    for device in pool.devices:
        offers[device.resource] += device.per_node
    shared = {device.base_resource: device.replicas for device in pool.devices}
    return {
        "gpus": gpus,
        "offers": dict(offers),
        "sharing": _SHARING[pool.sharing.kind] if pool.sharing else "none",
        "replicas": {name: count for name, count in shared.items() if count > 1},
        "oneAtATime": pool.sharing is not None,
        "strategy": pool.mig.strategy if pool.mig else None,
    }


_SHARING = {"timeSlicing": "time-slicing", "mps": "mps"}


def _read(state: Data, planned: Data) -> Data:
    """Give what was understood in the form of `_planned`; a strategy counts where MIG is on."""
    if "error" in state:
        return {"error": state["error"]}
    return {
        "gpus": state["gpus"],
        "offers": state["offers"],
        "sharing": state["sharing"],
        "replicas": state.get("replicas", {}),
        "oneAtATime": state["oneAtATime"],
        "strategy": state["migStrategy"] if planned["strategy"] else None,
    }


def _differences(
    nodes: tuple[Node, ...], tool: Callable[[str], Tool], folder: Path
) -> dict[str, tuple[Data, Data]]:
    found = {}
    for node, state in zip(nodes, _understood(nodes, tool, folder), strict=True):
        planned = _planned(node.pool)
        read = _read(state, planned)
        if read != planned:
            found[node.name] = (read, planned)
    return found


def test_every_node_offers_what_the_plan_says(tool: Callable[[str], Tool], tmp_path: Path) -> None:
    assert _differences(_nodes(), tool, tmp_path) == {}


def test_all_kinds_of_nodes_were_asked_about() -> None:
    """A property that meets nothing proves nothing."""
    pools = [node.pool for node in _nodes()]
    kinds = Counter(pool.sharing.kind for pool in pools if pool.sharing)
    layouts = {node.layout for node in _nodes() if node.pool.mig}
    assert kinds["timeSlicing"] > 50
    assert kinds["mps"] > 20
    assert len(layouts) > 100
    assert any(len(pool.mig.groups) > 1 for pool in pools if pool.mig)
    assert any(pool.mig.strategy == "single" for pool in pools if pool.mig)
    assert any(pool.sharing and pool.mig for pool in pools)
    assert any(pool.sharing and not pool.sharing.rename for pool in pools)
    assert len({node.plugin_file for node in _nodes()}) > 50


POLICY = """
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {name: two-pools}
spec:
  platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}}
  nodePools:
    - name: cut
      gpu: A100-SXM4-80GB
      nodes: {count: 1, selector: {pool: cut}}
      gpusPerNode: 2
      sharing: {mig: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}, timeSlicing: {1g.10gb: 2}}
    - name: shared
      gpu: A10
      nodes: {count: 1, selector: {pool: shared}}
      gpusPerNode: 2
      sharing: {timeSlicing: 4}
"""
# The pool, which text is spoiled, how, and what of the node is understood otherwise.
FAULTS: tuple[tuple[str, str, str, str, str], ...] = (
    ("shared", "plugin_file", "replicas: 4", "replicas: 5", "offers"),
    ("shared", "plugin_file", "replicas: 4", "replicas: 5", "replicas"),
    ("shared", "plugin_file", "renameByDefault: true", "renameByDefault: false", "offers"),
    ("shared", "plugin_file", "ThanOne: true", "ThanOne: false", "oneAtATime"),
    ("shared", "plugin_file", "timeSlicing", "mps", "error"),
    ("shared", "plugin_file", "renameByDefault", "renameByDefalt", "error"),
    ("shared", "plugin_file", "nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "offers"),
    ("cut", "plugin_file", "mig-1g.10gb", "mig-2g.20gb", "offers"),
    ("cut", "mig_file", "1g.10gb: 2", "1g.10gb: 3", "gpus"),
    ("cut", "mig_file", "0x20B2", "0x2330", "error"),
    ("cut", "mig_file", "mig-enabled: true", "mig-enabled: false", "error"),
    ("cut", "mig_file", "devices: all", "devices: [0]", "error"),
    ("cut", "mig_file", "cut-", "other-", "error"),
    ("cut", "strategy", "mixed", "single", "error"),
    ("cut", "strategy", "mixed", "none", "offers"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: "-".join(one[:4]))
def test_a_fault_is_seen(
    fault: tuple[str, str, str, str, str], tool: Callable[[str], Tool], tmp_path: Path
) -> None:
    name, part, old, new, where = fault
    made = compile_policy([SourceText("policy.yaml", POLICY.encode())], today="2026-01-01")
    node = next(one for one in nodes_of("two", made) if one.pool.name == name)
    assert _differences((node,), tool, tmp_path) == {}
    text = getattr(node, part)
    assert old in text
    spoiled = replace(node, **{part: text.replace(old, new)})
    ((read, planned),) = _differences((spoiled,), tool, tmp_path).values()
    assert where in [key for key in read if read[key] != planned.get(key)]
