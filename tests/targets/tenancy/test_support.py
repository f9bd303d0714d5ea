from __future__ import annotations

from typing import Any

import pytest

from gpupolicy.compiler import compile_policy
from gpupolicy.diagnostics.model import Severity
from gpupolicy.source.load import SourceText
from gpupolicy.targets.tenancy import unsupported
from tests.targets import plans


def found_for(**fields: Any) -> list[Any]:
    return list(unsupported(plans.plan(**fields)))


def held_by_namespaces(*lines: Any, **fields: Any) -> list[Any]:
    return found_for(quota_holder="resourceQuota", tenants=(plans.tenant(lines=lines, **fields),))


def test_has_nothing_to_say_behind_kueue() -> None:
    lines = (plans.line("a"), plans.line("b"), plans.line("cpu", None, None, own=("cpu",)))
    assert found_for(tenants=(plans.tenant(lines=lines),)) == []


def test_two_pools_of_one_name_are_one_number() -> None:
    (found,) = held_by_namespaces(plans.line("a", guaranteed=8), plans.line("b", guaranteed=4))
    assert (found.code, found.severity) == ("GP516", Severity.WARNING)
    assert "8 in 'a' + 4 in 'b' = 12 wherever they run" in found.message
    assert found.path == ("spec", "tenants", 0, "quotas")


def test_two_names_are_exact() -> None:
    assert (
        held_by_namespaces(plans.line("a"), plans.line("b", resource="nvidia.com/gpu.shared")) == []
    )


def test_cpu_in_a_quota_asks_every_pod_for_requests() -> None:
    (found,) = held_by_namespaces(plans.line("cpu", None, None, own=("cpu", "memory")))
    assert (found.code, found.severity) == ("GP517", Severity.NOTE)
    assert "cpu and memory" in found.message


def _bounded(guard_rails: str, tenant_sla: str | None, workload_sla: str | None) -> list[Any]:
    slas = "slas: [{name: short, maxRunTime: 3h}, {name: long, maxRunTime: 72h}, {name: free}]"
    own = f"sla: {tenant_sla}, " if tenant_sla else ""
    work = f"{{name: w, sla: {workload_sla}}}" if workload_sla else "{name: w}"
    text = f"""
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {{name: p}}
spec:
  platform: {{kubernetes: "1.34", kueue: {{version: "0.19"}}}}
  guardRails: {guard_rails}
  nodePools: [{{name: a, gpu: A10, nodes: 1, gpusPerNode: 8}}]
  {slas}
  tenants:
    - {{name: t, {own}namespaces: [t], quotas: [{{pool: a, guaranteed: 8}}], workloads: [{work}]}}
"""
    found = compile_policy([SourceText("policy.yaml", text.encode())], today="2026-01-01")
    assert found.bundle, found.diagnostics
    (asked,) = (
        one.data["metadata"]["annotations"].get("gpupolicy.dev/max-run-seconds")
        for one in found.bundle.manifests
        if one.data["kind"] == "Namespace"
    )
    said = [(one.path[-3:], one.hint) for one in found.diagnostics if one.code == "GP518"]
    return [asked, *said]


@pytest.mark.parametrize(
    ("tenant", "workload", "seconds"), [("short", None, "10800"), ("long", "long", "259200")]
)
def test_jobs_are_asked_for_the_bound_in_seconds(
    tenant: str, workload: str | None, seconds: str
) -> None:
    assert _bounded("warn", tenant, workload) == [seconds]


@pytest.mark.parametrize(
    ("guard_rails", "tenant", "workload", "asked", "place", "hint"),
    [
        ("off", "short", None, "10800", ("tenants", 0, "sla"), "write 'guardRails: warn'"),
        ("deny", None, "short", None, ("workloads", 0, "sla"), "give the tenant an SLA"),
        ("deny", "short", "free", None, ("tenants", 0, "sla"), "give the tenant an SLA"),
        ("deny", "long", "short", "259200", ("workloads", 0, "sla"), "make two tenants of it"),
    ],
)
def test_a_bound_that_nobody_asks_for_is_said(
    guard_rails: str,
    tenant: str | None,
    workload: str | None,
    asked: str | None,
    place: tuple[str, int, str],
    hint: str,
) -> None:
    seconds, (path, said) = _bounded(guard_rails, tenant, workload)
    assert (seconds, path) == (asked, place)
    assert said.startswith(hint)
