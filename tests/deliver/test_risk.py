"""`deliver.risk`: one change of a policy, what it does to running work, and what is no risk."""

from __future__ import annotations

import pytest

from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.risk import Risk
from gpupolicy.deliver.risk import above
from gpupolicy.deliver.risk import risks
from gpupolicy.plan.model import Plan
from gpupolicy.source.load import SourceText

POLICY = """
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {name: one}
spec:
  platform:
    kubernetes: "1.34"
    gpuOperator: {version: "26.3"}
    kueue: {version: "0.17"}
  nodePools:
    - {name: cut, gpu: A100-SXM4-40GB, nodes: 4, gpusPerNode: 8, sharing: {mig: {1g.5gb: 7}}}
    - name: dev
      gpu: A10
      nodes: 3
      gpusPerNode: 2
      taints: [{key: example.com/dev, value: "yes", effect: NoSchedule}]
      sharing: {timeSlicing: 4}
  priorityClasses: [{name: high, value: 200}, {name: low, value: 100}]
  tenants:
    - name: red
      namespaces: [red, red-two]
      quotas: [{pool: cut, device: 1g.5gb, guaranteed: 100}, {pool: dev, guaranteed: 8, limit: 16}]
      workloads:
        - {name: train, pool: cut, device: 1g.5gb, pods: 1, gpuMemory: 2Gi, priorityClass: high}
    - {name: blue, namespaces: [blue], quotas: [{pool: dev, guaranteed: 4}]}
"""


def plan(text: str) -> Plan:
    compiled = compile_policy([SourceText("p.yaml", text.encode())])
    assert compiled.plan is not None, compiled.diagnostics
    return compiled.plan


def change(old: str, new: str) -> list[Risk]:
    assert POLICY.count(old) == 1
    return risks(plan(POLICY), plan(POLICY.replace(old, new)))


CASES = [
    ("{1g.5gb: 7}", "{1g.5gb: 5, 2g.10gb: 1}", "high", "pool cut", "MIG layout of 4 nodes"),
    ("timeSlicing: 4", "timeSlicing: 5", "medium", "pool dev", "device plugin restarts on 3 nodes"),
    ("timeSlicing: 4", "mps: 4, rename: false", "high", "pool dev", "pods that ask for it pend"),
    ("nodes: 4", "nodes: 3", "medium", "pool cut", "1 of 4 nodes"),
    ("effect: NoSchedule", "effect: NoExecute", "high", "pool dev", "evicts running pods"),
    ("effect: NoSchedule", "effect: NoExecute", "low", "pool dev", "NoSchedule goes"),
    ('value: "yes"', 'value: "no"', "medium", "pool dev", "=no:NoSchedule keeps new pods out"),
    ("guaranteed: 100", "guaranteed: 60", "medium", "tenant red", "100 -> 60: nothing is evicted"),
    ("guaranteed: 4", "guaranteed: 6", "medium", "tenant blue", "others that borrow there may be"),
    ("limit: 16", "limit: 12", "medium", "tenant red", "16 -> 12: nothing is evicted"),
    (", {pool: dev, guaranteed: 8, limit: 16}", "", "high", "tenant red", "no quota on gpu"),
    ("[red, red-two]", "[red]", "high", "tenant red", "namespace red-two loses its queue"),
    ("name: blue", "name: azure", "high", "tenant blue", "its queue goes"),
    ("value: 200", "value: 201", "high", "priority class high", "declared with it: red/train"),
    (
        ", {name: low, value: 100}",
        "",
        "high",
        "priority class low",
        "pods that name it are refused",
    ),
]


@pytest.mark.parametrize(("old", "new", "level", "subject", "effect"), CASES)
def test_a_change_says_what_it_does(
    old: str, new: str, level: str, subject: str, effect: str
) -> None:
    found = change(old, new)
    assert [
        one
        for one in found
        if (one.level, one.subject) == (level, subject) and effect in one.effect
    ], found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('kubernetes: "1.34"', 'kubernetes: "1.33"'),
        ("nodes: 4", "nodes: 5"),
        ("limit: 16", "limit: 20"),
        ("[blue]", "[blue, blue-two]"),
    ],
)
def test_what_takes_nothing_from_anybody_is_no_risk(old: str, new: str) -> None:
    assert change(old, new) == []


def test_the_worst_stands_first_and_a_level_leaves_out_what_it_allows() -> None:
    found = change("effect: NoSchedule", "effect: NoExecute")
    assert [one.level for one in found] == ["high", "low"]
    assert [one.level for one in above(found, "low")] == ["high"]
    assert above(found, "high") == []
