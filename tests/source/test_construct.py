from __future__ import annotations

import pytest

from gpupolicy.scalars import PlainScalar
from tests.source.loading import POLICY
from tests.source.loading import document
from tests.source.loading import finding
from tests.source.loading import findings
from tests.source.loading import load_texts
from tests.source.loading import place
from tests.source.loading import spec_of
from tests.source.loading import written

SPEC = POLICY + "spec:\n"


@pytest.mark.parametrize(
    "text", ["NO", "no", "yes", "on", "off", "y", "True", "570.10", "007", "1:30"]
)
def test_a_070_unquoted_text_is_kept_as_typed(text: str) -> None:
    value = spec_of(f"  a: {text}\n")["a"]
    assert type(value) is PlainScalar
    assert str(value) == text


@pytest.mark.parametrize(
    "text", ["0x10", "1_000", "1e3", "2024-01-01", ".inf", "=", "12", "-1", "1g.10gb"]
)
def test_no_scalar_is_converted(text: str) -> None:
    assert spec_of(f"  - {text}\n") == [text]


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_null_is_the_one_value_that_is_resolved(text: str) -> None:
    assert spec_of(f"  a: {text}\n  b: [{text or '~'}]\n") == {"a": None, "b": [None]}


@pytest.mark.parametrize("text", ["nULL", "none", "None", "nil", "'~'", '"null"', "''"])
def test_what_only_looks_like_null_is_text(text: str) -> None:
    assert spec_of(f"  a: {text}\n") == {"a": text.strip("'\"")}


@pytest.mark.parametrize(
    "text", ["'8'", '"8"', "|-\n    8", ">-\n    8", "!!str 8", "! 8", "!!str '8'"]
)
def test_quoted_and_block_scalars_are_plain_text(text: str) -> None:
    value = spec_of(f"  a: {text}\n")["a"]
    assert type(value) is str
    assert value == "8"


def test_data_is_made_of_plain_dicts_and_lists() -> None:
    spec = spec_of("  a: {b: [1, {c: 2}]}\n")
    assert spec == {"a": {"b": ["1", {"c": "2"}]}}
    assert type(spec) is type(spec["a"]) is dict
    assert type(spec["a"]["b"]) is list


def test_a_071_duplicate_key_shows_both_lines() -> None:
    found = finding(SPEC + "  nodePools: []\n  tenants: []\n  'nodePools': [x]\n")
    assert (found.code, place(found.span)) == ("GP010", ("a.yaml", 6, 3))
    assert found.message == "the key 'nodePools' is given twice, first on line 4"
    assert place(found.related[0].span) == ("a.yaml", 4, 3)


def test_a_071_quota_given_twice_in_a_flow_map() -> None:
    text = SPEC + "  tenants:\n    - {name: a, quotas: [], quotas: [x]}\n"
    found = finding(text)
    assert place(found.span) == ("a.yaml", 5, 29)
    assert place(found.related[0].span) == ("a.yaml", 5, 17)
    assert load_texts(text)[0].data["spec"]["tenants"] == [{"name": "a", "quotas": []}]


def test_all_duplicates_are_reported_at_once() -> None:
    assert [found.code for found in findings(SPEC + "  a: {x: 1, x: 2, x: 3}\n  a: 1\n")] == [
        "GP010"
    ] * 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("  ~: 1", "null"),
        ("  null: 1", "null"),
        ("  ?\n  : 1", "null"),
        ("  ? [a]\n  : 1", "a list"),
        ("  {a: 1}: 2", "a map"),
        ("  ? !!null ~\n  : 1", "null"),
    ],
)
def test_keys_are_text(text: str, said: str) -> None:
    found = finding(SPEC + text + "\n")
    assert found.code == "GP011"
    assert said in found.message
    assert found.span.line == 4


def test_keys_keep_their_text_whatever_their_style() -> None:
    text = "  yes: 1\n  1: 2\n  '': 3\n  'null': 4\n  ? x\n  : 5\n  !!str ~: 6\n  \"<<\": 7\n"
    assert list(spec_of(text)) == ["yes", "1", "", "null", "x", "~", "<<"]
    assert {type(key) for key in spec_of(text)} == {str}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!!int 8", "8"),
        ("!!int '8'", "8"),
        ("!!float 1.5", "1.5"),
        ("!!bool true", "true"),
        ("!!null ~", None),
        ("!!map {}", {}),
        ("!!seq []", []),
        ("!<tag:yaml.org,2002:int> 8", "8"),
    ],
)
def test_core_tags_are_honoured(text: str, value: object) -> None:
    loaded = spec_of(f"  a: {text}\n")["a"]
    assert loaded == value
    assert not isinstance(loaded, str) or type(loaded) is PlainScalar


@pytest.mark.parametrize(
    "text",
    [
        "!Secret x",
        "!!binary aGk=",
        "!!timestamp 2024-01-01",
        "!!python/object:os.system x",
        "!!set {a}",
        "!!int x",
        "!!int 1.5",
        "!!bool yes",
        "!!null x",
        "!!map x",
        "!!seq {}",
        "!!map []",
        "!foo [x]",
    ],
)
def test_other_tags_are_refused(text: str) -> None:
    found = finding(SPEC + f"  a: {text}\n")
    assert (found.code, place(found.span)) == ("GP012", ("a.yaml", 4, 6))
    assert text.split()[0] in found.message


