from __future__ import annotations

import pytest

from gpupolicy.checks.namespaces import check
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import findings


def test_a_namespace_has_one_tenant_and_both_places_are_shown() -> None:
    text = "tenants: [{name: a, namespaces: [x, y]}, {name: b, namespaces: [z, x]}]"
    (found,) = findings(check, text)
    assert (found.code, found.path) == ("GP420", ("spec", "tenants", 1, "namespaces", 1))
    assert found.message == "namespace 'x' belongs to tenant 'a' already"
    assert found.related[0].path == ("spec", "tenants", 0, "namespaces", 0)
    (twice,) = findings(check, "tenants: [{name: a, namespaces: [x, x]}]")
    assert twice.message == "namespace 'x' stands twice with tenant 'a'"


@pytest.mark.parametrize(
    ("namespace", "severity"),
    [
        ("kube-system", Severity.ERROR),
        ("kueue-system", Severity.ERROR),
        ("gpu-here", Severity.ERROR),
        ("default", Severity.WARNING),
        ("gpu-operator", None),
        ("team", None),
    ],
)
def test_the_systems_own_namespaces(namespace: str, severity: Severity | None) -> None:
    text = f"""
    platform: {{kubernetes: "1.34", gpuOperator: {{namespace: gpu-here}}, kueue: {{}}}}
    tenants: [{{name: a, namespaces: [{namespace}]}}]
    """
    found = findings(check, text)
    assert [(one.code, one.severity) for one in found] == (
        [("GP421", severity)] if severity else []
    )


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("cost-centre", []),
        ("example.org/team", []),
        ("notkubernetes.io/team", []),
        ("gpupolicy.dev/tenant", ["GP422"]),
        ("pod-security.kubernetes.io/enforce", ["GP422"]),
        ("kubernetes.io/metadata.name", ["GP422"]),
        ("topology.k8s.io/x", ["GP422"]),
    ],
)
def test_labels_that_are_not_the_tenants(key: str, expected: list[str]) -> None:
    text = f"tenants: [{{name: a, labels: {{{key}: x}}}}]"
    assert codes(findings(check, text)) == expected


def test_a_075_numbers_and_flags_are_labels() -> None:
    text = "tenants: [{name: a, labels: {cost-centre: 007, since: 2024-01-01, flag: true}}]"
    assert findings(check, text) == []
