"""The checker of objects can fail: one sound object a kind, and what is found when it is spoilt."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import pytest

from tests import schema_check
from tests.schema_check import UPSTREAM
from tests.schema_check import validate_object

Object = dict[str, Any]


def _object(api: str, kind: str, namespace: str | None = None, **fields: Any) -> Object:
    metadata = {"name": "a"} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}


_CELL = {"name": "nvidia.com/gpu", "nominalQuota": "4"}
_GROUP = {"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": "a", "resources": [_CELL]}]}
_RULE = {"expr": "up == 0", "alert": "Down", "for": "5m"}
_KUEUE = "kueue.x-k8s.io/v1beta2"
_MONITORING = "monitoring.coreos.com/v1"
_RBAC = "rbac.authorization.k8s.io"
SOUND = (
    _object("v1", "Namespace"),
    _object("v1", "ConfigMap", "a", data={"a": "b"}),
    _object("v1", "ResourceQuota", "a", spec={"hard": {"requests.nvidia.com/gpu": "4"}}),
    _object(
        f"{_RBAC}/v1",
        "RoleBinding",
        "a",
        roleRef={"apiGroup": _RBAC, "kind": "ClusterRole", "name": "edit"},
        subjects=[{"apiGroup": _RBAC, "kind": "Group", "name": "a"}],
    ),
    _object("scheduling.k8s.io/v1", "PriorityClass", value=10, preemptionPolicy="Never"),
    _object(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicy",
        spec={"failurePolicy": "Fail", "validations": [{"expression": "true"}]},
    ),
    _object(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicyBinding",
        spec={"policyName": "a", "validationActions": ["Deny"]},
    ),
    _object(
        _KUEUE, "ClusterQueue", spec={"queueingStrategy": "StrictFIFO", "resourceGroups": [_GROUP]}
    ),
    _object(_KUEUE, "Cohort", spec={"parentName": "b", "resourceGroups": [_GROUP]}),
    _object(_KUEUE, "LocalQueue", "a", spec={"clusterQueue": "a", "stopPolicy": "None"}),
    _object(
        _KUEUE,
        "ResourceFlavor",
        spec={"nodeTaints": [{"key": "a", "value": "b", "effect": "NoSchedule"}]},
    ),
    _object(_KUEUE, "Topology", spec={"levels": [{"nodeLabel": "kubernetes.io/hostname"}]}),
    _object(_KUEUE, "WorkloadPriorityClass", value=10),
    _object(
        "scheduling.volcano.sh/v1beta1",
        "Queue",
        spec={"weight": 1, "reclaimable": True, "guarantee": {"resource": {"nvidia.com/gpu": "4"}}},
    ),
    _object("scheduling.volcano.sh/v1beta1", "PodGroup", "a", spec={"minMember": 2}),
    _object("scheduling.run.ai/v2", "Queue", spec={"resources": {"gpu": {"quota": 4}}}),
    _object("kai.scheduler/v1", "SchedulingShard", spec={"partitionLabelValue": "a"}),
    _object(
        "nfd.k8s-sigs.io/v1alpha1",
        "NodeFeatureRule",
        spec={
            "rules": [{"name": "a", "labels": {"a": "b"}, "matchFeatures": [{"feature": "pci"}]}]
        },
    ),
    _object("nvidia.com/v1alpha1", "NVIDIADriver", spec={"driverType": "gpu", "image": "a"}),
    _object(_MONITORING, "PrometheusRule", "a", spec={"groups": [{"name": "a", "rules": [_RULE]}]}),
    _object(
        _MONITORING,
        "ServiceMonitor",
        "a",
        spec={"selector": {}, "endpoints": [{"port": "metrics", "interval": "30s"}]},
    ),
    _object(
        "monitoring.coreos.com/v1alpha1",
        "AlertmanagerConfig",
        "a",
        spec={"receivers": [{"name": "a"}], "route": {"receiver": "a", "groupWait": "30s"}},
    ),
)


@pytest.mark.parametrize("sound", SOUND, ids=lambda one: f"{one['apiVersion']}-{one['kind']}")
class TestEachKind:
    def test_is_sound(self, sound: Object) -> None:
        assert validate_object(sound, {}) == []

    def test_an_unknown_field_is_found(self, sound: Object) -> None:
        assert validate_object({**sound, "sepc": {}}, {}) != []

    def test_an_unknown_field_below_is_found(self, sound: Object) -> None:
        if "spec" in sound:
            assert validate_object({**sound, "spec": {**sound["spec"], "querty": 1}}, {}) != []

    def test_a_missing_name_is_found(self, sound: Object) -> None:
        spoilt = {**sound, "metadata": {"nmae": "a"}}
        assert validate_object(spoilt, {}) != []

    def test_a_wrong_type_is_found(self, sound: Object) -> None:
        key = (
            next(key for key in sound if key not in ("apiVersion", "kind", "metadata"))
            if (len(sound) > 3)
            else "metadata"
        )
        assert validate_object({**sound, key: "a text"}, {}) != []

    def test_an_unknown_version_is_found(self, sound: Object) -> None:
        group, _, _ = sound["apiVersion"].rpartition("/")
        spoilt = {**sound, "apiVersion": f"{group}/v9" if group else "v9"}
        assert validate_object(spoilt, {}) != []


def _spoil(kind: str, path: str, value: Any) -> Object:
    """Give the sound object of a kind with one value replaced; a missing value is taken out."""
    spoilt = copy.deepcopy(next(one for one in SOUND if one["kind"] == kind))
    *way, last = path.split(".")
    at: Any = spoilt
    for step in way:
        at = at[int(step)] if isinstance(at, list) else at[step]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return spoilt


WRONG: tuple[tuple[str, str, Any, str], ...] = (
    ("ClusterQueue", "spec.queueingStrategy", "FIFO", "is not one of"),
    ("ClusterQueue", "spec.resourceGroups.0.flavors.0.resources.0.nominalQuota", "4 GPUs", "match"),
    ("ClusterQueue", "spec.resourceGroups.0.flavors.0.resources.0.nominalQuota", None, "required"),
    ("ClusterQueue", "spec.resourceGroups.0.flavors.0.resources.0.quota", 4, "unexpected"),
    ("ClusterQueue", "spec.resourceGroups.0.flavors", [], "should be non-empty"),
    ("ClusterQueue", "spec.resourceGroups", [_GROUP] * 17, "is too long"),
    ("ClusterQueue", "metadata.namespace", "a", "of the whole cluster"),
    ("Cohort", "spec.cohort", "b", "unexpected"),
    ("Cohort", "spec.parentName", "NOT A NAME", "does not match"),
    ("LocalQueue", "metadata.namespace", None, "is required"),
    ("LocalQueue", "spec.clusterQueue", 4, "is not of type"),
    ("LocalQueue", "spec.stopPolicy", "Stop", "is not one of"),
    ("ResourceFlavor", "spec.nodeTaints.0.effect", None, "required"),
    ("Topology", "spec.levels", [], "should be non-empty"),
    ("Topology", "spec.levels", None, "required"),
    ("WorkloadPriorityClass", "value", None, "required"),
    ("WorkloadPriorityClass", "value", 2**31, "int32"),
    ("NodeFeatureRule", "spec.rules.0.matchFeatures.0.feature", None, "required"),
    ("NodeFeatureRule", "spec.rules.0.matchFeatures.0.matchName", {"op": "Is"}, "is not one of"),
    ("PrometheusRule", "spec.groups.0.rules.0.expr", None, "required"),
    ("PrometheusRule", "spec.groups.0.rules.0.for", "5 minutes", "does not match"),
    ("PrometheusRule", "spec.groups.0.rules.0.labels", {"severity": 1}, "is not of type"),
    ("PrometheusRule", "spec.groups", [{"name": "a"}, {"name": "a"}], "stands twice"),
    ("ServiceMonitor", "spec.endpoints.0.interval", "30", "does not match"),
    ("AlertmanagerConfig", "spec.route.groupWait", "30 s", "does not match"),
    ("PodGroup", "spec.minMember", "two", "is not of type"),
    ("PriorityClass", "preemptionPolicy", 1, "is not of type"),
    ("PriorityClass", "value", "10", "is not of type"),
    ("ResourceQuota", "spec.hard", ["pods"], "is not of type"),
    ("RoleBinding", "roleRef", None, "required"),
    ("RoleBinding", "subjects.0.nmae", "a", "unexpected"),
    ("ConfigMap", "data", {"a": 1}, "is not of type"),
    ("Namespace", "metadata.labels", {"a": True}, "is not of type"),
    ("ValidatingAdmissionPolicy", "spec.validations.0.expression", None, "required"),
    ("ValidatingAdmissionPolicyBinding", "spec.validationAction", ["Deny"], "unexpected"),
)


@pytest.mark.parametrize(("kind", "path", "value", "said"), WRONG)
def test_finds_what_is_wrong(kind: str, path: str, value: Any, said: str) -> None:
    found = validate_object(_spoil(kind, path, value), {})
    assert any(said in line for line in found), found


def test_versions_decide_what_is_known() -> None:
    old = _object("kueue.x-k8s.io/v1beta1", "ClusterQueue", spec={"cohort": "a"})
    new = _object("kueue.x-k8s.io/v1beta2", "ClusterQueue", spec={"cohortName": "a"})
    assert validate_object(old, {"kueue": "0.14"}) == []
    assert validate_object(new, {"kueue": "0.14"}) != []
    assert validate_object(new, {"kueue": "0.19"}) == []
    assert validate_object({**new, "spec": old["spec"]}, {"kueue": "0.19"}) != []


def test_an_older_kubernetes_lacks_admission_policies() -> None:
    policy = next(one for one in SOUND if one["kind"] == "ValidatingAdmissionPolicy")
    assert validate_object(policy, {"kubernetes": "1.29"}) != []
    assert validate_object(policy, {"kubernetes": "1.30"}) == []


def test_sources_and_files_agree() -> None:
    sources = {row["file"]: row for row in json.loads((UPSTREAM / "SOURCES.json").read_text())}
    files = {path.relative_to(UPSTREAM).as_posix(): path for path in UPSTREAM.glob("*/*/*.json")}
    assert sorted(sources) == sorted(files)
    for name, path in files.items():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == sources[name]["sha256"], name


def test_files_hold_facts_and_no_prose() -> None:
    for path in UPSTREAM.glob("*/*/*.json"):
        for schema in json.loads(path.read_text())["versions"].values():
            assert list(_prose(schema["schema"])) == [], path


def _prose(schema: Any) -> Any:
    """Give the keys of a schema that are for people, and messages of rules."""
    yield from (key for key in ("description", "title", "example", "message") if key in schema)
    yield from (
        rule for rule in schema.get("x-kubernetes-validations", []) if set(rule) != {"rule"}
    )
    for below in schema.get("properties", {}).values():
        yield from _prose(below)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _prose(schema[key])


def test_every_component_has_its_newest_version() -> None:
    kept = schema_check.components()
    assert kept["kueue"][-1] == "0.19"
    assert kept["volcano"][-1] == "1.15"
    assert kept["gpu-operator"][-1] == "26.7"
