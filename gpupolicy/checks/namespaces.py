"""Namespaces belong to one tenant, and carry labels of the tenant's own.

GP420 namespace-shared
    A namespace stands twice: with two tenants, or twice with one. Whoever works in a namespace
    uses the quota of its tenant, so it belongs to one. Both places are shown.

GP421 namespace-reserved
    The namespace is Kubernetes' own or that of a component in `platform`. The guard rails of a
    tenant would hold up the pods of the system itself, and its members could edit them. The
    namespace `default` is only a warning: it is where everything lands that names none.

GP422 label-reserved
    Keys under `gpupolicy.dev`, `kubernetes.io` and `k8s.io` are set by the compiler or by
    Kubernetes on the tenant's namespaces. A tenant's label of that kind would switch off its own
    protection (`pod-security.kubernetes.io/enforce`) or claim another tenant's namespace. Use a
    prefix of your own, such as `example.com/team`, or none.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.tenants import Tenant

# Created by kube-apiserver (Kubernetes documentation, Namespaces).
_KUBERNETES = ("kube-system", "kube-public", "kube-node-lease")
_RESERVED = ("gpupolicy.dev", "kubernetes.io", "k8s.io")
_COMPONENTS = (
    ("gpu_operator", "gpuOperator"),
    ("kueue", "kueue"),
    ("volcano", "volcano"),
    ("kai", "kai"),
    ("nvsentinel", "nvsentinel"),
    ("dcgm_exporter", "dcgmExporter"),
    ("node_feature_discovery", "nodeFeatureDiscovery"),
    ("prometheus", "prometheus"),
)


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check the namespaces and labels of all tenants."""
    taken = _system(context) if context.policy.spec.tenants else {}
    first: dict[str, tuple[str, Path]] = {}
    names: set[str] = set()
    for index, tenant in enumerate(context.policy.spec.tenants):
        path: Path = ("spec", "tenants", index)
        if tenant.name in names:
            continue  # The tenant itself stands twice, which is said there.
        names.add(tenant.name)
        for at, namespace in enumerate(tenant.namespaces):
            where = (*path, "namespaces", at)
            owner, place = first.setdefault(namespace, (tenant.name, where))
            if place != where:
                yield _shared(namespace, tenant.name, where, owner, place)
            elif namespace in taken:
                yield _reserved(namespace, taken[namespace], where)
        yield from _labels(tenant, path)


def _system(context: CheckContext) -> dict[str, str]:
    owners = dict.fromkeys(_KUBERNETES, "Kubernetes")
    owners["default"] = "everything that names no namespace"
    for field, name in _COMPONENTS:
        written = getattr(context.policy.spec.platform, field)
        if written is not None:
            component = context.facts.component(name)
            namespace = written.namespace or component.namespace
            if namespace:
                owners.setdefault(namespace, component.title)
    return owners


def _shared(namespace: str, tenant: str, path: Path, owner: str, first: Path) -> Diagnostic:
    if owner == tenant:
        message = f"namespace '{namespace}' stands twice with tenant '{tenant}'"
    else:
        message = f"namespace '{namespace}' belongs to tenant '{owner}' already"
    related = (Related(f"'{owner}' has it here", first),)
    hint = "take out one of the two" if owner == tenant else "a namespace has one tenant"
    return Diagnostic("GP420", message, path, hint=hint, related=related)


def _reserved(namespace: str, owner: str, path: Path) -> Diagnostic:
    default = namespace == "default"
    return Diagnostic(
        "GP421",
        f"namespace '{namespace}' is that of {owner}",
        path,
        severity=Severity.WARNING if default else Severity.ERROR,
        hint="give the tenant a namespace of its own",
    )


def _labels(tenant: Tenant, path: Path) -> Iterator[Diagnostic]:
    for key in tenant.labels:
        prefix = key.rpartition("/")[0]
        for domain in _RESERVED:
            if prefix == domain or prefix.endswith(f".{domain}"):
                yield Diagnostic(
                    "GP422",
                    f"label '{key}' of tenant '{tenant.name}' is reserved: {domain} is not the "
                    "tenant's to set",
                    (*path, "labels", key),
                    part="key",
                    hint=f"write '{key.rpartition('/')[2]}', or a prefix of your own",
                )
