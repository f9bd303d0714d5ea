"""The shape of the canonical YAML, and that any plain data comes back."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import hypothesis.strategies as st
import pytest
import ruamel.yaml
import yaml
from hypothesis import given

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.canonical import dump_all
from gpupolicy.scalars import PlainScalar
from tests.manifest.awkward import AWKWARD
from tests.tools import go_reader

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(AWKWARD)
LINES = st.lists(st.text(" \ta#:-|'\"\\é", max_size=6), max_size=6).map("\n".join)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | FLOATS | TEXT | LINES
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4)
)


def _ruamel(text: str) -> Any:
    return ruamel.yaml.YAML(typ="safe", pure=True).load(text)


@given(JSON)
def test_any_plain_data_comes_back_from_yaml_1_1_and_1_2(data: Any) -> None:
    text = dump(data)
    assert yaml.safe_load(text) == data
    assert yaml.load(text, yaml.CSafeLoader) == data
    assert _ruamel(text) == data


@given(JSON)
def test_no_line_ends_in_a_blank_and_no_character_hides(data: Any) -> None:
    text = dump(data)
    assert text.endswith("\n")
    assert not any(line.endswith((" ", "\t")) for line in text.split("\n"))
    assert not set(text) & {"\r", "\x85", "\u2028", "\u2029", "\ufeff", "\u202e", "\x1b", "\x00"}


@pytest.mark.tools
def test_any_plain_data_comes_back_from_go() -> None:
    """Ten rounds of thirty documents, so that the reader is started ten times only."""
    numbers = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT | LINES
    documents = st.recursive(
        numbers,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    )

    @given(st.lists(documents, min_size=30, max_size=30))
    def check(batch: list[Any]) -> None:
        answers = go_reader.read("yaml", [dump(data) for data in batch])
        for data, answer in zip(batch, answers, strict=True):
            assert answer == {"kubectl": data, "v3": data}

    from hypothesis import settings

    settings(max_examples=10, deadline=None)(check)()


def test_kubernetes_head_comes_first_and_the_rest_stays_in_order() -> None:
    data = {"spec": {"b": 1, "a": 2}, "kind": "K", "status": {}, "metadata": {}, "apiVersion": "v1"}
    assert dump(data) == (
        "apiVersion: v1\nkind: K\nmetadata: {}\nspec:\n  b: 1\n  a: 2\nstatus: {}\n"
    )


def test_maps_with_keys_of_users_are_sorted_and_lists_never() -> None:
    data = {"metadata": {"labels": {"b": "1", "a": "2"}}, "data": {"z": "x", "y": ["b", "a"]}}
    assert dump(data) == (
        'metadata:\n  labels:\n    a: "2"\n    b: "1"\ndata:\n  "y":\n  - b\n  - a\n  z: x\n'
    )


def test_shapes() -> None:
    data = {
        "list": [{"a": 1, "b": [1, [2, 3], {}, []]}, [], None, True, 1.5, ("t",)],
        "empty": {"map": {}, "list": [], "text": "", "tuple": ()},
    }
    assert dump(data) == (
        "list:\n- a: 1\n  b:\n  - 1\n  - - 2\n    - 3\n  - {}\n  - []\n- []\n- null\n- true\n"
        '- 1.5\n- - t\nempty:\n  map: {}\n  list: []\n  text: ""\n  tuple: []\n'
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\nb\n", "k: |\n  a\n  b\n"),
        ("a\nb", "k: |-\n  a\n  b\n"),
        ("a\n\n", "k: |+\n  a\n\n"),
        ("\n  a\n", "k: |2\n\n    a\n"),
        ("a \nb\n", 'k: "a \\nb\\n"\n'),
        ("a\r\nb\n", 'k: "a\\r\\nb\\n"\n'),
        ("\n", 'k: "\\n"\n'),
        ('a="b"', 'k: a="b"\n'),
        ('a: "b"', "k: 'a: \"b\"'\n"),
        ("it's \\d", "k: it's \\d\n"),
        ('\\d "a" it\'s', "k: '\\d \"a\" it''s'\n"),
        ("a\u202eb", 'k: "a\\u202eb"\n'),
        ("Zoë \U0001f680", 'k: "Zoë \U0001f680"\n'),
    ],
)
def test_text(text: str, written: str) -> None:
    assert dump({"k": text}) == written


def test_a_077_embedded_yaml_is_a_literal_block() -> None:
    inner = dump({"version": "v1", "mig-configs": {"all": [{"devices": "all"}]}})
    outer = dump({"kind": "ConfigMap", "data": {"config.yaml": inner}})
    assert "  config.yaml: |\n    version: v1\n" in outer
    assert yaml.safe_load(outer)["data"]["config.yaml"] == inner


@pytest.mark.parametrize(
    ("number", "written"),
    [(1e16, "1.0e+16"), (1e-7, "1.0e-07"), (-0.0, "-0.0"), (2.0, "2.0"), (1.5e300, "1.5e+300")],
)
def test_a_float_stays_a_float_in_yaml_1_1(number: float, written: str) -> None:
    assert dump([number]) == f"- {written}\n"
    assert repr(yaml.safe_load(written)) == repr(number)


def test_a_very_long_key_is_an_explicit_one() -> None:
    data = {"a": {"k" * 2000: {"b": "c"}, "x": [{"l" * 2000: ["d"], "e": "f"}]}}
    assert yaml.safe_load(dump(data)) == data
    assert _ruamel(dump(data)) == data


def test_kinds_of_text_are_text() -> None:
    class Kind(StrEnum):
        YES = "yes"

    assert dump({Kind.YES: PlainScalar("on"), "l": [Kind.YES]}) == '"yes": "on"\nl:\n- "yes"\n'


def test_the_same_map_twice_is_written_twice() -> None:
    shared = {"a": ["b"]}
    assert dump([shared, shared]) == "- a:\n  - b\n- a:\n  - b\n"


@pytest.mark.parametrize("data", [{1: "a"}, {"a": {None: 1}}, [object()], {"a": {1, 2}}, b"x"])
def test_what_is_not_plain_data_is_refused(data: Any) -> None:
    with pytest.raises(TypeError):
        dump(data)


@pytest.mark.parametrize("data", [float("nan"), [float("inf")], "\ud800", {"a": "b\n\udfff"}])
def test_what_json_or_unicode_cannot_hold_is_refused(data: Any) -> None:
    with pytest.raises(ValueError):
        dump(data)


def test_a_stream_has_a_marker_before_each_document() -> None:
    assert dump_all([{"a": 1}, "b"]) == "---\na: 1\n---\nb\n"
