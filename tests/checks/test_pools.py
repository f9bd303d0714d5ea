"""Pools: the GPU, the nodes, labels, taints, levels, what a node has."""

from __future__ import annotations

import time

import pytest

from gpupolicy.checks import allocatables
from gpupolicy.checks import gpu_models
from gpupolicy.checks import node_labels
from gpupolicy.checks import node_sets
from gpupolicy.checks import pool_overlap
from gpupolicy.checks import reserves
from gpupolicy.checks import taints
from gpupolicy.checks import topology_levels
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import context
from tests.checks.subject import findings


def gpu_pool(extra: str, gpu: str = "A10", nodes: str = "4") -> str:
    return f"nodePools:\n- {{name: dev, gpu: {gpu}, nodes: {nodes}, gpusPerNode: 2, {extra}}}\n"


def test_an_unknown_gpu_with_the_nearest_names() -> None:
    (found,) = findings(gpu_models.check, gpu_pool("", gpu="H100-SMX5-80GB"))
    assert found.code == "GP440"
    assert "did you mean H100-SXM5-80GB" in (found.hint or "")
    assert "resource: <vendor>/gpu" in (found.hint or "")


def test_a_gpu_like_none_of_the_catalogue_is_described() -> None:
    (found,) = findings(gpu_models.check, gpu_pool("", gpu="Quux"))
    assert "describe it: gpu: {name: Quux, resource: <vendor>/gpu, memory: <n>Gi}" in (
        found.hint or ""
    )


@pytest.mark.parametrize("gpu", ["a10", "NVIDIA-A10", "H100-80GB", "NVIDIA H100 NVL", "V100-32GB"])
def test_names_that_are_accepted(gpu: str) -> None:
    assert findings(gpu_models.check, gpu_pool("", gpu=gpu)) == []


def test_a_name_that_fits_models_which_differ() -> None:
    (found,) = findings(gpu_models.check, gpu_pool("", gpu="A100"))
    assert found.code == "GP441"
    assert "'A100' fits 4 models that differ: memory 40960 or 81920 MiB" in found.message
    for name in ("A100-SXM4-40GB", "A100-PCIE-40GB", "A100-SXM4-80GB", "A100-80GB-PCIE"):
        assert name in (found.hint or "")


@pytest.mark.parametrize(
    ("gpu", "text"),
    [
        ("{name: MI300X, memory: 192Gi}", "lacks 'resource'"),
        ("{name: MI300X, resource: amd.com/gpu}", "lacks 'memory'"),
        ("{name: MI300X, resource: gpu, memory: 192Gi}", "needs a domain"),
        ("{name: MI300X, resource: kubernetes.io/gpu, memory: 1Gi}", "needs a domain"),
    ],
)
def test_half_a_description(gpu: str, text: str) -> None:
    (found,) = findings(gpu_models.check, gpu_pool("", gpu=gpu))
    assert found.code == "GP442"
    assert text in found.message


def test_a_gpu_of_the_catalogue_needs_no_description() -> None:
    (found,) = findings(gpu_models.check, gpu_pool("", gpu="{name: A10, memory: 24Gi}"))
    assert found.hint == "'A10' is in the catalogue: write gpu: A10"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("{name: p, gpu: A10, nodes: 1}", ["GP443"]),
        ("{name: p, gpu: A10, nodes: 1, gpusPerNode: 0}", ["GP443"]),
        ("{name: p, gpu: A10, nodes: 1, gpusPerNode: -8}", ["GP443"]),
        ("{name: p, nodes: {names: [a]}, gpusPerNode: 8}", ["GP443"]),
        ("{name: p, nodes: {names: [a]}, gpusPerNode: 0}", []),
        ("{name: p, gpu: A10, nodes: 1, gpusPerNode: 3}", []),
        ("{name: p, gpu: A10, nodes: 1, gpusPerNode: 16}", []),
        ("{name: p, gpu: A10, nodes: 1, gpusPerNode: 128}", ["GP444"]),
    ],
)
def test_gpus_per_node(text: str, faults: list[str]) -> None:
    assert codes(findings(gpu_models.check, f"nodePools: [{text}]")) == faults


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ("{count: 4, max: 8}", "a count of 4 stands beside 'max'"),
        ("{min: 2}", "'min' 2 stands without 'max'"),
        ("{max: 4}", "'max' 4 stands without 'min'"),
        ("{min: 4, max: 2}", "min 4 is above max 2"),
        ("{selector: {a: b}}", "nothing says how many nodes there are"),
        ("-1", "nodes.count -1 is negative"),
        ("{min: -1, max: 2}", "nodes.min -1 is negative"),
        ("{count: 3, names: [a, b]}", "a count of 3 stands beside 2 names"),
        ("{max: 3, names: [a, b]}", "a max of 3 stands beside 2 names"),
        ("{names: [a, b, a]}", "the node 'a' is named twice"),
        ("{names: [a_b]}", "'a_b' is not a node name"),
    ],
)
def test_numbers_of_nodes_that_contradict(nodes: str, text: str) -> None:
    found = findings(node_sets.check, gpu_pool("", nodes=nodes), "GP445")
    assert text in " | ".join(one.message for one in found)


