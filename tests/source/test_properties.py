"""Laws that hold for any input: findings instead of exceptions, equal data, overlay algebra."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from unittest import mock

import pytest
import yaml
from hypothesis import example
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.source.document import Document
from gpupolicy.source.events import _open_python_events
from gpupolicy.source.load import SourceText
from gpupolicy.source.load import quotable
from tests.source.loading import POLICY
from tests.source.loading import TENANT
from tests.source.loading import document
from tests.source.loading import load_texts
from tests.source.loading import written

WORDS = [
    *(
        "a",
        "b",
        "name",
        "spec",
        ": ",
        ":",
        "- ",
        "-",
        "\n",
        "\n  ",
        "\n    ",
        " ",
        "\t",
        "[",
        "]",
        "{",
    ),
    *(
        "}",
        ",",
        ", ",
        "&x ",
        "*x",
        "&y ",
        "*y",
        "<<: ",
        "| ",
        "|-\n",
        ">",
        "'",
        '"',
        "#",
        " # c",
        "!",
    ),
    *(
        "!!int ",
        "!!str ",
        "!t ",
        "%",
        "@",
        "`",
        "? ",
        "~",
        "null",
        "1",
        "010",
        "---\n",
        "...\n",
        "é",
    ),
    *(
        "\\",
        "\r\n",
        "\r",
        "\u00a0",
        "🦄",
        "$patch: delete",
        "name: ",
        "tenants: ",
        "quotas: ",
        "pool: ",
    ),
    *(
        "nodePools: ",
        "sharing: ",
        "# gpupolicy: ignore[GP1] ",
        "%YAML 1.2\n",
        "%TAG ! x\n",
        POLICY,
        TENANT,
    ),
]
yamlish = st.lists(st.sampled_from(WORDS), max_size=40).map("".join)
headed = st.tuples(st.sampled_from([POLICY, TENANT, POLICY + "spec:\n  ", ""]), yamlish).map(
    "".join
)

scalars = st.one_of(
    st.text(
        st.characters(
            exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff\u2028\u2029\ufffe\uffff"
        ),
        max_size=20,
    ),
    st.sampled_from(
        [
            "null",
            "~",
            "",
            "yes",
            "010",
            "1e3",
            "1:30",
            " x ",
            "a: b",
            "a #b",
            "- a",
            "'",
            "\n",
            "a\nb\n",
        ]
    ),
    st.none(),
    st.integers(),
    st.booleans(),
)
keys = st.text("abcdefgh- .:#é", min_size=1, max_size=5)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=25,
)
maps = st.dictionaries(keys, values, max_size=5)


def steps(data: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*path, key), value
            yield from steps(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield (*path, index), value
            yield from steps(value, (*path, index))


def check_result(loaded: Document | None, found: list[Diagnostic], texts: dict[str, str]) -> None:
    """Everything that may be asked of a result can be had, and lies inside its file."""
    spans = [one.span for one in found if one.span is not None]
    spans += [other.span for one in found for other in one.related if other.span is not None]
    assert all(one.message and "\n" not in one.message for one in found)
    if loaded is not None:
        assert isinstance(loaded.digest_input, bytes)
        spans += [one.span for one in loaded.suppressions]
        for path, _ in list(steps(loaded.data))[:200]:
            spans += [loaded.span_of(path), loaded.span_of(path, "key")]
            assert loaded.span_of((*path, "not there")) is not None
    for span in spans:
        lines = texts[span.file].split("\n")
        assert 1 <= span.line <= span.end_line <= len(lines)
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1
        assert (span.line, span.column) <= (span.end_line, span.end_column)


def load_and_check(*texts: str | bytes, overlays: tuple[str | bytes, ...] = ()) -> None:
    loaded, found = load_texts(*texts, overlays=overlays)
    assert loaded is not None or found
    named = [*zip("abc", texts, strict=False), *zip("xyz", overlays, strict=False)]
    sources = [SourceText(f"{n}.yaml", t if isinstance(t, bytes) else t.encode()) for n, t in named]
    check_result(loaded, found, quotable(sources))


@settings(max_examples=120, deadline=None)
@given(st.binary(max_size=200))
@example(b"\xef\xbb\xbf\xef\xbb\xbf")
@example(b"\xff\xfe\x00")
@example(b"\xfe\xff\xd8")
@example(b"\r")
def test_any_bytes_give_findings(data: bytes) -> None:
    load_and_check(data)
    load_and_check(POLICY.encode() + b"spec:\n  a: " + data)


@settings(max_examples=120, deadline=None)
@given(st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_text_gives_findings(data: bytes) -> None:
    load_and_check(data, overlays=(data,))


@settings(max_examples=250, deadline=None)
@given(headed, headed)
def test_anything_like_yaml_gives_findings(first: str, second: str) -> None:
    load_and_check(first, second)
    load_and_check(
        POLICY + "spec: {tenants: [{name: a}], nodePools: []}\n", first, overlays=(second,)
    )


@settings(max_examples=120, deadline=None)
@given(headed, st.randoms(use_true_random=False))
def test_broken_policies_give_findings(text: str, chance: random.Random) -> None:
    data = bytearray((POLICY + "metadata: {name: lab}\nspec:\n  a: [1, 'b']\n" + text).encode())
    for _ in range(3):
        data[chance.randrange(len(data))] = chance.randrange(256)
    load_and_check(bytes(data))


@settings(max_examples=120, deadline=None)
@given(headed, headed)
def test_the_same_input_gives_the_same_result(first: str, second: str) -> None:
    one = load_texts(first, second)
    two = load_texts(first, second)
    assert one[1] == two[1]
    assert (one[0] and one[0].digest_input) == (two[0] and two[0].digest_input)


def as_text(data: object) -> object:
    """What a value is after it was written as YAML and read without types."""
    if isinstance(data, dict):
        return {key: as_text(value) for key, value in data.items()}
    if isinstance(data, list):
        return [as_text(value) for value in data]
    if isinstance(data, bool):
        return str(data).lower()
    return data if data is None else str(data)


@settings(max_examples=120, deadline=None)
@given(maps, st.sampled_from([True, False, None]), st.sampled_from([None, "'", '"', "|"]))
@example({"a": "0\u00a0", "b\u00a0": ["\u3000"]}, True, None)
def test_what_pyyaml_writes_is_read_back(
    data: dict[str, object], flow: bool, style: str | None
) -> None:
    whole = {"apiVersion": "gpupolicy.dev/v1alpha1", "kind": "GPUClusterPolicy", "spec": data}
    text = yaml.dump(
        whole,
        Dumper=yaml.SafeDumper,  # The C one quotes null without its tag.
        default_flow_style=flow,
        default_style=style,
        allow_unicode=True,
        sort_keys=False,
    )
    loaded = document(text)
    expected = as_text(whole)
    assert loaded.data == expected
    for path, value in steps(expected):
        span = loaded.span_of(path)
        if isinstance(value, str) and span.line == span.end_line and value.strip():
            assert yaml.load(written(loaded, span), yaml.CBaseLoader) == value
        if isinstance(path[-1], str):
            key_text = written(loaded, loaded.span_of(path, "key"))
            assert yaml.load(key_text.removeprefix("? "), yaml.CBaseLoader) == path[-1]


@settings(max_examples=120, deadline=None)
@given(headed)
def test_data_is_that_of_pyyaml_where_nothing_is_wrong(text: str) -> None:
    loaded, found = load_texts(text)
    if loaded is None or found or "<<" in text:
        return
    documents = [
        one for one in yaml.load_all(text, yaml.CBaseLoader) if one not in ("", "~", "null")
    ]
    policy = next(one for one in documents if one["kind"] == "GPUClusterPolicy")
    assert without_nulls(loaded.data.get("metadata")) == (without_nulls(policy.get("metadata")))
    if "tenants" not in text:
        assert without_nulls(loaded.data.get("spec")) == without_nulls(policy.get("spec"))


def without_nulls(data: object) -> object:
    """Make nulls, and the texts that PyYAML's untyped reader gives for them, the same."""
    if isinstance(data, dict):
        return {key: without_nulls(value) for key, value in data.items()}
    if isinstance(data, list):
        return [without_nulls(value) for value in data]
    return None if data in ("", "~", "null") else data


