from __future__ import annotations

import pytest

from gpupolicy.checks.scheduling import check
from tests.checks.subject import codes
from tests.checks.subject import findings


def _found(components: str, scheduling: str = "{}") -> list[str]:
    installed = "".join(f", {name}: {{}}" for name in components.split())
    text = f'platform: {{kubernetes: "1.34"{installed}}}\nscheduling: {scheduling}'
    return codes(findings(check, text))


@pytest.mark.parametrize(
    ("components", "scheduling"),
    [
        ("", "{}"),
        ("kueue", "{}"),
        ("volcano", "{}"),
        ("kai", "{}"),
        ("kueue volcano", "{}"),
        ("kueue kai", "{quota: kueue, gang: kai}"),
        ("kueue", "{gang: none}"),
        ("", "{quota: resourceQuota, gang: none}"),
    ],
)
def test_legal_pairs_are_silent(components: str, scheduling: str) -> None:
    assert _found(components, scheduling) == []


@pytest.mark.parametrize(
    ("components", "scheduling", "expected"),
    [
        ("kueue volcano", "{quota: volcano, gang: kueue}", ["GP405"]),
        ("volcano", "{quota: volcano, gang: none}", ["GP405"]),
        ("kueue", "{quota: resourceQuota, gang: kueue}", ["GP405"]),
        ("", "{quota: kueue}", ["GP406"]),
        ("kueue", "{gang: volcano}", ["GP406"]),
        ("", "{quota: kueue, gang: kueue}", ["GP406"]),
        ("volcano kai", "{}", ["GP407"]),
        ("kueue volcano kai", "{quota: kueue}", ["GP407"]),
        ("kueue volcano kai", "{gang: kai}", ["GP408"]),
        ("kueue volcano", "{quota: volcano}", ["GP408"]),
        ("kueue", "{quota: resourceQuota}", ["GP408"]),
    ],
)
def test_what_does_not_work(components: str, scheduling: str, expected: list[str]) -> None:
    assert _found(components, scheduling) == expected


def test_an_illegal_pair_names_the_legal_ones() -> None:
    text = 'platform: {kubernetes: "1.34", volcano: {}}\nscheduling: {quota: volcano, gang: none}'
    found = findings(check, text, "GP405")[0]
    assert found.message == "quota 'volcano' and gang 'none' do not go together"
    assert found.hint == "with 'quota: volcano' legal for 'gang' is volcano"
    assert found.path == ("spec", "scheduling", "gang")


def test_fractions_need_kai() -> None:
    pool = "nodePools: [{name: a, gpu: A10, nodes: 1, gpusPerNode: 1, sharing: {fractions: true}}]"
    for component, expected in (("kueue", ["GP409"]), ("kai", [])):
        platform = f'platform: {{kubernetes: "1.34", {component}: {{}}}}'
        assert codes(findings(check, f"{platform}\n{pool}")) == expected
