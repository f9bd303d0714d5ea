"""Keys, and the order of a bundle."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from gpupolicy.manifest.key import ObjectKey
from gpupolicy.manifest.model import Bundle
from gpupolicy.manifest.model import DuplicateObjectError
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile
from gpupolicy.manifest.model import bundle

KUEUE = "kueue.x-k8s.io/v1beta2"


def thing(kind: str, name: str, namespace: str = "", api: str = KUEUE, **spec: Any) -> Manifest:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return Manifest("t", {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}, "s")


def _names(made: Bundle) -> list[str]:
    return [f"{m.key.kind}/{m.key.name}" for m in made.manifests]


def test_key() -> None:
    assert thing("LocalQueue", "a", "ns").key == ObjectKey(
        "kueue.x-k8s.io", "v1beta2", "LocalQueue", "ns", "a"
    )
    assert thing("Namespace", "a", api="v1").key == ObjectKey("", "v1", "Namespace", "", "a")


A_060 = [
    ("Namespace", "v1"),
    ("PriorityClass", "scheduling.k8s.io/v1"),
    ("WorkloadPriorityClass", KUEUE),
    ("ConfigMap", "v1"),
    ("Topology", KUEUE),
    ("ResourceFlavor", KUEUE),
    ("Cohort", KUEUE),
    ("ClusterQueue", KUEUE),
    ("LocalQueue", KUEUE),
    ("ResourceQuota", "v1"),
    ("SomethingNew", "example.com/v1"),
    ("ValidatingAdmissionPolicy", "admissionregistration.k8s.io/v1"),
    ("ValidatingAdmissionPolicyBinding", "admissionregistration.k8s.io/v1"),
    ("PrometheusRule", "monitoring.coreos.com/v1"),
]


def test_a_060_what_is_referred_to_comes_first() -> None:
    made = [thing(kind, "x", api=api) for kind, api in A_060]
    shuffled = random.Random(1).sample(made, len(made))
    assert [m.key.kind for m in bundle(shuffled).manifests] == [kind for kind, _ in A_060]


@pytest.mark.parametrize(
    ("kind", "api", "field"),
    [
        ("Cohort", KUEUE, "parentName"),
        ("Queue", "scheduling.volcano.sh/v1beta1", "parent"),
        ("Queue", "scheduling.run.ai/v2", "parentQueue"),
    ],
)
def test_parents_come_before_their_children(kind: str, api: str, field: str) -> None:
    made = [
        thing(kind, "z", api=api, **{field: "elsewhere"}),
        thing(kind, "m", api=api, **{field: "z"}),
        thing(kind, "b", api=api, **{field: "m"}),
        thing(kind, "a", api=api, **{field: "m"}),
    ]
    for order in itertools.permutations(made):
        assert [m.key.name for m in bundle(order).manifests] == ["z", "m", "a", "b"]


def test_a_circle_of_parents_does_not_hang() -> None:
    made = [thing("Cohort", "a", parentName="b"), thing("Cohort", "b", parentName="a")]
    assert _names(bundle(made)) == ["Cohort/a", "Cohort/b"]


def test_files_are_sorted_by_path() -> None:
    files = [PlainFile("t", path, "x\n") for path in ("b", "a/z", "a.yaml")]
    assert [file.path for file in bundle(files).files] == ["a.yaml", "a/z", "b"]


def test_the_same_object_or_file_twice_is_our_fault() -> None:
    with pytest.raises(DuplicateObjectError, match="Cohort"):
        bundle([thing("Cohort", "a"), thing("Cohort", "a")])
    with pytest.raises(DuplicateObjectError, match="two files a"):
        bundle([PlainFile("t", "a", ""), PlainFile("u", "a", "")])


def test_a_bundle_of_nothing_is_false() -> None:
    assert not bundle([])
    assert bundle([PlainFile("t", "a", "")])