@settings(max_examples=120, deadline=None)
@given(st.one_of(headed, st.text(max_size=50)))
@example(POLICY + "a: 'x\\ud800'\n")
@example('a: "\\ud800"')
@example('a: "\\UFFFFFFFF"')
@example("%YAML 99999999999999999999999999.1\n---\n")
def test_the_python_parser_reads_the_same(text: str) -> None:
    """It is the stand-in where PyYAML has no C library."""
    data = text.encode("utf-8", "replace")
    fast, fast_found = load_texts(data)
    with mock.patch("gpupolicy.source.read.open_events", _open_python_events):
        slow, slow_found = load_texts(data)
    if not fast_found and not slow_found:
        assert slow.data == fast.data
        for path, _ in steps(fast.data):
            assert slow.span_of(path, "key") == fast.span_of(path, "key")
    # What only one of them takes is at the edges of YAML; neither may raise.
    assert (slow is None) <= bool(slow_found)


def test_the_python_parser_is_taken_where_the_c_library_is_missing() -> None:
    with mock.patch.dict("sys.modules", {"yaml._yaml": None}):
        assert document(POLICY + "spec: [a, {b: c}]\n").data["spec"] == ["a", {"b": "c"}]
        loaded, found = load_texts(POLICY + 'spec: "\\ud800"\n')
    assert loaded is None
    assert [one.code for one in found] == ["GP006"]