@pytest.mark.parametrize(
    "nodes", ["4", "{count: 4}", "{min: 1, max: 4}", "{max: 2, names: [a, b]}", "{names: [a, b.c]}",
              "{count: 2, names: [a, b]}", "{count: 4, selector: {a: b}}"],
)  # fmt: skip
def test_numbers_of_nodes_that_are_legal(nodes: str) -> None:
    text = gpu_pool("", nodes=nodes) + 'platform: {kubernetes: "1.34", gpuOperator: {}}\n'
    assert findings(node_sets.check, text, "GP445", "GP446", "GP448") == []


@pytest.mark.parametrize("nodes", ["0", "{min: 0, max: 0}", "{names: []}"])
def test_a_pool_without_nodes_is_a_warning(nodes: str) -> None:
    found = findings(node_sets.check, gpu_pool("", nodes=nodes), "GP445", "GP446")
    assert [(f.code, f.severity) for f in found] == [("GP446", Severity.WARNING)]


@pytest.mark.parametrize(
    "text",
    [
        "{name: cpu, nodes: 4}",
        "{name: amd, gpu: {name: MI300X, resource: amd.com/gpu, memory: 192Gi}, "
        "nodes: 4, gpusPerNode: 8}",
    ],
)
def test_nodes_that_nothing_finds(text: str) -> None:
    (found,) = findings(node_sets.check, f"nodePools: [{text}]")
    assert found.code == "GP448"
    assert "selector: {example.com/pool:" in (found.hint or "")


AUTOSCALED = "{min: 1, max: 4}"


@pytest.mark.parametrize(
    ("nodes", "platform", "extra", "warned"),
    [
        (AUTOSCALED, "gpuOperator: {}", "", False),
        ("{min: 1, max: 4, selector: {a: b}}", "gpuOperator: {}", "", True),
        ("{min: 1, max: 4, selector: {a: b}}", "nodes: {write: external}", "", False),
        (AUTOSCALED, "kueue: {}", "", True),
        (AUTOSCALED, "gpuOperator: {}, nodes: {write: script}", "", True),
        (AUTOSCALED, "gpuOperator: {}", "taints: [{key: notebook, effect: NoSchedule}]", True),
        (AUTOSCALED, "gpuOperator: {}", "taints: [{key: a.b/c, effect: NoSchedule}]", False),
        ("4", "kueue: {}", "", False),
    ],
)
def test_an_autoscaled_pool_by_script(nodes: str, platform: str, extra: str, warned: bool) -> None:
    text = gpu_pool(extra, nodes=nodes) + f'platform: {{kubernetes: "1.34", {platform}}}\n'
    assert codes(findings(node_sets.check, text)) == (["GP449"] if warned else [])


