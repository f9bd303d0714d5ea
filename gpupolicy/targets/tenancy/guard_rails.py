"""ValidatingAdmissionPolicies and their bindings, for pods and for what makes pods.

One pair of policies serves all tenants: what differs from policy to policy stands in their text,
what differs from tenant to tenant on the Namespace. They bind cluster administrators too;
the way out in an emergency is to delete the binding.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator

from gpupolicy.manifest.key import Data
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import Version
from gpupolicy.targets.tenancy.cel import Rule
from gpupolicy.targets.tenancy.cel import block
from gpupolicy.targets.tenancy.cel import texts
from gpupolicy.targets.tenancy.namespaces import TENANT_LABEL
from gpupolicy.targets.tenancy.pod_rules import pod_rules
from gpupolicy.targets.tenancy.pod_variables import pod_variables
from gpupolicy.targets.tenancy.queueing import controllers
from gpupolicy.targets.tenancy.workload_rules import workload_rules
from gpupolicy.targets.tenancy.workload_rules import workload_variables

ADMISSION = "admissionregistration.k8s.io/v1"
# ValidatingAdmissionPolicy v1 is served from here on.
_FIRST_KUBERNETES = Version(1, 30)

_PODS = "gpupolicy-pods"
_WORKLOADS = "gpupolicy-workloads"
# Deny and Warn exclude each other.
_ACTIONS = {"warn": ["Warn", "Audit"], "deny": ["Deny"]}
_APPS = ["daemonsets", "deployments", "replicasets", "statefulsets"]
_KUBEFLOW = ["jaxjobs", "mpijobs", "paddlejobs", "pytorchjobs", "tfjobs", "xgboostjobs"]


def guard_rails(plan: Plan) -> Iterator[Data]:
    """Make policies and bindings; none if they are off, nobody is bound, or the API is missing."""
    guarded = any(tenant.namespaces for tenant in plan.tenants)
    served = plan.platform.kubernetes >= _FIRST_KUBERNETES
    if plan.guard_rails == "off" or not guarded or not served:
        return
    yield from _pair(_PODS, plan, _pods(plan))
    if any(workload_rules(plan)):
        yield from _pair(_WORKLOADS, plan, _workloads(plan))


def _pair(name: str, plan: Plan, spec: Data) -> Iterator[Data]:
    yield _object("ValidatingAdmissionPolicy", name, spec)
    tenants = {"matchExpressions": [{"key": TENANT_LABEL, "operator": "Exists"}]}
    binding = {
        "policyName": name,
        "validationActions": _ACTIONS[plan.guard_rails],
        "matchResources": _matching(tenants),
    }
    yield _object("ValidatingAdmissionPolicyBinding", name, binding)


def _object(kind: str, name: str, spec: Data) -> Data:
    return {"apiVersion": ADMISSION, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _matching(namespaces: Data) -> Data:
    """Write what the API server would fill in, so that a diff is empty."""
    return {"matchPolicy": "Equivalent", "namespaceSelector": namespaces, "objectSelector": {}}


def _pods(plan: Plan) -> Data:
    resources = [
        _resources("", ["v1"], ["pods"], ["CREATE"]),
        _resources("", ["v1"], ["pods/ephemeralcontainers"], ["UPDATE"]),
    ]
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {**_matching({}), "resourceRules": resources},
        "variables": list(pod_variables(plan)),
        "validations": _validations(pod_rules(plan)),
    }


def _workloads(plan: Plan) -> Data:
    kinds = _VOLCANO_KINDS if plan.quota_holder == "volcano" else _BATCH_KINDS
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            **_matching({}),
            "resourceRules": [_resources(*kind, ["CREATE", "UPDATE"]) for kind in kinds],
        },
        "matchConditions": [_not_a_controller(plan)],
        "variables": list(workload_variables(plan)),
        "validations": _validations(workload_rules(plan)),
    }


_Kind = tuple[str, list[str], list[str]]
_BUILT_IN: tuple[_Kind, ...] = (("batch", ["v1"], ["jobs"]), ("apps", ["v1"], _APPS))
_BATCH_KINDS: tuple[_Kind, ...] = (
    *_BUILT_IN,
    ("jobset.x-k8s.io", ["v1alpha2"], ["jobsets"]),
    ("kubeflow.org", ["v1", "v2beta1"], _KUBEFLOW),
    ("trainer.kubeflow.org", ["v1alpha1"], ["trainjobs"]),
    ("ray.io", ["v1"], ["rayclusters", "rayjobs", "rayservices"]),
    ("leaderworkerset.x-k8s.io", ["v1"], ["leaderworkersets"]),
)
# Pods of other kinds carry the queue themselves and are checked one by one; a PodGroup of a user's
# own would hand its pods to the queue that it names.
_VOLCANO_KINDS: tuple[_Kind, ...] = (
    *_BUILT_IN,
    ("batch.volcano.sh", ["v1alpha1"], ["jobs"]),
    ("scheduling.volcano.sh", ["v1beta1"], ["podgroups"]),
)


def _resources(
    group: str, versions: list[str], resources: list[str], operations: list[str]
) -> Data:
    return {
        "apiGroups": [group],
        "apiVersions": versions,
        "operations": operations,
        "resources": resources,
        "scope": "*",
    }


def _not_a_controller(plan: Plan) -> Data:
    """Pass children of checked objects; a Job that the CronJob controller made stays checked."""
    return {
        "name": "not-a-controller",
        "expression": block(
            f"""
            !(request.userInfo.username in {texts(controllers(plan))})
            && !(request.userInfo.username.startsWith('system:serviceaccount:kube-system:')
            && object.kind != 'Job')
            """
        ),
    }


def _validations(rules: Iterable[Rule]) -> list[Data]:
    return [rule.validation() for rule in rules]
