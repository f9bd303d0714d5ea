"""The labels and annotations of our objects."""

from __future__ import annotations

from typing import Any

import pytest

from gpupolicy.manifest.labels import KEPT_KINDS
from gpupolicy.manifest.labels import assemble
from gpupolicy.manifest.labels import decorate
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile


def _made(api: str, kind: str, **more: Any) -> Manifest:
    data = {"apiVersion": api, "kind": kind, "metadata": {"name": "x"}, **more}
    return Manifest("t", data, "tenants[product].quotas[0]")


def _annotations(manifest: Manifest) -> dict[str, str]:
    found: dict[str, str] = manifest.data["metadata"]["annotations"]
    return found


def test_an_object_says_whose_it_is_and_what_it_follows_from() -> None:
    made = decorate(_made("kueue.x-k8s.io/v1beta2", "ClusterQueue"), "ai-platform")
    assert made.data["metadata"] == {
        "name": "x",
        "labels": {
            "app.kubernetes.io/managed-by": "gpupolicy",
            "gpupolicy.dev/policy": "ai-platform",
        },
        "annotations": {
            "gpupolicy.dev/source": "tenants[product].quotas[0]",
            "argocd.argoproj.io/sync-wave": "70",
            "argocd.argoproj.io/sync-options": "Prune=false,SkipDryRunOnMissingResource=true",
            "kustomize.toolkit.fluxcd.io/prune": "disabled",
        },
    }
    assert "app.kubernetes.io/instance" not in made.data["metadata"]["labels"]


def test_what_the_target_wrote_stays() -> None:
    made = _made("v1", "ConfigMap")
    made.data["metadata"] |= {"labels": {"a": "b"}, "annotations": {"c": "d"}}
    decorated = decorate(made, "lab")
    assert decorated.data["metadata"]["labels"]["a"] == "b"
    assert _annotations(decorated)["c"] == "d"
    assert made.data["metadata"] == {"name": "x", "labels": {"a": "b"}, "annotations": {"c": "d"}}


@pytest.mark.parametrize(
    ("api", "kind", "custom"),
    [
        ("v1", "ConfigMap", False),
        ("rbac.authorization.k8s.io/v1", "RoleBinding", False),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", False),
        ("kueue.x-k8s.io/v1beta2", "WorkloadPriorityClass", True),
        ("monitoring.coreos.com/v1", "PrometheusRule", True),
        ("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule", True),
        ("nvidia.com/v1", "ClusterPolicy", True),
    ],
)
def test_a_060_argo_cd_does_not_fail_on_a_kind_that_is_not_there_yet(
    api: str, kind: str, custom: bool
) -> None:
    annotations = _annotations(decorate(_made(api, kind), "lab"))
    options = annotations.get("argocd.argoproj.io/sync-options", "").split(",")
    assert ("SkipDryRunOnMissingResource=true" in options) is custom
    assert ("Prune=false" in options) is (kind in KEPT_KINDS)
    kept = annotations.get("kustomize.toolkit.fluxcd.io/prune") == "disabled"
    assert kept is (kind in KEPT_KINDS)


def test_a_060_waves_follow_the_order_of_applying() -> None:
    kueue = "kueue.x-k8s.io/v1beta2"
    child = _made(kueue, "Cohort", spec={"parentName": "root"})
    root = _made(kueue, "Cohort")
    root.data["metadata"] = {"name": "root"}
    kinds = ("LocalQueue", "ClusterQueue", "ResourceFlavor", "Topology")
    made = assemble([child, root, *(_made(kueue, kind) for kind in kinds)], "lab")
    waves = [int(_annotations(m)["argocd.argoproj.io/sync-wave"]) for m in made.manifests]
    assert [m.data["kind"] for m in made.manifests] == [
        "Topology",
        "ResourceFlavor",
        "Cohort",
        "Cohort",
        "ClusterQueue",
        "LocalQueue",
    ]
    assert made.manifests[2].data["metadata"]["name"] == "root"
    assert waves == sorted(set(waves))


def test_a_069_a_large_config_map_is_applied_on_the_server() -> None:
    for size, large in ((1000, False), (200_000, True)):
        made = decorate(_made("v1", "ConfigMap", data={"a": "x" * size}), "lab")
        options = _annotations(made).get("argocd.argoproj.io/sync-options", "")
        assert ("ServerSideApply=true" in options) is large


def test_files_pass_through() -> None:
    file = PlainFile("t", "a", "b\n")
    assert assemble([file], "lab").files == (file,)
