"""GitOps: what API servers fill in, and what they are too small for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases.outcome import PLATFORM
from tests.cases.outcome import compile_text
from tests.cases.outcome import compiled
from tests.cases.outcome import policy

_ROOM = 'allocatable: {cpu: "60", memory: 240Gi, ephemeral-storage: 1Ti}'
_PLAIN = f"""
    platform: {PLATFORM.replace('"26.7"', '"26.7", write: clusterPolicy')}
    nodePools:
      - {{name: train, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8, {_ROOM}}}
    priorityClasses: [{{name: high, value: 1000}}]
    tenants:
      - {{name: team, namespaces: [team], quotas: [{{pool: train, guaranteed: 8}}]}}
"""
_ABSENT = object()


def at(data: Any, path: str) -> Any:
    """Find a field by its path; a step into what is not there is absent."""
    for step in path.split("."):
        data = data.get(step, _ABSENT) if isinstance(data, dict) else _ABSENT
    return data


@pytest.mark.parametrize(
    ("kind", "path", "default"),
    [
        # Defaults of the CRDs of GPU Operator 26.7 and Kueue 0.19 that a server writes back.
        ("ClusterPolicy", "spec.cdi.default", False),
        ("ClusterPolicy", "spec.cdi.enabled", True),
        ("ClusterPolicy", "spec.cdi.nriPluginEnabled", False),
        ("ClusterPolicy", "spec.daemonsets.updateStrategy", "RollingUpdate"),
        ("ClusterPolicy", "spec.operator.runtimeClass", "nvidia"),
        ("ClusterPolicy", "spec.hostPaths.kubeletRootDir", "/var/lib/kubelet"),
        ("ClusterPolicy", "spec.toolkit.installDir", "/usr/local/nvidia"),
        ("ClusterPolicy", "spec.driver.kernelModuleType", "auto"),
        ("ClusterQueue", "spec.stopPolicy", "None"),
        ("ClusterQueue", "spec.queueingStrategy", "BestEffortFIFO"),
        ("ClusterQueue", "spec.preemption.borrowWithinCohort.policy", "Never"),
        ("ClusterQueue", "spec.preemption.withinClusterQueue", "LowerPriority"),
        ("ClusterQueue", "spec.flavorFungibility.whenCanPreempt", "TryNextFlavor"),
        ("LocalQueue", "spec.stopPolicy", "None"),
        ("PriorityClass", "preemptionPolicy", "Never"),
    ],
)
def test_a_068_what_a_server_would_fill_in_is_written(kind: str, path: str, default: Any) -> None:
    found = [at(one, path) for one in compiled(_PLAIN).objects(kind)]
    assert found == [default] * len(found)
    assert found


def test_a_068_numbers_have_the_form_in_which_a_server_gives_them_back() -> None:
    spec = _PLAIN.replace('"60"', "60000m").replace("240Gi", "245760Mi").replace("1Ti", "1024Gi")
    assert compiled(spec).named("ClusterQueue", "team") == compiled(_PLAIN).named(
        "ClusterQueue", "team"
    )


_CUTS = [
    *(f"{{1g.10gb: {count}}}" for count in range(1, 8)),
    *(f"{{2g.20gb: {count}}}" for count in range(1, 4)),
    *("{3g.40gb: 1}", "{3g.40gb: 2}", "{4g.40gb: 1}", "{1g.20gb: 2}"),
    *("{1g.10gb: 1, 2g.20gb: 1}", "{}"),
]


def _layouts(pool: int) -> str:
    """Cut each of the sixteen GPUs of a node in another way, and no two pools alike."""
    cuts = _CUTS[pool % 16 :] + _CUTS[: pool % 16]
    for bit in range(8):
        if pool >> (4 + bit) & 1:
            cuts[2 * bit : 2 * bit + 2] = reversed(cuts[2 * bit : 2 * bit + 2])
    rows = [f"{{gpus: [{gpu}], layout: {cut}}}" for gpu, cut in enumerate(cuts)]
    return f"[{', '.join(rows)}]"


def many_pools(count: int) -> str:
    rows = [
        f"  - {{name: pool-{number:03}, gpu: A100-SXM4-80GB, "
        f"nodes: {{count: 1, names: [node-{number:03}]}}, gpusPerNode: 16, "
        f"sharing: {{mig: {_layouts(number)}}}}}"
        for number in range(count)
    ]
    return "nodePools:\n" + "\n".join(rows)


def many_tenants(count: int, pools: int) -> str:
    rows = [
        f"  - {{name: team-{n:03}, namespaces: [team-{n:03}], "
        f"quotas: [{{pool: pool-{n % pools:03}, device: 1g.10gb, guaranteed: 1}}]}}"
        for n in range(count)
    ]
    return "\ntenants:\n" + "\n".join(rows)


def test_a_069_some_hundred_tenants() -> None:
    outcome = compiled(many_pools(60) + many_tenants(300, 60))
    assert len(outcome.objects("ClusterQueue")) == 300


def test_a_069_some_hundred_layouts() -> None:
    platform = 'platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}}\n'
    outcome = compiled(platform + many_pools(200))
    # Client-side apply would keep a copy of the object in an annotation of 262,144 bytes.
    for path, text in outcome.tree.items():
        if len(text) > 262_144 and not path.startswith("files/") and "/" in path:
            assert "ServerSideApply=true" in text, path
    large = [path for path, text in outcome.tree.items() if len(text) > 262_144]
    assert any("configmap" in path for path in large)


def test_a_069_more_than_a_config_map_holds() -> None:
    outcome = compile_text(policy(many_pools(700)))
    assert outcome.compiled.bundle is None
    (finding,) = outcome.found()
    assert finding.code == "GP708"
    assert "gpupolicy-mig-" in finding.message
    assert "1048576" in finding.message.replace(",", "")
