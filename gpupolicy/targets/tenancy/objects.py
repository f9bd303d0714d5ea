"""Namespace, RoleBinding and ResourceQuota."""

from __future__ import annotations

from collections.abc import Mapping

from gpupolicy.manifest.key import Data
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.targets.tenancy.namespaces import TENANT_LABEL
from gpupolicy.targets.tenancy.namespaces import namespace_annotations

CORE = "v1"
RBAC_GROUP = "rbac.authorization.k8s.io"
RBAC = f"{RBAC_GROUP}/v1"

# Warned and audited, not enforced: `baseline` forbids IPC_LOCK, which training over RDMA needs.
_POD_SECURITY = {
    "pod-security.kubernetes.io/audit": "baseline",
    "pod-security.kubernetes.io/warn": "baseline",
}
# To submit and read: not namespaces, quotas, queues, bindings or ephemeral containers.
MEMBER_ROLE = "edit"
# What Kueue's chart adds for users, named after its release (Kueue v0.19, charts/kueue).
QUEUE_ROLE = "kueue-batch-user-role"


def namespace(plan: Plan, tenant: TenantPlan, name: str) -> Data:
    """Make a namespace of a tenant."""
    labels = {**tenant.labels, TENANT_LABEL: tenant.name, **_POD_SECURITY}
    found = namespace_annotations(plan, tenant)
    return {
        "apiVersion": CORE,
        "kind": "Namespace",
        "metadata": {"name": name, "labels": labels, **({"annotations": found} if found else {})},
    }


def role_binding(tenant: TenantPlan, namespace: str, name: str, role: str) -> Data:
    """Bind the tenant's members to a ClusterRole in one namespace. The role is immutable."""
    subjects = [_subject("Group", group) for group in tenant.groups]
    subjects += [_subject("User", user) for user in tenant.users]
    return {
        "apiVersion": RBAC,
        "kind": "RoleBinding",
        "metadata": {"name": name, "namespace": namespace},
        "roleRef": {"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": role},
        "subjects": subjects,
    }


def _subject(kind: str, name: str) -> Data:
    return {"apiGroup": RBAC_GROUP, "kind": kind, "name": name}


def resource_quota(namespace: str, name: str, requests: Mapping[str, str]) -> Data:
    """Limit what pods of a namespace request together.

    Of an extended resource only `requests.<name>` counts; the API server takes the bare name and
    `limits.<name>`, and counts neither.
    """
    return {
        "apiVersion": CORE,
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"hard": {f"requests.{key}": amount for key, amount in requests.items()}},
    }
