from __future__ import annotations

import pytest

from gpupolicy.checks.references import check
from tests.checks.subject import codes
from tests.checks.subject import findings

BASE = """
nodePools:
  - {name: train, gpu: A10, nodes: 4, gpusPerNode: 4, %s}
  - name: infer
    gpu: A100-SXM4-80GB
    nodes: 1
    gpusPerNode: 8
    sharing: {mig: {1g.10gb: 2, 2g.20gb: 2}}
  - {name: cpu, nodes: 4}
priorityClasses: [{name: batch, value: 1}]
slas: [{name: fast}]
monitoring: {receivers: [{name: oncall, webhook: {}}], routes: [{receiver: %s}]}
tenants:
  - {name: org}
  - name: team
    parent: %s
    priorityClasses: [%s]
    sla: %s
    quotas: [%s]
    workloads: [%s]
"""
GOOD = (
    "topology: {levels: [{name: rack, nodeLabel: example.com/rack, nodes: 2}]}, "
    "reserve: {nodes: 1, per: rack}",
    "oncall",
    "org",
    "batch",
    "fast",
    "{pool: train}, {pool: infer, device: 1g.10gb}, {pool: cpu, cpu: 4}",
    "{name: w, pool: train, topology: {required: host}, priorityClass: batch, sla: fast}, "
    "{name: c, pool: cpu}, {name: d, pool: infer, gpusPerPod: 0}, {name: e}",
)


def _with(at: int, text: str) -> str:
    return BASE % tuple(text if index == at else part for index, part in enumerate(GOOD))


def test_good_references_are_silent() -> None:
    assert findings(check, BASE % GOOD) == []


@pytest.mark.parametrize(
    ("at", "text", "message", "hint"),
    [
        (1, "onkall", "there is no receiver 'onkall'", "did you mean 'oncall'?"),
        (2, "orga", "there is no tenant 'orga'", "did you mean 'org'?"),
        (3, "bacth", "there is no priority class 'bacth'", "did you mean 'batch'?"),
        (4, "fats", "there is no SLA 'fats'", "did you mean 'fast'?"),
        (5, "{pool: trian}", "there is no pool 'trian'", "did you mean 'train'?"),
        (5, "{pool: xyz}", "there is no pool 'xyz'", "legal here: train, infer and cpu"),
        (6, "{name: w, pool: trani}", "there is no pool 'trani'", "did you mean 'train'?"),
        (6, "{name: w, sla: fasd}", "there is no SLA 'fasd'", "did you mean 'fast'?"),
        (
            6,
            "{name: w, pool: train, topology: {preferred: rak}}",
            "pool 'train' has no topology level 'rak'",
            "did you mean 'rack'?",
        ),
    ],
)
def test_names_that_point_at_nothing(at: int, text: str, message: str, hint: str | None) -> None:
    (found,) = findings(check, _with(at, text), "GP414")
    assert found.message == message
    assert hint is None or found.hint == hint


@pytest.mark.parametrize("where", [5, 6])
def test_devices(where: int) -> None:
    name = "name: w, " if where == 6 else ""
    (unknown,) = findings(check, _with(where, f"{{{name}pool: infer, device: 2g.10gb}}"))
    assert unknown.code == "GP415"
    assert unknown.message == "pool 'infer' offers no device '2g.10gb'"
    assert unknown.hint in ("did you mean '1g.10gb'?", "did you mean '2g.20gb'?")
    (open_,) = findings(check, _with(where, f"{{{name}pool: infer}}"))
    assert open_.code == "GP416"
    assert open_.hint == "write 'device:' with 1g.10gb or 2g.20gb"


def test_a_broken_pool_is_reported_once_and_elsewhere() -> None:
    text = """
    nodePools:
      - name: a
        gpu: A100-SXM4-80GB
        nodes: 1
        gpusPerNode: 8
        sharing: {mig: {1g.5gb: 7}}
    tenants: [{name: t, quotas: [{pool: a, device: 1g.5gb}], workloads: [{name: w, pool: a}]}]
    """
    assert findings(check, text) == []


def test_ten_thousand_misspelt_parents_take_no_minutes() -> None:
    import time

    rows = ", ".join(f"{{name: t{i}, parent: x{i}}}" for i in range(10_000))
    started = time.perf_counter()
    found = findings(check, f"tenants: [{rows}]")
    assert codes(found) == ["GP414"] * 10_000
    assert time.perf_counter() - started < 60
