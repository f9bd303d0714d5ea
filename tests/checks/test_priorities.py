from __future__ import annotations

import pytest

from gpupolicy.checks.priorities import check
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import findings

PLAIN = 'platform: {kubernetes: "1.34"}\n'


def _classes(text: str, more: str = "") -> list[str]:
    return codes(findings(check, f"priorityClasses: [{text}]\n{more}"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1_000_000_000, []),
        (1_000_000_001, ["GP470"]),
        (2_000_000_000, ["GP470"]),
        (0, []),
        (-1, []),
        (-(2**31), []),
        (-(2**31) - 1, ["GP470"]),
    ],
)
def test_a_033_values_up_to_one_billion(value: int, expected: list[str]) -> None:
    assert _classes(f"{{name: critical, value: {value}}}") == expected


def test_a_033_the_message_has_the_bound() -> None:
    (found,) = findings(check, "priorityClasses: [{name: critical, value: 2000000000}]")
    assert found.message == (
        "class 'critical': value 2000000000 > 1000000000, the highest that a class of your own "
        "can have"
    )
    assert found.hint == "write 'value: 1000000000'"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("system-batch", "write 'batch'"),
        ("My_Class", "write 'my-class'"),
        ("a..b", "write 'a-b'"),
        ("a.b", None),
    ],
)
def test_a_033_names(name: str, hint: str | None) -> None:
    found = findings(check, f"priorityClasses: [{{name: {name}, value: 1}}]")
    assert [(one.code, one.hint) for one in found] == ([("GP471", hint)] if hint else [])


def test_a_035_two_defaults_name_both() -> None:
    row = "{name: %s, value: 1, globalDefault: true}"
    (found,) = findings(check, f"priorityClasses: [{row % 'a'}, {row % 'b'}]")
    assert (found.code, found.severity) == ("GP472", Severity.ERROR)
    assert found.message == "classes 'a' and 'b' are both the default of the cluster"
    assert found.path == ("spec", "priorityClasses", 1, "globalDefault")
    assert found.related[0].path == ("spec", "priorityClasses", 0, "globalDefault")


def test_one_default_is_a_warning_and_wants_to_be_allowed() -> None:
    text = "{name: a, value: 1, globalDefault: true}, {name: b, value: 2}"
    tenants = (
        "tenants: [{name: x, priorityClasses: [b]}, {name: y, priorityClasses: [a, b]}, {name: z}]"
    )
    found = findings(check, f"priorityClasses: [{text}]\n{tenants}")
    assert codes(found) == ["GP473", "GP477"]
    assert found[1].path == ("spec", "tenants", 0, "priorityClasses")


def test_an_empty_list_allows_nothing() -> None:
    assert _classes("{name: a, value: 1}", "tenants: [{name: x, priorityClasses: []}]") == ["GP476"]


def test_without_kueue_a_class_preempts_other_tenants() -> None:
    text = "priorityClasses: [{name: a, value: 1}, {name: b, value: 2, preemptionPolicy: Never}]"
    (found,) = findings(check, PLAIN + text)
    assert (found.code, found.path) == ("GP474", ("spec", "priorityClasses", 0))
    assert findings(check, text) == []


NEVER = """
priorityClasses:
  - {name: high, value: 3%s}
  - {name: mid, value: 2%s}
  - {name: low, value: 1%s}
tenants:
  - {name: all}
  - {name: top, priorityClasses: [high, mid]}
  - {name: sub, parent: top}
"""
N = ", preemptionPolicy: Never"


@pytest.mark.parametrize(
    ("never", "expected"),
    [
        (("", "", ""), []),
        (("", "", N), []),
        ((N, N, N), []),
        (("", N, ""), ["Kueue lets class 'mid' preempt lower classes of its own tenant, in 'all'"]),
        (
            (N, "", ""),
            ["Kueue lets class 'high' preempt lower classes of its own tenant, in 'all' and 'sub'"],
        ),
    ],
)
def test_never_with_kueue(never: tuple[str, str, str], expected: list[str]) -> None:
    assert [one.message for one in findings(check, NEVER % never, "GP475")] == expected


def test_never_is_exact_with_another_holder() -> None:
    assert (
        findings(check, 'platform: {kubernetes: "1.34", volcano: {}}' + NEVER % (N, "", "")) == []
    )