PAIR = """
nodePools:
- {name: one, %s}
- {name: two, %s}
"""
A100 = "gpu: A100-SXM4-80GB, gpusPerNode: 8, nodes: "
H100 = "gpu: H100-SXM5-80GB, gpusPerNode: 8, nodes: "


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (A100 + "2", A100 + "2"),
        (A100 + "2", A100 + "{names: [a]}"),
        (A100 + "2", A100 + "{count: 2, selector: {pool: x}}"),
        (A100 + "{names: [a]}", A100 + "{count: 2, selector: {pool: x}}"),
        (A100 + "2", "gpu: A100-80GB, gpusPerNode: 8, nodes: {count: 2, selector: {pool: x}}"),
        (A100 + "{count: 2, selector: {pool: x}}", A100 + "{count: 2, selector: {zone: y}}"),
        (A100 + "{count: 2, selector: {pool: x}}", A100 + "{count: 2, selector: {pool: x}}"),
        (A100 + "{names: [a, b]}", H100 + "{names: [b]}"),
        (A100 + "{names: [a]}", "nodes: {names: [a]}"),
        (A100 + "{count: 2, selector: {pool: x}}", H100 + "{count: 2, selector: {pool: x}}"),
        (A100 + "{count: 2, selector: {pool: x}}", H100 + "{count: 2, selector: {pool: x, z: y}}"),
        (A100 + "{count: 2, selector: {pool: x}}", "nodes: {count: 2, selector: {pool: x}}"),
        ("nodes: {count: 2, selector: {a: b}}", "nodes: {count: 2, selector: {c: d}}"),
    ],
)
def test_a_node_that_could_be_in_two_pools(one: str, two: str) -> None:
    for text in (PAIR % (one, two), PAIR % (two, one)):
        (found,) = findings(pool_overlap.check, text)
        assert found.code == "GP447"
        assert "'one' and 'two'" in found.message
        assert found.path[:3] == ("spec", "nodePools", 1)
        assert found.related[0].path[:3] == ("spec", "nodePools", 0)
        assert found.hint


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (A100 + "2", H100 + "2"),
        (A100 + "{names: [a]}", A100 + "{names: [b]}"),
        (A100 + "{count: 2, selector: {pool: x}}", A100 + "{count: 2, selector: {pool: y}}"),
        (A100 + "{names: [a], selector: {pool: x}}", A100 + "{count: 1, selector: {pool: y}}"),
        (A100 + "{count: 2, selector: {a: b}}", H100 + "{count: 2, selector: {c: d}}"),
        (A100 + "2", "nodes: {count: 2, selector: {pool: cpu}}"),
        (A100 + "2", "gpu: A100-SXM4-40GB, gpusPerNode: 8, nodes: 2"),
        ("nodes: 2", A100 + "2"),
        ("nodes: 2", "nodes: 3"),
        ("gpu: A100, gpusPerNode: 8, nodes: 2", A100 + "2"),
        (
            "nodes: {count: 2, selector: {a: b}}",
            "gpu: {name: X, resource: amd.com/gpu, memory: 1Gi}, gpusPerNode: 1, "
            "nodes: {count: 2, selector: {c: d}}",
        ),
    ],
)
def test_pools_that_are_told_apart(one: str, two: str) -> None:
    assert findings(pool_overlap.check, PAIR % (one, two)) == []


def test_each_pool_is_reported_once_with_the_first_it_meets() -> None:
    rows = "".join(f"- {{name: p{i}, {A100}2}}\n" for i in range(5))
    found = findings(pool_overlap.check, f"nodePools:\n{rows}")
    assert len(found) == 4
    assert all("'p0'" in one.message for one in found)


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        ("reserve: {nodes: 4}", "a reserve of 4 nodes leaves nothing of 4 nodes"),
        ("reserve: {nodes: 5}", "a reserve of 5 nodes leaves nothing of 4 nodes"),
        ("reserve: {nodes: -1}", "is negative"),
        (
            "reserve: {nodes: 2, per: rack}, "
            "topology: {levels: [{name: rack, nodeLabel: a/rack, nodes: 2}]}",
            "a reserve of 2 in each of 2 domains of 'rack', 4 nodes, leaves nothing of 4 nodes",
        ),
    ],
)
def test_a_reserve_that_leaves_nothing(extra: str, text: str) -> None:
    (found,) = findings(reserves.check, gpu_pool(extra))
    assert found.code == "GP450"
    assert text in found.message


