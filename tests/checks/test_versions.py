from __future__ import annotations

import pytest

from gpupolicy.checks.versions import check
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import findings


def _platform(text: str, more: str = "") -> list[str]:
    return codes(findings(check, f"platform: {{{text}}}\n{more}"))


@pytest.mark.parametrize("kubernetes", ["1.32", "1.34", "1.36"])
def test_known_versions_are_silent(kubernetes: str) -> None:
    everything = (
        f'kubernetes: "{kubernetes}", gpuOperator: {{version: "26.7", driver: "580.105"}}, '
        'kueue: {version: "0.19.2"}, prometheus: {version: "3.5"}'
    )
    assert _platform(everything) == []


def test_newer_and_unknown_versions_are_treated_as_the_nearest_older() -> None:
    text = (
        'platform: {kubernetes: "1.99", kueue: {version: "0.99"}, gpuOperator: {version: "25.7"}}'
    )
    found = findings(check, text)
    assert [one.message for one in found] == [
        "Kubernetes 1.99 is newer than any version that is known, and is treated as 1.36",
        "NVIDIA GPU Operator 25.7 is not among the versions that are known, and is treated as 25.3",
        "Kueue 0.99 is newer than any version that is known, and is treated as 0.19",
    ]
    assert {one.severity for one in found} == {Severity.WARNING}


def test_older_versions_name_the_oldest() -> None:
    text = 'platform: {kubernetes: "1.21", kueue: {version: "0.9"}}'
    found = findings(check, text)
    assert codes(found) == ["GP401", "GP401"]
    assert found[1].message == ("Kueue 0.9 is older than 0.10, the oldest that is supported")
    assert found[1].path == ("spec", "platform", "kueue", "version")
    assert found[1].hint == "supported are 0.10 to 0.19"


def test_guard_rails_need_their_api() -> None:
    assert _platform('kubernetes: "1.29"') == ["GP402"]
    assert _platform('kubernetes: "1.30"') == []
    assert _platform('kubernetes: "1.29"', "guardRails: off") == []


def test_component_against_kubernetes() -> None:
    assert _platform('kubernetes: "1.36", volcano: {version: "1.14"}') == ["GP403"]
    assert _platform('kubernetes: "1.34", volcano: {version: "1.14"}') == []
    assert _platform('kubernetes: "1.30", gpuOperator: {version: "26.7"}') == ["GP403"]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.12", [("GP404", Severity.ERROR)]),
        ("0.13", [("GP404", Severity.WARNING)]),
        ("0.14", []),
    ],
)
def test_kueue_places_gangs_from_0_14_on(
    version: str, expected: list[tuple[str, Severity]]
) -> None:
    text = f'platform: {{kubernetes: "1.34", kueue: {{version: "{version}"}}}}\n'
    assert [(one.code, one.severity) for one in findings(check, text)] == expected
    assert findings(check, text + "scheduling: {gang: none}") == []
