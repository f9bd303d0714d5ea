"""Tenancy: namespaces, roles of members, quotas of namespaces, and guard rails."""

from __future__ import annotations

from gpupolicy.targets.tenancy.emit import emit
from gpupolicy.targets.tenancy.support import unsupported

NAME = "tenancy"
APIS: tuple[tuple[str, str], ...] = (
    ("v1", "Namespace"),
    ("v1", "ResourceQuota"),
    ("policy/v1", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"),
)

__all__ = ["APIS", "NAME", "emit", "unsupported"]
