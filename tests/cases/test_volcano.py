"""Volcano as holder of quota: queues, and the scheduler that must read them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import yaml

from gpupolicy.quantity import parse
from tests.cases.outcome import Object
from tests.cases.outcome import Outcome
from tests.cases.outcome import accepted
from tests.cases.outcome import compiled
from tests.cases.outcome import refused

_PLATFORM = '{kubernetes: "1.34", gpuOperator: {version: "26.7"}, volcano: {version: "1.14"}}'
_TREE = """
          - name: org
            quotas: [{pool: train, guaranteed: 12, limit: 14, lend: 6}]
          - name: a
            parent: org
            namespaces: [team-a]
            quotas: [{pool: train, guaranteed: 8, limit: 12, lend: 4}]
          - {name: b, parent: org, namespaces: [team-b], quotas: [{pool: train, guaranteed: 2}]}
          - {name: c, namespaces: [team-c], quotas: [{pool: train, guaranteed: 0, limit: 8}]}
"""
_BORROWERS = """
          - name: a
            namespaces: [team-a]
            quotas: [{pool: train, guaranteed: 8, limit: 12, lend: 4}]
          - {name: b, namespaces: [team-b], quotas: [{pool: train, guaranteed: 4}]}
          - {name: c, namespaces: [team-c], quotas: [{pool: train, guaranteed: 0, limit: 8}]}
"""


def cluster(tenants: str, platform: str = _PLATFORM) -> str:
    return f"""
        platform: {platform}
        nodePools:
          - name: train
            gpu: H100-SXM5-80GB
            nodes: 2
            gpusPerNode: 8
            allocatable: {{cpu: "120", memory: 960Gi, ephemeral-storage: 3Ti}}
        tenants:
          {tenants.strip()}
    """


def scheduler(outcome: Outcome) -> Any:
    values = outcome.file("volcano-values.yaml")
    return yaml.safe_load(values["custom"]["scheduler_config_override"])


def plugins(outcome: Outcome) -> list[str]:
    return [plugin["name"] for tier in scheduler(outcome)["tiers"] for plugin in tier["plugins"]]


@pytest.mark.parametrize("tenants", [_TREE, _BORROWERS])
def test_a_048_what_is_deserved_is_read(tenants: str) -> None:
    outcome = compiled(cluster(tenants))
    assert any("deserved" in one["spec"] for one in outcome.objects("Queue"))
    assert "capacity" in plugins(outcome)
    assert "proportion" not in plugins(outcome)


def test_a_048_behind_kueue_nothing_is_deserved() -> None:
    platform = f'{_PLATFORM[:-1]}, kueue: {{version: "0.19"}}}}'
    outcome = compiled(cluster(_BORROWERS, platform))
    assert outcome.objects("Queue") == []
    assert {"capacity", "proportion"} & set(plugins(outcome)) == set()


def test_a_049_what_is_guaranteed_is_taken_back() -> None:
    outcome = compiled(cluster(_BORROWERS))
    actions = [action.strip() for action in scheduler(outcome)["actions"].split(",")]
    assert "reclaim" in actions
    assert [one["spec"]["reclaimable"] for one in outcome.objects("Queue")] == [True, True, True]


@pytest.mark.parametrize("platform", [_PLATFORM, '{kubernetes: "1.34", kueue: {version: "0.19"}}'])
def test_a_050_a_guarantee_above_the_cap(platform: str) -> None:
    tenants = "- {name: a, namespaces: [a], quotas: [{pool: train, guaranteed: 8, limit: «4»}]}"
    finding = refused(cluster(tenants, platform), "GP426")
    finding.says("limit 4", "guaranteed 8", "a", "train")


def _amount(queue: Object, field: str, resource: str) -> Fraction | None:
    held = queue["spec"].get(field) or {}
    held = held.get("resource", {}) if field == "guarantee" else held
    return parse(held[resource]) if resource in held else None


@pytest.mark.parametrize("tenants", [_TREE, _BORROWERS])
def test_a_050_guarantee_deserved_and_cap_are_in_order(tenants: str) -> None:
    queues = compiled(cluster(tenants)).objects("Queue")
    compared = 0
    for queue in queues:
        for resource in ("cpu", "memory", "ephemeral-storage", "nvidia.com/gpu"):
            guarantee, deserved, cap = (
                _amount(queue, field, resource) for field in ("guarantee", "deserved", "capability")
            )
            if guarantee is not None:
                assert deserved is not None
                assert guarantee <= deserved
                compared += 1
            if deserved is not None and cap is not None:
                assert deserved <= cap
                compared += 1
    assert compared >= 8


def _gang(gang: str, pods: str, platform: str) -> str:
    tenants = f"""
          - name: a
            namespaces: [team-a]
            quotas: [{{pool: train, guaranteed: 8}}]
            workloads:
              - {{name: pretrain, pool: train, pods: {pods}, gang: {gang}}}
    """
    return cluster(tenants, platform)


_BOTH = f'{_PLATFORM[:-1]}, kueue: {{version: "0.19"}}}}'


@pytest.mark.parametrize("platform", [_PLATFORM, _BOTH])
def test_a_051_a_gang_larger_than_the_job(platform: str) -> None:
    refused(_gang("«8»", "4", platform), "GP622").says("gang 8", "4 pods", "pretrain").helps("4")


@pytest.mark.parametrize("platform", [_PLATFORM, _BOTH])
def test_a_051_a_gang_as_large_as_the_job(platform: str) -> None:
    # That Volcano takes devices back pod by pod is about guarantees, not about the gang's size.
    accepted(_gang("4", "4", platform), "GP543")