def test_a_reserve_that_leaves_something() -> None:
    assert findings(reserves.check, gpu_pool("reserve: {nodes: 3}")) == []
    assert findings(reserves.check, gpu_pool("reserve: {nodes: 0}")) == []


RACKS = "topology: {levels: [{name: rack, nodeLabel: a/rack, nodes: 2}]}, "


@pytest.mark.parametrize(
    ("per", "hint"),
    [("host", "leave 'per' out"), ("rak", "did you mean 'rack'?"), ("zone", "levels are 'rack'")],
)
def test_a_reserve_per_a_level_that_is_not_there(per: str, hint: str) -> None:
    (found,) = findings(reserves.check, gpu_pool(RACKS + f"reserve: {{nodes: 1, per: {per}}}"))
    assert found.code == "GP451"
    assert hint in (found.hint or "")


def levels(*rows: tuple[str, str, int]) -> str:
    inside = ", ".join(f"{{name: {n}, nodeLabel: {lb}, nodes: {c}}}" for n, lb, c in rows)
    return gpu_pool(f"topology: {{levels: [{inside}]}}", nodes="64")


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([("host", "a/h", 1)], "'host' is implied"),
        ([("rack", "a/x", 8), ("rack", "a/y", 4)], "two levels are called 'rack'"),
        ([("block", "a/x", 8), ("rack", "a/x", 4)], "two levels have the label 'a/x'"),
        ([("rack", "kubernetes.io/hostname", 8)], "that of the implied level 'host'"),
        ([("rack", "a/x", 0)], "has 0 nodes in a domain"),
        ([("rack", "a/x", 8), ("block", "a/y", 32)], "does not lie inside 'rack' with 8"),
        ([(f"l{i}", f"a/l{i}", 64 >> i // 3) for i in range(16)], "more than the 16 Kueue takes"),
    ],
)
def test_levels_that_cannot_be(rows: list[tuple[str, str, int]], text: str) -> None:
    (found,) = findings(topology_levels.check, levels(*rows))
    assert found.code == "GP452"
    assert text in found.message


def test_levels_that_are_legal() -> None:
    rows = [(f"l{i}", f"a/l{i}", 64 >> i // 3) for i in range(15)]
    assert findings(topology_levels.check, levels(*rows)) == []
    assert findings(topology_levels.check, levels(("a", "a/a", 8), ("b", "a/b", 8))) == []


def test_older_kueue_takes_fewer_levels() -> None:
    rows = [(f"l{i}", f"a/l{i}", 64 >> i) for i in range(7)] + [("last", "a/last", 1)]
    platform = 'platform: {kubernetes: "1.34", kueue: {version: "0.12"}}\n'
    (found,) = findings(topology_levels.check, platform + levels(*rows))
    assert "more than the 8 Kueue takes" in found.message


@pytest.mark.parametrize(
    ("sizes", "hint"),
    [
        ([6, 4], "'l1' may have 3 or 6 nodes, or 'l0' 4 or 8"),
        ([32, 12], "'l1' may have 8 or 16 nodes, or 'l0' 24 or 36"),
        ([7, 3], "'l1' may have 1 or 7 nodes, or 'l0' 6 or 9"),
        ([24, 8, 5], "'l2' may have 4 or 8 nodes"),
        ([40, 8, 5], "'l2' may have 4 or 8 nodes, or 'l1' 5 or 10"),
        ([1000000, 999999], "'l1' may have 500000 or 1000000 nodes, or 'l0' 999999 or 1999998"),
    ],
)
def test_levels_that_do_not_nest(sizes: list[int], hint: str) -> None:
    rows = [(f"l{i}", f"a/l{i}", size) for i, size in enumerate(sizes)]
    found = findings(topology_levels.check, levels(*rows), "GP452")
    assert [one.hint for one in found] == [hint]
    assert "left over" in found[0].message


@pytest.mark.parametrize(
    ("nodes", "sizes", "said"),
    [
        ("18", [8], ["18 nodes are counted as 2 full domains of 'l0' and one of 2"]),
        ("44", [32, 8], ["44 nodes are counted as 1 full domain of 'l0' and one of 12"]),
        ("40", [32, 8], ["40 nodes are counted as 1 full domain of 'l0' and one of 8"]),
        ("4", [8], []),
        ("16", [8, 4], []),
        ("{min: 2, max: 18}", [8], []),
    ],
)
def test_nodes_that_do_not_fill_the_domains(nodes: str, sizes: list[int], said: list[str]) -> None:
    inside = ", ".join(
        f"{{name: l{i}, nodeLabel: a/l{i}, nodes: {size}}}" for i, size in enumerate(sizes)
    )
    text = gpu_pool(f"topology: {{levels: [{inside}]}}", nodes=nodes)
    found = findings(topology_levels.check, text, "GP439")
    assert [one.message.removeprefix("pool 'dev': ") for one in found] == said
    assert all(one.severity is Severity.NOTE for one in found)


@pytest.mark.parametrize(
    ("nodes", "size", "each", "reserve"),
    [(16, 8, 1, 2), (18, 8, 1, 3), (18, 8, 2, 6), (4, 8, 1, 1), (12, 4, 1, 3), (5, 4, 3, 5)],
)
def test_a_reserve_per_level_counts_every_domain(
    nodes: int, size: int, each: int, reserve: int
) -> None:
    text = gpu_pool(
        f"topology: {{levels: [{{name: rack, nodeLabel: a/rack, nodes: {size}}}]}}, "
        f"reserve: {{nodes: {each}, per: rack}}",
        nodes=str(nodes),
    )
    (pool,) = context(text).capacity.pools.values()
    assert pool.reserve == reserve
    assert pool.devices[0].cap == (nodes - reserve) * pool.devices[0].per_node


@pytest.mark.parametrize(("count", "faults"), [(0, ["GP452"]), (1, []), (8, []), (9, ["GP452"])])
def test_numa_nodes(count: int, faults: list[str]) -> None:
    text = gpu_pool(f"topology: {{numa: {{policy: single-numa-node, nodes: {count}}}}}")
    assert codes(findings(topology_levels.check, text)) == faults


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("example.com/pool", "is one that the pool's selector looks for"),
        ("a/rack", "is that of the topology level 'rack'"),
        ("gpupolicy.dev/pool", "is under the prefix of gpupolicy itself"),
        ("nvidia.com/mig.config", "is written or read by the GPU Operator"),
        ("nvidia.com/device-plugin.config", "is written or read by the GPU Operator"),
        ("nvidia.com/gpu.product", "is written or read by the GPU Operator"),
    ],
)
def test_a_label_with_two_writers(key: str, text: str) -> None:
    nodes = "{count: 4, selector: {example.com/pool: dev}}"
    (found,) = findings(node_labels.check, gpu_pool(RACKS + f"labels: {{{key}: x}}", nodes=nodes))
    assert found.code == "GP453"
    assert text in found.message
    assert found.part == "key"


@pytest.mark.parametrize(
    ("key", "code", "said"),
    [
        (
            "node.kubernetes.io/unschedulable",
            "GP467",
            "takes it off with the node's condition (kube",
        ),
        ("node.kubernetes.io/not-ready", "GP467", "node lifecycle controller"),
        ("node.kubernetes.io/out-of-service", "GP467", "its pods are deleted"),
        ("node.cloudprovider.kubernetes.io/uninitialized", "GP467", "cloud controller"),
        ("ToBeDeletedByClusterAutoscaler", "GP467", "cluster autoscaler"),
        ("karpenter.sh/disrupted", "GP467", "Karpenter"),
        ("node-role.kubernetes.io/gpu", "GP468", "under 'node-role.kubernetes.io', which belongs"),
        ("node.kubernetes.io/gpu", "GP468", "under 'node.kubernetes.io', which belongs"),
        ("k8s.io/gpu", "GP468", "under 'k8s.io', which belongs"),
        ("feature.node.kubernetes.io/gpu", None, ""),
        ("nvidia.com/gpu", None, ""),
        ("notkubernetes.io/gpu", None, ""),
        ("karpenter.sh/mine", None, ""),
    ],
)
def test_taints_of_others(key: str, code: str | None, said: str) -> None:
    text = gpu_pool(f"taints: [{{key: {key}, effect: NoSchedule}}]")
    found = findings(taints.check, text)
    assert codes(found) == ([code] if code else [])
    assert all(said in one.message and key in one.message for one in found)


@pytest.mark.parametrize(
    "key", ["kubernetes.io/hostname", "kubernetes.io/arch", "kubernetes.io/os"]
)
def test_labels_that_the_kubelet_writes(key: str) -> None:
    (found,) = findings(node_labels.check, gpu_pool(f"labels: {{{key}: x}}"))
    assert found.code == "GP453"
    assert "is written by the kubelet at every start" in found.message


@pytest.mark.parametrize(
    ("key", "proposed"),
    [
        ("node-role.kubernetes.io/gpu", "example.com/gpu"),
        ("topology.kubernetes.io/rack", "example.com/rack"),
        ("node.k8s.io/x", "example.com/x"),
    ],
)
def test_a_032_reserved_label_prefixes(key: str, proposed: str) -> None:
    (found,) = findings(node_labels.check, gpu_pool(f'labels: {{{key}: "1"}}'))
    assert (found.code, found.severity) == ("GP454", Severity.WARNING)
    assert "new nodes lack it" in found.message
    assert proposed in (found.hint or "")


@pytest.mark.parametrize(
    "key", ["example.com/rack", "team", "feature.node.kubernetes.io/x", "mykubernetes.io/x"]
)
def test_a_032_own_prefixes_are_accepted(key: str) -> None:
    assert findings(node_labels.check, gpu_pool(f'labels: {{{key}: "1"}}')) == []


def test_a_taint_stands_once() -> None:
    two = "[{key: a/b, value: x, effect: NoSchedule}, {key: a/b, value: y, effect: NoSchedule}]"
    (found,) = findings(taints.check, gpu_pool(f"taints: {two}"))
    assert found.code == "GP455"
    other = two.replace("value: y, effect: NoSchedule", "value: y, effect: NoExecute")
    assert findings(taints.check, gpu_pool(f"taints: {other}")) == []


@pytest.mark.parametrize(("count", "faults"), [(8, []), (9, ["GP456"])])
def test_a_flavor_tolerates_eight_taints(count: int, faults: list[str]) -> None:
    rows = ", ".join(f"{{key: a/t{i}, effect: NoSchedule}}" for i in range(count))
    assert codes(findings(taints.check, gpu_pool(f"taints: [{rows}]"))) == faults
    soft = gpu_pool(f"taints: [{rows}]".replace("NoSchedule", "PreferNoSchedule"))
    assert findings(taints.check, soft) == []


TAINTED = """
nodePools:
- name: notebooks
  gpu: T4
  nodes: 2
  gpusPerNode: 4
  taints: [{key: notebook, value: "true", effect: %s}]
- {name: train, gpu: A10, nodes: 1, gpusPerNode: 1}
tenants:
- {name: team, namespaces: [team], quotas: [%s]}
"""


@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_a_tainted_pool_that_nobody_tolerates(effect: str) -> None:
    (found,) = findings(taints.check, TAINTED % (effect, "{pool: train, guaranteed: 1}"))
    assert (found.code, found.severity) == ("GP457", Severity.ERROR)
    assert f"pool 'notebooks' is tainted (notebook=true:{effect})" in found.message
    assert "2 nodes would stay empty" in found.message
    assert "give 'team' a quota, {pool: notebooks, guaranteed: 0}" in (found.hint or "")


@pytest.mark.parametrize(
    ("effect", "quota"),
    [
        ("NoSchedule", "{pool: notebooks, guaranteed: 0}"),
        ("PreferNoSchedule", "{pool: train, guaranteed: 1}"),
        # The misspelt quota is the cause, and is reported where it stands.
        ("NoSchedule", "{pool: notebook, guaranteed: 0}"),
    ],
)
def test_a_tainted_pool_that_somebody_tolerates(effect: str, quota: str) -> None:
    assert findings(taints.check, TAINTED % (effect, quota)) == []


def test_a_quota_of_a_parent_lets_nobody_in() -> None:
    text = TAINTED % ("NoSchedule", "{pool: train, guaranteed: 1}")
    text += "- {name: top, quotas: [{pool: notebooks, guaranteed: 8}]}\n"
    text += "- {name: a, parent: top, namespaces: [a], quotas: [{pool: %s, guaranteed: 1}]}\n"
    assert codes(findings(taints.check, text % "train")) == ["GP457"]
    assert findings(taints.check, text % "notebooks") == []


def test_a_policy_without_tenants_says_nothing_of_who_comes_in() -> None:
    text = TAINTED.split("tenants:")[0] % "NoSchedule"
    assert findings(taints.check, text) == []


@pytest.mark.parametrize(
    ("amounts", "faults"),
    [
        ("cpu: 8, memory: 64Gi, ephemeral-storage: 1Ti, rdma/ib: 8", []),
        ("nvidia.com/gpu: 8, ephemeral-storage: 1Ti", ["GP458"]),
        ("nvidia.com/gpu.shared: 8, ephemeral-storage: 1Ti", ["GP458"]),
        ("nvidia.com/mig-1g.10gb: 8, ephemeral-storage: 1Ti", ["GP458"]),
        ("rdma/ib: 0, ephemeral-storage: 1Ti", ["GP458"]),
        ("cpu: 100u, memory: 1Gi, ephemeral-storage: 1Ti", ["GP458"]),
        ("rdma/ib: 1500m, ephemeral-storage: 1Ti", ["GP458"]),
        ("cpu: 8, memory: 64Gi", []),
    ],
)
def test_what_a_node_has(amounts: str, faults: list[str]) -> None:
    assert codes(findings(allocatables.check, gpu_pool(f"allocatable: {{{amounts}}}"))) == faults


def test_missing_storage_is_said_once_for_all_pools_that_lack_what_one_declares() -> None:
    row = "{name: %s, gpu: %s, nodes: 1, gpusPerNode: 1, allocatable: {cpu: 8, memory: 8Gi%s}}"
    bare = f"{row % ('a', 'A10', '')}, {row % ('b', 'T4', '')}"
    declares = row % ("c", "L4", ", ephemeral-storage: 1Ti")
    (found,) = findings(allocatables.check, f"nodePools: [{bare}, {declares}]")
    assert (found.code, found.severity) == ("GP459", Severity.WARNING)
    assert "pools 'a' and 'b'" in found.message
    assert findings(allocatables.check, f"nodePools: [{bare}]") == []
    without_kueue = f'platform: {{kubernetes: "1.34"}}\nnodePools: [{bare}, {declares}]'
    assert findings(allocatables.check, without_kueue) == []


def test_cpu_without_memory_is_a_note() -> None:
    text = gpu_pool("allocatable: {cpu: 8, ephemeral-storage: 1Ti}")
    (found,) = findings(allocatables.check, text)
    assert (found.code, found.severity) == ("GP459", Severity.NOTE)
    assert "lacks 'memory', which is then not limited" in found.message


def test_a_pool_without_allocatable_says_nothing() -> None:
    assert findings(allocatables.check, gpu_pool("")) == []


@pytest.mark.parametrize(
    ("resource", "hint"),
    [
        ("CPU", "did you mean 'cpu'?"),
        ("Memory", "did you mean 'memory'?"),
        ("ephemeral_storage", "did you mean 'ephemeral-storage'?"),
        ("ib", "write its whole name, such as rdma/ib"),
        ("requests.example.com/x", "write its whole name, such as rdma/ib"),
    ],
)
def test_resources_that_no_pod_can_request(resource: str, hint: str) -> None:
    text = gpu_pool(f"allocatable: {{{resource}: 8}}")
    (found,) = findings(allocatables.check, text, "GP458")
    assert found.message == f"pool 'dev': no pod can request '{resource}'"
    assert found.hint == hint


@pytest.mark.parametrize(
    ("resource", "hint"),
    [
        ("hugepages-x", "write hugepages-2Mi, hugepages-1Gi or the like"),
        ("hugepages", "write hugepages-2Mi, hugepages-1Gi or the like"),
        ("hugepages-3Mi", "write hugepages-2Mi, hugepages-1Gi or the like"),
        ("hugepages-2M", "write hugepages-2Mi, hugepages-1Gi or the like"),
        ("hugepages-2048Ki", "did you mean 'hugepages-2Mi'?"),
        ("hugepages-2MiB", "did you mean 'hugepages-2Mi'?"),
        ("Hugepages-1Gi", "did you mean 'hugepages-1Gi'?"),
        ("hugepages_1gi", "did you mean 'hugepages-1Gi'?"),
    ],
)
def test_huge_pages_of_no_size(resource: str, hint: str) -> None:
    text = gpu_pool(f"allocatable: {{{resource}: 8Gi}}")
    (found,) = findings(allocatables.check, text, "GP458")
    assert found.message == f"pool 'dev': no pod can request '{resource}'"
    assert found.hint == hint


@pytest.mark.parametrize(
    ("amount", "hint"),
    [
        ("hugepages-2Mi: 3Mi", "write 4Mi"),
        ("hugepages-1Gi: 1500Mi", "write 2Gi"),
        ("cpu: 64Gi", "write a number of cores"),
        ("memory: 1900", "write 1900Mi or 1900Gi"),
        ("memory: 1900000000000m", "write 1900M"),
        ("rdma/ib: 500m", "write 1"),
    ],
)
def test_amounts_that_are_not_meant(amount: str, hint: str) -> None:
    (found,) = findings(allocatables.check, gpu_pool(f"allocatable: {{{amount}}}"), "GP458")
    assert found.hint == hint


def test_resources_that_pods_request() -> None:
    names = ("cpu", "memory", "ephemeral-storage", "pods", "hugepages-1Gi", "kubernetes.io/batch")
    amounts = ", ".join(f"{name}: {'8k' if name == 'cpu' else '8Gi'}" for name in names)
    assert findings(allocatables.check, gpu_pool(f"allocatable: {{{amounts}}}"), "GP458") == []


@pytest.mark.parametrize(
    ("nodes", "amount", "fits"),
    [("8", "1E", False), ("8", "1P", True), ("10", "900P", False)],
)
def test_cpu_of_all_nodes_is_a_number_that_kubernetes_holds(
    nodes: str, amount: str, fits: bool
) -> None:
    text = gpu_pool(f"allocatable: {{cpu: {amount}}}", nodes=nodes)
    found = findings(allocatables.check, text, "GP458")
    assert codes(found) == ([] if fits else ["GP458"])


@pytest.mark.parametrize(
    ("gpu", "key"),
    [
        ("{name: X, resource: example.com/gpu, memory: 0}", "memory"),
        ("{name: X, resource: requests.example.com/gpu, memory: 1Gi}", "resource"),
        ("{name: X, resource: a.kubernetes.io/gpu, memory: 1Gi}", "resource"),
    ],
)
def test_descriptions_that_are_no_gpu(gpu: str, key: str) -> None:
    pool = f"nodePools: [{{name: p, gpu: {gpu}, nodes: 1, gpusPerNode: 1}}]"
    (found,) = findings(gpu_models.check, pool)
    assert (found.code, found.path[-1]) == ("GP442", key)


@pytest.mark.parametrize("name", ['""', '"a, b: {"', '"' + "x" * 100 + '"'])
def test_the_description_that_the_hint_proposes_is_yaml(name: str) -> None:
    text = f"nodePools: [{{name: p, gpu: {name}, nodes: 1, gpusPerNode: 1}}]"
    (found,) = findings(gpu_models.check, text)
    assert "gpu: {name: <name>, resource: <vendor>/gpu" in (found.hint or "")


def test_many_names_take_no_more_than_their_number() -> None:
    # Compared one with another these would take a minute.
    names = ", ".join(f"n{i}" for i in range(60_000))
    started = time.process_time()
    found = findings(node_sets.check, gpu_pool("", nodes=f"{{names: [{names}, n0]}}"), "GP445")
    assert [one.path[-1] for one in found] == [60_000]
    assert time.process_time() - started < 20
