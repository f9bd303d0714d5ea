from __future__ import annotations

import pytest

from gpupolicy.checks.amounts import check
from gpupolicy.diagnostics.model import Diagnostic
from tests.checks.subject import codes
from tests.checks.subject import findings

POLICY = """
nodePools:
  - {name: train, gpu: A10, nodes: 2, gpusPerNode: 8, allocatable: {cpu: "60", memory: 240Gi}}
  - {name: bare, gpu: A10, nodes: 2, gpusPerNode: 8}
  - {name: cpu, nodes: 2, allocatable: {cpu: "60", memory: 240Gi}}
tenants:
  - {name: org, quotas: [%s]}
  - {name: team, parent: org, namespaces: [team], quotas: [%s]}
"""


def _team(line: str) -> list[Diagnostic]:
    return findings(check, POLICY % ("", line))


@pytest.mark.parametrize(
    "line",
    [
        "{pool: train}",
        "{pool: train, guaranteed: 4}",
        "{pool: train, guaranteed: 4, limit: 4, lend: 4}",
        "{pool: train, guaranteed: 4, lend: 0}",
        "{pool: train, guaranteed: 50%, limit: 100%, lend: 25%}",
        "{pool: train, guaranteed: 4, cpu: 20, memory: 40Gi}",
        "{pool: train, guaranteed: 4.0}",
        "{pool: cpu, cpu: 20, memory: 40Gi}",
        "{pool: cpu}",
    ],
)
def test_sensible_numbers_are_silent(line: str) -> None:
    assert _team(line) == []


def test_a_047_no_guarantee_and_a_limit_is_fine() -> None:
    assert _team("{pool: train, guaranteed: 0, limit: 4}") == []


def test_a_038_lending_more_than_one_has() -> None:
    (found,) = _team("{pool: train, guaranteed: 4, lend: 6}")
    assert (found.code, found.path[-1]) == ("GP427", "lend")
    assert found.message == "lend 6 > guaranteed 4 of tenant 'team' on pool 'train'"
    assert found.hint == "write at most 'lend: 4', or leave it out to lend all"


def test_a_050_cap_below_the_guarantee() -> None:
    (found,) = _team("{pool: train, guaranteed: 8, limit: 4}")
    assert (found.code, found.path[-1]) == ("GP426", "limit")
    assert found.message == "limit 4 < guaranteed 8 of tenant 'team' on pool 'train'"
    assert found.related[0].path == ("spec", "tenants", 1, "quotas", 0, "guaranteed")


def test_a_parent_is_measured_by_what_its_children_are_guaranteed() -> None:
    line = "{pool: train, guaranteed: 8}"
    found = findings(check, POLICY % ("{pool: train, limit: 6, lend: 10}", line))
    assert [one.message for one in found] == [
        "limit 6 < what its children are guaranteed, 8 of tenant 'org' on pool 'train'",
        "lend 10 > what its children are guaranteed, 8 of tenant 'org' on pool 'train'",
    ]
    assert found[0].related[0].message == "'team' is guaranteed 8"
    assert findings(check, POLICY % ("{pool: train, limit: 8, lend: 8}", line)) == []


@pytest.mark.parametrize("amount", ["0.5", "2.5"])
def test_a_054_fractions_name_the_ways_to_share(amount: str) -> None:
    (found,) = _team(f"{{pool: train, guaranteed: {amount}}}")
    assert found.code == "GP425"
    assert found.message == (
        f"guaranteed {amount} of tenant 'team' on pool 'train' is not a whole number of devices"
    )
    assert all(way in (found.hint or "") for way in ("mig", "mps", "timeSlicing"))


@pytest.mark.parametrize("key", ["guaranteed", "limit", "lend"])
@pytest.mark.parametrize("share", ["0%", "6%", "6.24%"])
def test_a_share_that_rounds_to_nothing(key: str, share: str) -> None:
    found = _team(f"{{pool: train, {key}: {share}}}")
    assert "GP424" in codes(found)
    first = next(one for one in found if one.code == "GP424")
    assert "of the 16 devices that can be guaranteed" in first.message
    assert (first.hint or "").startswith("one device is 6.3%")


def test_the_smallest_share_that_works() -> None:
    assert _team("{pool: train, guaranteed: 6.3%}") == []


def test_a_cpu_pool_has_no_devices() -> None:
    found = _team("{pool: cpu, device: gpu, guaranteed: 4, limit: 4, lend: 2}")
    assert codes(found) == ["GP429"] * 4
    assert [one.path[-1] for one in found] == ["device", "guaranteed", "limit", "lend"]


def test_resources_that_the_pool_does_not_count() -> None:
    found = _team("{pool: bare, guaranteed: 4, cpu: 20, memory: 40Gi}")
    assert [(one.code, one.path[-1]) for one in found] == [("GP430", "cpu"), ("GP430", "memory")]
