"""One policy for every version of every component: each API server gets what it knows.

Where there is no schema of a version, its objects are held against the nearest older one, or the
oldest.
"""

from __future__ import annotations

from typing import Any

import pytest

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.diagnostics.model import has_errors
from gpupolicy.diagnostics.render.text import render_text
from gpupolicy.source.load import SourceText
from tests import schema_check

POLICY = """\
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {name: ai}
spec:
  platform: {PLATFORM}
  scheduling: {SCHEDULING}
  nodePools:
    - name: train
      gpu: H100-SXM5-80GB
      nodes: 16
      gpusPerNode: 8
      allocatable: {cpu: "180", memory: 1900Gi}
      TOPOLOGY
    - name: infer
      gpu: A100-SXM4-80GB
      nodes: 4
      gpusPerNode: 8
      allocatable: {cpu: "120", memory: 900Gi}
      sharing: {mig: {1g.10gb: 3, 2g.20gb: 2}}
  priorityClasses:
    - {name: high, value: 1000}
    - {name: low, value: 100, preemptionPolicy: Never}
  tenants:
    - name: vision
      namespaces: [vision]
      members: {groups: [vision]}
      quotas: [{pool: train, guaranteed: 40, limit: LIMIT}]
    - name: product
      namespaces: [product]
      quotas:
        - {pool: train, guaranteed: 48}
        - {pool: infer, device: 2g.20gb, guaranteed: 32}
"""
TOPOLOGY = "topology: {levels: [{name: rack, nodeLabel: topology.example.com/rack, nodes: 8}]}"
KUEUE = {f"kueue {of}": {"kueue": of} for of in [f"0.{minor}" for minor in range(10, 20)]}
VOLCANO = {f"volcano {of}": {"volcano": of} for of in [f"1.{minor}" for minor in range(11, 16)]}
BOTH = {f"kueue, {name}": {"kueue": "0.19", **of} for name, of in VOLCANO.items()}
HEALING = {"kueue, nvsentinel": {"kueue": "0.19", "nvsentinel": "1.26"}}
PLATFORMS = {**KUEUE, **VOLCANO, **BOTH, **HEALING, "kubernetes alone": {}}
# Kueue has topology, and so places gangs, in alpha there.
NO_GANGS = ("0.10", "0.11", "0.12")
KUBERNETES = ("1.29", "1.30", "1.33", "1.36")


def _compiled(components: dict[str, str], operator: str, kubernetes: str = "1.34") -> Compiled:
    """Compile the policy for some components; the GPU Operator as it is written in YAML."""
    named = "".join(f', {name}: {{version: "{of}"}}' for name, of in components.items())
    platform = f'kubernetes: "{kubernetes}", gpuOperator: {operator}{named}'
    gangs = bool(components) and components.get("kueue") not in NO_GANGS
    text = (
        POLICY.replace("PLATFORM", platform)
        .replace("SCHEDULING", "" if gangs else "gang: none")
        .replace("TOPOLOGY", TOPOLOGY if gangs else "")
        .replace("LIMIT", "96" if components else "40")
    )
    compiled = compile_policy([SourceText("policy.yaml", text.encode())], today="2026-11-30")
    assert not has_errors(compiled.diagnostics), _shown(compiled)
    return compiled


def _shown(compiled: Compiled) -> str:
    return render_text(compiled.diagnostics, compiled.texts)


def _faults(compiled: Compiled, versions: dict[str, str]) -> dict[str, list[str]]:
    assert compiled.bundle is not None
    objects: list[Any] = [one.data for one in compiled.bundle.manifests]
    return {
        f"{data['kind']} {data['metadata']['name']}": found
        for data in objects
        if (found := schema_check.validate_object(data, versions))
    }


@pytest.mark.parametrize("components", PLATFORMS.values(), ids=PLATFORMS)
def test_queues_are_what_the_version_knows(components: dict[str, str]) -> None:
    compiled = _compiled(components, '{version: "26.7"}')
    assert _faults(compiled, {"kubernetes": "1.34", "gpu-operator": "26.7", **components}) == {}


def test_a_cluster_policy_is_what_the_operator_knows() -> None:
    compiled = _compiled({"kueue": "0.19"}, '{version: "26.7", write: clusterPolicy}')
    assert compiled.bundle is not None
    kinds = {one.key.kind for one in compiled.bundle.manifests}
    assert "ClusterPolicy" in kinds
    assert _faults(compiled, {"kubernetes": "1.34", "gpu-operator": "26.7"}) == {}


@pytest.mark.parametrize("version", KUBERNETES)
def test_built_in_kinds_are_what_kubernetes_knows(version: str) -> None:
    compiled = _compiled({}, '{version: "26.7"}', version)
    assert _faults(compiled, {"kubernetes": version}) == {}
