"""PriorityClass: values, names, the default of the cluster."""

from __future__ import annotations

import pytest

from tests.cases.outcome import accepted
from tests.cases.outcome import refused


def classes(*rows: str) -> str:
    listed = "".join(f"\n          - {row}" for row in rows)
    return f"""
        nodePools:
          - {{name: train, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8}}
        priorityClasses:{listed}
    """


@pytest.mark.parametrize("value", ["2000000000", "1000000001", "9223372036854775808"])
def test_a_033_a_priority_above_one_billion(value: str) -> None:
    finding = refused(classes(f"{{name: critical, value: «{value}»}}"), "GP470")
    finding.says("critical", value).explains("1000000000")


def test_a_033_a_priority_that_no_class_can_have() -> None:
    refused(classes("{name: least, value: «-2147483649»}"), "GP470").says("least", "-2147483649")


@pytest.mark.parametrize("name", ["system-critical", "system-node-critical"])
def test_a_033_a_name_that_belongs_to_kubernetes(name: str) -> None:
    refused(classes(f"{{name: «{name}», value: 1000}}"), "GP471").says(name, "system-")


@pytest.mark.parametrize("value", [1000000000, 0, -1, -2147483648])
def test_a_033_the_values_that_users_have(value: int) -> None:
    outcome = accepted(classes(f"{{name: gold, value: {value}}}"))
    assert outcome.named("PriorityClass", "gold")["value"] == value
    assert outcome.named("WorkloadPriorityClass", "gold")["value"] == value


def test_a_035_two_defaults_of_the_cluster() -> None:
    spec = classes(
        "{name: gold, value: 1000, globalDefault: true}",
        "{name: silver, value: 500, globalDefault: «true»}",
        "{name: bronze, value: 100}",
    )
    refused(spec, "GP472").says("gold", "silver")
