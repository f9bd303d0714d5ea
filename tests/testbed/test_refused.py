"""The bed can fail: a wrong manifest of every kind that is emitted is refused, for its own reason.

Each row takes a good object and spoils one thing of it.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import pytest

from gpupolicy.manifest.model import Bundle
from tests.blueprints import ALL
from tests.testbed.api import RefusedError
from tests.testbed.bed import Bed
from tests.testbed.bed import compiled
from tests.testbed.scenarios import HERE

Data = dict[str, Any]


def _namespace(one: Data) -> None:
    one["metadata"]["name"] = "Research"


def _priority_class(one: Data) -> None:
    one["value"] = 2_000_000_000


def _workload_priority_class(one: Data) -> None:
    one["value"] = "high"


def _config_map(one: Data) -> None:
    one["data"] = {"config.yaml": {"version": "v1"}}


def _node_feature_rule(one: Data) -> None:
    feature = one["spec"]["rules"][0]["matchFeatures"][0]
    next(iter(feature["matchExpressions"].values()))["op"] = "Within"


def _topology(one: Data) -> None:
    one["spec"]["levels"] = [
        {"nodeLabel": "kubernetes.io/hostname"},
        {"nodeLabel": "example.com/r"},
    ]


def _resource_flavor(one: Data) -> None:
    one["spec"]["tolerations"] = [{"key": "a", "operator": "Sometimes"}]


def _cohort(one: Data) -> None:
    one["spec"] = {"parent": "the-field-of-v1beta1"}


def _cluster_queue(one: Data) -> None:
    cell = one["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]
    cell["lendingLimit"] = "1000000"


def _local_queue(one: Data) -> None:
    one["spec"]["clusterQueue"] = "Not A Name"


def _resource_quota(one: Data) -> None:
    one["spec"] = {"hard": {"requests.nvidia.com/gpu": "-1"}}


def _role_binding(one: Data) -> None:
    one["roleRef"]["kind"] = "Roll"


def _admission_policy(one: Data) -> None:
    one["spec"]["validations"][0]["expression"] = "object.spec.nothing +"


def _admission_binding(one: Data) -> None:
    one["spec"]["validationActions"] = ["Warn", "Deny"]


def _service_monitor(one: Data) -> None:
    one["spec"]["endpoints"][0]["interval"] = "often"


def _disruption_budget(one: Data) -> None:
    one["spec"] = {"maxUnavailable": "half"}


def _prometheus_rule(one: Data) -> None:
    one["spec"]["groups"].append(dict(one["spec"]["groups"][0]))


def _queue(one: Data) -> None:
    one["spec"]["parent"] = "nobody"


def _alertmanager_config(one: Data) -> None:
    one["spec"]["route"]["receiver"] = 7


# Kind, how it is spoiled, and a word of the reason.
WRONG: tuple[tuple[str, Callable[[Data], None], str], ...] = (
    ("AlertmanagerConfig", _alertmanager_config, "receiver"),
    ("ClusterQueue", _cluster_queue, "lendingLimit"),
    ("Cohort", _cohort, "parent"),
    ("ConfigMap", _config_map, "data"),
    ("LocalQueue", _local_queue, "clusterQueue"),
    ("Namespace", _namespace, "Research"),
    ("NodeFeatureRule", _node_feature_rule, "Within"),
    ("PodDisruptionBudget", _disruption_budget, "maxUnavailable"),
    ("PriorityClass", _priority_class, "value"),
    ("PrometheusRule", _prometheus_rule, "groups"),
    ("Queue", _queue, "nobody"),
    ("ResourceFlavor", _resource_flavor, "spec.tolerations"),
    ("ResourceQuota", _resource_quota, "-1"),
    ("RoleBinding", _role_binding, "Roll"),
    ("ServiceMonitor", _service_monitor, "often"),
    ("Topology", _topology, "levels"),
    ("ValidatingAdmissionPolicy", _admission_policy, "Syntax error"),
    ("ValidatingAdmissionPolicyBinding", _admission_binding, "validationActions"),
    ("WorkloadPriorityClass", _workload_priority_class, "value"),
)


@functools.cache
def _volcano() -> Bundle:
    made = compiled((HERE / "policies" / "volcano.yaml").read_text()).bundle
    assert made is not None
    return made


@functools.cache
def _emitted() -> dict[str, Data]:
    """Give an object of every kind that blueprints and Volcano's policy compile to."""
    found = {one.key.kind: dict(one.data) for one in _volcano().manifests}
    found |= {one["kind"]: one for blueprint in ALL for one in blueprint.objects().values()}
    return found


def _good(kind: str) -> Data:
    made = copy.deepcopy(_emitted()[kind])
    # In a namespace that is there, whether or not a policy is.
    if "namespace" in made["metadata"]:
        made["metadata"]["namespace"] = "default"
    return made


def test_every_kind_that_is_emitted_stands_in_the_table() -> None:
    assert sorted({kind for kind, _, _ in WRONG}) == sorted(_emitted())


@pytest.fixture
def with_all(bed: Bed) -> Bed:
    files = [file for one in ALL for file in one.files().items()]
    config = next(text for path, text in files if path.endswith("kueue-manager-config.yaml"))
    bed.kueue.run(config.decode())
    bed.volcano.run(next(file.text for file in _volcano().files if "values" in file.path))
    return bed


@pytest.mark.parametrize(("kind", "spoil", "word"), WRONG, ids=[row[0] for row in WRONG])
def test_a_wrong_one_is_refused(
    kind: str, spoil: Callable[[Data], None], word: str, with_all: Bed
) -> None:
    good = _good(kind)
    with_all.api.apply(good, dry_run=True, force=True)
    spoil(good)
    with pytest.raises(RefusedError) as refused:
        with_all.api.apply(good, dry_run=True, force=True)
    # Server-side apply answers 500 to what does not even have the types of the schema.
    typed = "failed to create typed patch object" in str(refused.value)
    assert refused.value.status in ((500,) if typed else (400, 403, 422)), str(refused.value)
    assert word in str(refused.value)
