from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from gpupolicy.promql import advice
from gpupolicy.promql import fault

GOOD = (
    "up == 0",
    "sum(rate(x[5m])) by (a) > 5",
    "sum by (a) (rate(x[5m])) > bool 5 or vector(0)",
    "up and on (node) foo",
    "x / on (node) group_left (pool) y > 0.5",
    "x offset 5m > 3",
    "max_over_time(x[1h:5m]) > 1",
    "-x > -5",
    "1 - x unless y",
    'x{a="b", c=~"d|e", f!="}"} > 1e3',
    "histogram_quantile(0.99, sum by (le) (rate(x_bucket[5m]))) > 2",
    "time() - x > 60  # a minute",
    "absent(up)",
    "x:y:sum > (2 + 3) * 4",
    "label_replace(up, 'a', '$1', 'b', '(.*)') == 0",
)
# Expression, and the character at which it goes wrong, from 0; None where no place is known.
BAD = (
    ("", 0),
    ("up ==", 5),
    ("> 5", 0),
    ("up up", 3),
    ("sum(rate(x[5m]) > 5", 3),
    ("a) > 1", 1),
    ("(a] > 1", 2),
    ('x{a="b" > 1', 1),
    ("x{a=b} > 1", 4),
    ('x{a="b} > 1', 4),
    ("rate(x[5m]) >> 3", 13),
    ("x and", 5),
    ("x ! y", 2),
    ("x > 5m", 4),
    ("x > 20%", 7),
    ("sum(x) by (a) 5", 14),
    ("rate(x) > 1", 0),
    ("frobnicate(x) > 1", 0),
    ("rate(x[1.5h]) > 1", 7),
    ("x < 20 for 5m", 7),
    ("x[5m]", 0),
    ("time() > 5", 7),
    ('x{a=~"("} > 1', 5),
    ("'text'", 0),
)


@pytest.mark.parametrize("expression", GOOD)
def test_legal_expressions(expression: str) -> None:
    assert fault(expression) is None


@pytest.mark.parametrize(("expression", "offset"), BAD)
def test_a_065_faults_have_a_place(expression: str, offset: int | None) -> None:
    found = fault(expression)
    assert found is not None
    assert found.offset == offset
    assert found.message


@pytest.mark.tools
def test_the_verdict_is_that_of_promtool(tmp_path: Path) -> None:
    """`x > 5m` and results that are no vector are legal PromQL to promtool 3, and refused here."""
    promtool = shutil.which("promtool") or shutil.which(".tools/bin/promtool")
    if promtool is None:
        pytest.skip("promtool is not installed")
    stricter = {"x > 5m", "x[5m]", "'text'"}
    for expression, legal in [*((e, True) for e in GOOD), *((e, False) for e, _ in BAD)]:
        rule = {"alert": "A", "expr": expression}
        file = tmp_path / "rules.yaml"
        file.write_text(json.dumps({"groups": [{"name": "g", "rules": [rule]}]}))
        done = subprocess.run(
            [promtool, "check", "rules", str(file)], capture_output=True, text=True, check=False
        )
        if expression not in stricter:
            assert (done.returncode == 0) is legal, (expression, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("expression", "at"),
    [
        ("sum(foo[5m]) > 1", "sum"),
        ('foo + "a"', '"a"'),
        ('abs(foo) > 1 and foo + "a"', '"a"'),
        ('sum(foo * "b") by (x) > 1', '"b"'),
        ("foo[5m] > 1", "[5m]"),
        ("up == 0 or 1 > 2", None),
        ("1 > 2", "> 2"),
        ("foo[5m][5m]", "[5m]"),
        ("rate(sum(foo)[5m])", "[5m]"),
        ("{}", "{}"),
        ('sum(up) + topk("a", foo)', 'topk("a"'),
        ("up and max(count_values(5, foo))", "count_values"),
    ],
)
def test_faults_of_types_have_a_place(expression: str, at: str | None) -> None:
    found = fault(expression)
    assert found is not None
    assert found.offset is not None
    if at is not None:
        assert expression[found.offset :].startswith(at), found
    assert advice(found.message)


def test_every_fault_known_has_advice_and_a_place() -> None:
    for expression in (
        "rate(foo) > 5", "foo and 5", '"a" + foo', 'abs("x")', "nosuch(foo)", "time(1)",
        "round(foo, bar)", "histogram_quantile(foo, 0.9)", 'label_replace(foo, 1, "a", "b", "c")',
        "foo{a=b}", 'foo{a=~"("}', "foo > 5m", "foo[5m]", '"text"', "foo bar", "foo +", "(foo",
    ):  # fmt: skip
        found = fault(expression)
        assert found is not None, expression
        assert found.offset is not None, expression
        assert advice(found.message), found


@pytest.mark.parametrize("step", ["({})", "{} + 1", "-{}", "abs({})", "{} and up"])
def test_what_would_overflow_the_parser_is_refused_before(step: str) -> None:
    expression = "up"
    for _ in range(1000):
        expression = step.format(expression)
    found = fault(expression)
    assert found is not None
    assert "it has more than 150 operators and brackets" in found.message
    assert advice(found.message) == "put its parts into recording rules, and compare those here"


def test_a_long_expression_is_refused() -> None:
    found = fault(f"up{{a='{'b' * 10_000}'}} > 1")
    assert found is not None
    assert found.message == "10,012 characters are more than 10,000"
    assert advice(found.message)
