from __future__ import annotations

from typing import Any

from gpupolicy.diagnostics.model import Severity
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
