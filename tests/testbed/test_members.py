"""What a tenant's people may do, asked of the API server's own authorizer."""

from __future__ import annotations

import pytest
import yaml

from tests.testbed.bed import Bed
from tests.testbed.bed import compiled
from tests.testbed.scenarios import HERE

_GROUP = "algo-engineers"
_KUEUE = "kueue.x-k8s.io"
# Verb, group, resource, namespace, whether a member may.
_QUESTIONS = (
    ("create", "batch", "jobs", "algo-train", True),
    ("delete", "", "pods", "algo-train", True),
    ("create", "apps", "deployments", "algo-dev", True),
    ("get", "", "pods/log", "algo-train", True),
    ("list", _KUEUE, "localqueues", "algo-train", True),
    ("list", _KUEUE, "workloads", "algo-train", True),
    ("create", "batch", "jobs", "product-serving", False),
    ("list", "", "pods", "product-serving", False),
    ("list", "", "secrets", "product-serving", False),
    ("patch", _KUEUE, "localqueues", "algo-train", False),
    ("patch", _KUEUE, "workloads", "algo-train", False),
    ("patch", _KUEUE, "clusterqueues", "", False),
    ("delete", "", "resourcequotas", "algo-train", False),
    ("patch", "", "namespaces", "algo-train", False),
    ("patch", "rbac.authorization.k8s.io", "rolebindings", "algo-train", False),
    ("patch", "", "nodes", "", False),
    ("delete", "admissionregistration.k8s.io", "validatingadmissionpolicies", "", False),
)


@pytest.fixture
def with_members(bed: Bed) -> Bed:
    members = {"name": "algorithm", "members": {"groups": [_GROUP]}}
    bed.lay(compiled((HERE / "policies" / "example.yaml").read_text(), _overlay(members)))
    return bed


def _overlay(tenant: dict[str, object]) -> str:
    head = {"apiVersion": "gpupolicy.dev/v1alpha1", "kind": "GPUClusterPolicy"}
    return yaml.safe_dump({**head, "metadata": {"name": "example"}, "spec": {"tenants": [tenant]}})


def _may(bed: Bed, verb: str, group: str, resource: str, namespace: str) -> bool:
    name, _, sub = resource.partition("/")
    asked = {"verb": verb, "group": group, "resource": name, "namespace": namespace}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": "somebody",
            "groups": [_GROUP, "system:authenticated"],
            "resourceAttributes": asked | ({"subresource": sub} if sub else {}),
        },
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return bool(bed.api.call("POST", path, review).data["status"]["allowed"])


def test_members_submit_and_read_and_touch_no_queue_quota_or_namespace(with_members: Bed) -> None:
    bed = with_members
    # Roles are made of others by a controller, and the authorizer sees bindings a moment later.
    bed.eventually(lambda: _may(bed, "create", "batch", "jobs", "algo-train"), 20, "members submit")
    bed.eventually(lambda: _may(bed, "list", _KUEUE, "workloads", "algo-train"), 20, "members see")
    wrong = [
        f"{verb} {resource} in '{namespace}' must be {may}"
        for verb, group, resource, namespace, may in _QUESTIONS
        if _may(bed, verb, group, resource, namespace) != may
    ]
    assert wrong == []
