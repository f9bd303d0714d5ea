"""One cause gives one finding, whatever stands on top of it: quotas, workloads, gangs."""

from __future__ import annotations

import pytest

from gpupolicy.diagnostics.model import Severity
from tests.cases.outcome import compile_text
from tests.cases.outcome import policy

_ROOM = 'allocatable: {cpu: "120", memory: 960Gi, ephemeral-storage: 3Ti}'
_WORK = "{name: w, pool: train, pods: 2, gpuMemory: 10Gi, gang: true}"
_A10 = "gpu: A10, nodes: 2, gpusPerNode: 4"
_A100 = "gpu: A100-SXM4-80GB, nodes: 2, gpusPerNode: 8"
_L40S = "gpu: L40S, nodes: 2, gpusPerNode: 8"


def spec(pool: str, quotas: str, work: str) -> str:
    return f"""
        nodePools:
          - {{name: train, {pool}, {_ROOM}}}
        tenants:
          - name: a
            namespaces: [a]
            quotas: [{quotas}]
            workloads: [{work}]
    """


def slices(profile: str, memory: str = "4Gi") -> tuple[str, str]:
    quota = f"{{pool: train, device: {profile}, guaranteed: 8}}"
    return quota, f"{{name: w, pool: train, device: {profile}, gpuMemory: {memory}}}"


_EIGHT = "{pool: train, guaranteed: 8}"
_CASES = {
    "unknown GPU": ("GP440", "gpu: H100-SMX5-80GB, nodes: 2, gpusPerNode: 8", _EIGHT, _WORK),
    "unknown GPU, cut": (
        "GP440",
        "gpu: H100-SMX5-80GB, nodes: 2, gpusPerNode: 8, sharing: {mig: {1g.10gb: 7}}",
        *slices("1g.10gb"),
    ),
    "ambiguous GPU, cut": (
        "GP441",
        "gpu: A100, nodes: 2, gpusPerNode: 8, sharing: {mig: {1g.10gb: 7}}",
        *slices("1g.10gb"),
    ),
    "unknown profile": ("GP201", f"{_A100}, sharing: {{mig: {{1g.5gb: 7}}}}", *slices("1g.5gb")),
    "impossible layout": (
        "GP203",
        f"{_A100}, sharing: {{mig: {{3g.40gb: 2, 1g.10gb: 1}}}}",
        *slices("3g.40gb", "38Gi"),
    ),
    "no MIG": ("GP200", f"{_L40S}, sharing: {{mig: {{1g.10gb: 7}}}}", *slices("1g.10gb")),
    "single over unequal slices": (
        "GP206",
        f"{_A100}, sharing: {{mig: {{3g.40gb: 1, 1g.10gb: 4}}, migStrategy: single}}",
        "{pool: train, device: 1g.10gb, guaranteed: 8}, {pool: train, device: 3g.40gb}",
        "{name: w, pool: train, device: 3g.40gb, gpuMemory: 38Gi}",
    ),
    "index out of range": (
        "GP207",
        f"{_A100}, sharing: {{mig: [{{gpus: [0, 1, 2, 3, 4, 5, 6, 8], layout: {{1g.10gb: 7}}}}]}}",
        *slices("1g.10gb"),
    ),
    "two ways of sharing": (
        "GP301",
        f"{_L40S}, sharing: {{mps: 4, timeSlicing: 8}}",
        _EIGHT,
        "{name: w, pool: train, gpusPerPod: 2, gpuMemory: 40Gi}",
    ),
    "MPS on slices": (
        "GP307",
        f"{_A100}, sharing: {{mig: {{1g.10gb: 7}}, mps: 4}}",
        *slices("1g.10gb", "9Gi"),
    ),
    "MPS on a card that has none": (
        "GP309",
        "gpu: P100-PCIE-16GB, nodes: 2, gpusPerNode: 8, sharing: {mps: 16}",
        _EIGHT,
        "{name: w, pool: train, gpuMemory: 9Gi}",
    ),
    "replicas below one": ("GP305", f"{_A10}, sharing: {{timeSlicing: -4}}", _EIGHT, _WORK),
    "replicas of no slice": (
        "GP303",
        f"{_A10}, sharing: {{timeSlicing: {{1g.10gb: 2}}}}",
        _EIGHT,
        _WORK,
    ),
    "replicas of which slice": (
        "GP303",
        f"{_A100}, sharing: {{mig: {{1g.10gb: 7}}, timeSlicing: 2}}",
        *slices("1g.10gb"),
    ),
    "not ours to share": (
        "GP302",
        f"{_A100}, managed: false, sharing: {{timeSlicing: 4}}",
        _EIGHT,
        "{name: w, pool: train, gpusPerPod: 2, gpuMemory: 70Gi}",
    ),
    "no number of GPUs": ("GP443", "gpu: A10, nodes: 2", _EIGHT, _WORK),
    "no GPU": (
        "GP443",
        "nodes: {count: 2, names: [x, y]}, gpusPerNode: 4",
        "{pool: train, guaranteed: 8, limit: 8}",
        _WORK,
    ),
    "least above most": (
        "GP445",
        "gpu: A10, nodes: {min: 4, max: 1}, gpusPerNode: 4",
        _EIGHT,
        _WORK,
    ),
    "misspelt pool": ("GP414", _A10, "{pool: trian, guaranteed: 8}", _WORK),
    "a ceiling of nothing": (
        "GP634",
        _A10,
        "{pool: train, limit: 0}",
        "{name: w, pool: train}, {name: x, pool: train, pods: 2}",
    ),
    "limit below the guarantee": (
        "GP426",
        _A10,
        "{pool: train, guaranteed: 8, limit: 4}",
        "{name: w, pool: train, pods: 6, gang: true}",
    ),
    "more than there is": ("GP431", _A10, "{pool: train, guaranteed: 80}", _WORK),
    "a quota of GPUs on a CPU pool": (
        "GP429",
        "nodes: {count: 2, names: [x, y]}",
        _EIGHT,
        "{name: w, pool: train}",
    ),
    "too many vGPUs": (
        "GP332",
        "gpu: T4, nodes: 2, gpusPerNode: 4, sharing: {vgpu: {T4-1Q: 17}}",
        _EIGHT,
        _WORK,
    ),
    "a gang larger than the pool": (
        "GP633",
        _A10,
        _EIGHT,
        "{name: w, pool: train, pods: 16, gang: true}",
    ),
    "a pod larger than a node": ("GP632", _A10, _EIGHT, "{name: w, pool: train, gpusPerPod: 8}"),
    "a pod larger than a card": ("GP320", _A10, _EIGHT, "{name: w, pool: train, gpuMemory: 80Gi}"),
}