small = st.one_of(
    st.sampled_from([None, 1, "x", "", "a: b", [1, None], {"a": None}, {"a": 1, "b": {"c": []}}]),
    st.dictionaries(
        st.sampled_from(["a", "b"]), st.sampled_from([None, 1, "2", {"a": 3}]), max_size=2
    ),
)
names = st.sampled_from(["a", "b", "c", "d"])
specs = st.fixed_dictionaries(
    {},
    optional={
        "platform": small,
        "nodePools": st.lists(
            st.fixed_dictionaries(
                {"name": names},
                optional={"nodes": small, "sharing": small, "labels": small, "taints": small},
            ),
            unique_by=lambda pool: pool["name"],
        ),
        "tenants": st.lists(
            st.fixed_dictionaries(
                {"name": names},
                optional={
                    "quotas": st.lists(
                        st.fixed_dictionaries(
                            {"pool": names}, optional={"device": names, "limit": small}
                        ),
                        unique_by=lambda quota: (quota["pool"], quota.get("device")),
                    ),
                    "weight": small,
                },
            ),
            unique_by=lambda tenant: tenant["name"],
        ),
    },
)


def dump(spec: object) -> str:
    return yaml.dump({"spec": spec}, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False)


def laid(base: object, *patches: object) -> object:
    loaded = document(POLICY + dump(base), overlays=tuple(dump(patch) for patch in patches))
    check_result(loaded, [], loaded.texts)
    return json.loads(json.dumps(loaded.data.get("spec")))


@settings(max_examples=60, deadline=None)
@given(specs)
def test_an_empty_overlay_is_the_identity(base: dict[str, object]) -> None:
    assert laid(base, {}) == laid(base)


@settings(max_examples=60, deadline=None)
@given(specs, specs)
def test_laying_over_twice_is_as_once(base: dict[str, object], patch: dict[str, object]) -> None:
    assert laid(base, patch, patch) == laid(base, patch)


@settings(max_examples=60, deadline=None)
@given(specs, specs, specs)
def test_overlays_on_an_empty_policy_compose(
    first: dict[str, object], second: dict[str, object], third: dict[str, object]
) -> None:
    assert laid({}, first, second, third) == laid(laid({}, first, second), third)


@settings(max_examples=60, deadline=None)
@given(specs)
def test_a_policy_laid_over_itself_says_nothing_new(base: dict[str, object]) -> None:
    clean = laid({}, base)
    assert laid(clean, clean) == clean


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
@settings(max_examples=60, deadline=None)
@given(text=headed)
def test_line_ends_change_nothing(newline: str, text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    assert load_texts(text.replace("\n", newline))[1] == load_texts(text)[1]
