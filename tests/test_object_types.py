"""Every object survives the Go types of the project that reads it: nothing is lost, nothing added.

Kubernetes 1.36, Kueue v0.19.2 (v1beta1, v1beta2), Volcano's apis v1.14.0, prometheus-operator
v0.93.0 and Node Feature Discovery v0.19.0 decode the objects strictly and write them again. A CRD
only says what may be there; these types say what is read. The operator's ClusterPolicy is held to
its chart, in `test_charts.py`.
"""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.read import read_sources
from gpupolicy.manifest.canonical import dump
from tests.blueprints import ALL
from tests.conftest import ROOT
from tests.conftest import Tool
from tests.generated import generated

pytestmark = pytest.mark.tools
Data = dict[str, Any]
# (group and version, kind) that must have been among the objects.
KINDS = {
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"),
    ("kueue.x-k8s.io/v1beta1", "ClusterQueue"),
    ("kueue.x-k8s.io/v1beta1", "Cohort"),
    ("kueue.x-k8s.io/v1beta1", "LocalQueue"),
    ("kueue.x-k8s.io/v1beta1", "ResourceFlavor"),
    ("kueue.x-k8s.io/v1beta1", "Topology"),
    ("kueue.x-k8s.io/v1beta1", "WorkloadPriorityClass"),
    ("kueue.x-k8s.io/v1beta2", "ClusterQueue"),
    ("kueue.x-k8s.io/v1beta2", "Cohort"),
    ("kueue.x-k8s.io/v1beta2", "LocalQueue"),
    ("kueue.x-k8s.io/v1beta2", "ResourceFlavor"),
    ("kueue.x-k8s.io/v1beta2", "Topology"),
    ("kueue.x-k8s.io/v1beta2", "WorkloadPriorityClass"),
    ("monitoring.coreos.com/v1", "PrometheusRule"),
    ("monitoring.coreos.com/v1", "ServiceMonitor"),
    ("monitoring.coreos.com/v1alpha1", "AlertmanagerConfig"),
    ("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule"),
    ("policy/v1", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
    ("scheduling.k8s.io/v1", "PriorityClass"),
    ("scheduling.volcano.sh/v1beta1", "Queue"),
    ("v1", "ConfigMap"),
    ("v1", "Namespace"),
    ("v1", "ResourceQuota"),
}


@functools.cache
def _objects() -> tuple[Data, ...]:
    """Give every object of the output trees, the bed's policies and 200 generated ones."""
    found = [one for blueprint in ALL for one in blueprint.objects().values()]
    made = [one.made for one in generated(200)]
    made += [
        compile_policy(read_sources([str(path)]), today="2026-01-01")
        for path in sorted((ROOT / "tests" / "testbed" / "policies").glob("*.yaml"))
    ]
    for one in made:
        assert one.bundle is not None
        found += [dict(manifest.data) for manifest in one.bundle.manifests]
    return tuple(found)


def _outcomes(
    objects: Iterable[Data], tool: Callable[[str], Tool], folder: Path
) -> list[dict[str, Any]]:
    paths = []
    for place, one in enumerate(objects):
        paths.append(folder / f"{place}.yaml")
        paths[-1].write_text(dump(one), encoding="utf-8")
    outcomes = json.loads(tool("object-types").run(*paths))
    assert [one["file"] for one in outcomes] == list(map(str, paths))
    return list(outcomes)


def _differences(outcome: Data) -> list[str]:
    if "error" in outcome:
        return [str(outcome["error"])]
    return [*outcome["lost"], *outcome["added"]]


def test_every_object_comes_back_as_it_was(tool: Callable[[str], Tool], tmp_path: Path) -> None:
    # Policies share many objects; each is asked about once.
    distinct = {dump(one): one for one in _objects()}
    outcomes = _outcomes(distinct.values(), tool, tmp_path)
    wrong = {
        one["metadata"]["name"]: _differences(outcome)
        for one, outcome in zip(distinct.values(), outcomes, strict=True)
        if _differences(outcome)
    }
    assert wrong == {}


def test_every_kind_was_asked_about() -> None:
    there = {(one["apiVersion"], one["kind"]) for one in _objects()}
    assert there - {("nvidia.com/v1", "ClusterPolicy")} == KINDS


def _spoil(one: Data, path: str, value: Any) -> Data:
    made = copy.deepcopy(one)
    at: Any = made
    *before, last = path.split(".")
    for key in before:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[last] = value
    return made


# Kind, what is written, and the word by which the types notice.
FAULTS: tuple[tuple[str, str, Any, str], ...] = (
    ("ClusterQueue", "spec.cohort", "a", 'unknown field "spec.cohort"'),
    ("ClusterQueue", "spec.preemption.withinClusterQueues", "Never", "unknown field"),
    ("LocalQueue", "spec.clusterQueue", 7, "cannot unmarshal number"),
    ("PrometheusRule", "spec.groups.0.intervall", "30s", "unknown field"),
    ("ServiceMonitor", "spec.endpoints.0.intervall", "30s", "unknown field"),
    ("Queue", "spec.guarantees", {}, "unknown field"),
    ("NodeFeatureRule", "spec.rules.0.taint", [], "unknown field"),
    ("PriorityClass", "value", 1.5, "cannot"),
    ("ResourceQuota", "spec.hard.pods", 10, "spec.hard.pods: 10 became 10"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: f"{one[0]}-{one[1]}")
def test_a_fault_is_seen(
    fault: tuple[str, str, Any, str], tool: Callable[[str], Tool], tmp_path: Path
) -> None:
    kind, path, value, word = fault
    newest = [one for one in _objects() if one["kind"] == kind and "beta1" not in one["apiVersion"]]
    good = (newest or [one for one in _objects() if one["kind"] == kind])[0]
    right, wrong = _outcomes((good, _spoil(good, path, value)), tool, tmp_path)
    assert _differences(right) == []
    assert word in " ".join(_differences(wrong))
