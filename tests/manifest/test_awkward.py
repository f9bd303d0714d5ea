"""Every awkward text is read back as it was, by YAML 1.1, YAML 1.2 and Go, wherever it stands."""

from __future__ import annotations

from typing import Any

import pytest
import ruamel.yaml
import yaml

from gpupolicy.manifest.canonical import dump
from tests.manifest.awkward import AWKWARD
from tests.tools import go_reader


def _places(text: str) -> dict[str, Any]:
    return {
        "value": {"k": text},
        "item": [text, text],
        "key": {text: "v", "x": {text: {text: text}}},
        "nested": {"a": {"b": [{"c": text, "d": [text, [text, [text]]]}], "e": text}, "z": "z"},
        "item key": {"x": [[{text: text, "y": text}], {text: [text]}]},
        "document": text,
    }


def _read_by_ruamel(text: str) -> Any:
    return ruamel.yaml.YAML(typ="safe", pure=True).load(text)


READERS = {
    "pyyaml": yaml.safe_load,
    "libyaml": lambda text: yaml.load(text, yaml.CSafeLoader),
    "ruamel": _read_by_ruamel,
}


def test_the_matrix_is_as_large_as_the_one_that_other_emitters_were_measured_with() -> None:
    assert len(AWKWARD) >= 179


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", AWKWARD, ids=ascii)
def test_python_readers_read_the_same_text(text: str, reader: str) -> None:
    for place, data in _places(text).items():
        assert READERS[reader](dump(data)) == data, place


@pytest.mark.tools
def test_go_readers_read_the_same_text() -> None:
    cases = [data for text in AWKWARD for data in _places(text).values()]
    answers = go_reader.read("yaml", [dump(data) for data in cases])
    wrong = [
        (reader, data, answer[reader])
        for data, answer in zip(cases, answers, strict=True)
        for reader in ("kubectl", "v3")
        if answer[reader] != data
    ]
    assert wrong == []


def test_the_readers_do_disagree_about_plain_text() -> None:
    """The matrix can fail: written plainly, much of it is read as something else."""
    lost = sum(1 for text in AWKWARD if "\n" not in text and not _survives_plainly(text))
    assert lost > 150


def _survives_plainly(text: str) -> bool:
    try:
        return all(read(f"k: {text}\n") == {"k": text} for read in READERS.values())
    except (yaml.YAMLError, ruamel.yaml.error.YAMLError, ValueError, OverflowError):
        return False


@pytest.mark.parametrize(
    "text",
    ["nvidia.com/gpu", "1g.10gb", "102857m", "900Gi", "2k", "on-call", "sum(rate(x[5m])) > 0.5"],
)
def test_what_no_reader_mistakes_stays_plain(text: str) -> None:
    assert dump({"k": text}) == f"k: {text}\n"


@pytest.mark.parametrize("text", ["NO", "on", "No", "12345", "2024-01-01", "true", "007", "1.34"])
def test_a_070_a_075_words_and_numbers_that_are_text_are_quoted(text: str) -> None:
    assert dump({"metadata": {"labels": {"cost-centre": text}}}) == (
        f'metadata:\n  labels:\n    cost-centre: "{text}"\n'
    )