def test_an_alias_repeats_the_value() -> None:
    spec = spec_of("  a: &x {b: [1]}\n  c: *x\n  d: &y 7\n  e: *y\n  f: &z\n  g: *z\n")
    assert spec == {"a": {"b": ["1"]}, "c": {"b": ["1"]}, "d": "7", "e": "7", "f": None, "g": None}


def test_an_alias_may_be_a_key() -> None:
    assert spec_of("  a: &x text\n  *x : 1\n") == {"a": "text", "text": "1"}


def test_an_anchor_may_be_given_anew() -> None:
    assert spec_of("  a: &x 1\n  b: &x 2\n  c: *x\n") == {"a": "1", "b": "2", "c": "2"}


def test_anchors_end_with_their_document() -> None:
    found = findings(SPEC + "  a: &x 1\n---\nb: *x\n")[0]
    assert (found.code, place(found.span)) == ("GP013", ("a.yaml", 6, 4))


def test_an_undefined_alias_names_the_nearest() -> None:
    loaded, found = load_texts(SPEC + "  a: &defaults 1\n  b: *default\n")
    assert loaded is None
    assert [one.hint for one in found] == ["did you mean '*defaults'?"]


@pytest.mark.parametrize("text", ["a: &x [*x]", "a: &x {b: {c: *x}}", "a: &x\n    <<: *x"])
def test_a_recursive_alias_is_refused(text: str) -> None:
    found = finding(SPEC + f"  {text}\n")
    assert found.code == "GP014"
    assert "'*x'" in found.message


def test_an_alias_bomb_is_refused() -> None:
    lines = ["  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"]
    lines += [f"  a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10)]
    found = finding(SPEC + "".join(lines))
    assert found.code == "GP015"
    assert "200,000" in found.message
    assert found.span.line == 9


def test_an_alias_bomb_of_merge_keys_is_refused() -> None:
    lines = ["  a0: &a0 {x: 1}\n"]
    lines += [f"  a{i}: &a{i} {{x: {{<<: *a{i - 1}}}, y: *a{i - 1}}}\n" for i in range(1, 30)]
    assert finding(SPEC + "".join(lines)).code == "GP015"


def test_aliases_cannot_nest_deeper_than_text() -> None:
    lines = ["  a0: &a0 []\n"] + [f"  a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 300)]
    found = finding(SPEC + "".join(lines))
    assert found.code == "GP007"
    assert found.span.line == 4 + 98


def test_ten_thousand_tenants_may_share_a_value() -> None:
    spec = spec_of("  a: &x {b: [1, 2]}\n  tenants:\n" + "    - {labels: *x}\n" * 10_000)
    assert spec["tenants"][9_999] == {"labels": {"b": ["1", "2"]}}


def test_merge_keys_add_what_is_missing() -> None:
    spec = spec_of("  base: &base {a: 1, b: 2}\n  c:\n    b: 3\n    <<: *base\n    d: 4\n")
    assert spec["c"] == {"a": "1", "b": "3", "d": "4"}


def test_of_several_merged_maps_the_first_wins() -> None:
    text = "  x: &x {a: 1}\n  y: &y {a: 2, b: 2}\n  z: {<<: [*x, *y, {c: 3}]}\n"
    assert spec_of(text)["z"] == {"a": "1", "b": "2", "c": "3"}


def test_a_merged_value_keeps_its_place() -> None:
    loaded = document(SPEC + "  x: &x {a: 1, b: {c: 2}}\n  y:\n    <<: *x\n    d: 3\n")
    path = ("spec", "y", "b", "c")
    assert place(loaded.span_of(path)) == ("a.yaml", 4, 23)
    assert place(loaded.span_of(path, "key")) == ("a.yaml", 4, 20)
    assert written(loaded, loaded.span_of(("spec", "y", "a"))) == "1"
    assert place(loaded.span_of(("spec", "y", "d"))) == ("a.yaml", 7, 8)


@pytest.mark.parametrize("text", ["3", "[a]", "", "[{a: 1}, b]"])
def test_a_merge_key_takes_maps(text: str) -> None:
    found = finding(SPEC + f"  a: 1\n  <<: {text}\n")
    assert (found.code, place(found.span)) == ("GP016", ("a.yaml", 5, 3))


def test_two_merge_keys_are_a_duplicate() -> None:
    found = finding(SPEC + "  x: &x {a: 1}\n  y: {<<: *x, <<: *x}\n")
    assert (found.code, place(found.span)) == ("GP010", ("a.yaml", 5, 15))
    assert place(found.related[0].span) == ("a.yaml", 5, 7)


def test_nesting_ends_at_a_hundred() -> None:
    assert findings(SPEC + "  a: " + "[" * 98 + "]" * 98 + "\n") == []
    found = finding(SPEC + "  a: " + "[" * 99 + "]" * 99 + "\n")
    assert (found.code, place(found.span)) == ("GP007", ("a.yaml", 4, 6 + 98))


def test_reading_stops_at_the_hundredth_finding() -> None:
    loaded, found = load_texts(SPEC + "".join(f"  a: {i}\n" for i in range(500)))
    assert loaded is None
    assert len(found) == 100
    assert found[-1].notes == ("reading stops here",)