@pytest.mark.parametrize("head", ["apiVersion: gpupolicy.dev/v1beta1\n", ""])
def test_a_wrong_version_of_the_language_is_said_once(head: str) -> None:
    text = policy(spec(_A10, _EIGHT, _WORK))
    outcome = compile_text(head + text.partition("\n")[2])
    assert [one.code for one in outcome.found()] == ["GP024"], outcome.shown


def test_a_tenant_that_stands_twice_is_said_once() -> None:
    text = policy(spec(_A10, _EIGHT, _WORK))
    tenant = text[text.index("    - name: a\n") :]
    outcome = compile_text(text + tenant)
    assert [one.code for one in outcome.found()] == ["GP410"], outcome.shown


@pytest.mark.parametrize(("code", "pool", "quotas", "work"), _CASES.values(), ids=_CASES)
def test_one_cause_gives_one_finding(code: str, pool: str, quotas: str, work: str) -> None:
    outcome = compile_text(policy(spec(pool, quotas, work)))
    found = outcome.found(Severity.ERROR, Severity.WARNING)
    assert [one.code for one in found] == [code], outcome.shown


@pytest.mark.parametrize("nodes", ["0", "{min: 0, max: 0}", "{names: []}"])
def test_a_pool_without_nodes_is_said_once(nodes: str) -> None:
    outcome = compile_text(policy(spec(f"gpu: A10, nodes: {nodes}, gpusPerNode: 4", _EIGHT, "")))
    assert [one.code for one in outcome.found(Severity.ERROR, Severity.WARNING)] == ["GP446"]


def test_a_pool_of_as_many_nodes_at_most_as_at_least_is_not_autoscaled() -> None:
    pool = "gpu: A10, nodes: {min: 2, max: 2}, gpusPerNode: 4"
    outcome = compile_text(policy(spec(pool, _EIGHT, _WORK)))
    assert outcome.found(Severity.ERROR, Severity.WARNING) == [], outcome.shown
