"""The nearest word, unless it says the opposite."""

from __future__ import annotations

import time

import pytest

from gpupolicy.diagnostics.nearest import is_opposite
from gpupolicy.diagnostics.nearest import nearest
from gpupolicy.diagnostics.nearest import opposite
from tests.cases.outcome import compile_text
from tests.cases.outcome import policy


@pytest.mark.parametrize(
    ("word", "legal", "meant"),
    [
        ("tenats", ["quotas", "tenants"], "tenants"),
        ("zzz", ["quotas", "tenants"], None),
        ("gpusPerNod", ["gpusPerNode", "nodes"], "gpusPerNode"),
        ("max_run_time", ["maxRunTime"], "maxRunTime"),
        ("NoExecut", ["NoSchedule", "NoExecute"], "NoExecute"),
        ("enable", ["enabled"], "enabled"),
        ("minn", ["max", "min"], "min"),
        ("notebook", ["notebooks"], "notebooks"),
    ],
)
def test_the_nearest_word(word: str, legal: list[str], meant: str | None) -> None:
    assert nearest(word, legal) == meant


@pytest.mark.parametrize(
    ("word", "legal"),
    [
        ("all-enabled", "all-disabled"),
        ("disabled", "enabled"),
        ("unmanaged", "managed"),
        ("nonPreemptible", "preemptible"),
        ("not-preemptible", "preemptible"),
        ("noRename", "rename"),
        ("Schedule", "NoSchedule"),
        ("PreferSchedule", "PreferNoSchedule"),
        ("gpu-high-utilization", "gpu-low-utilization"),
    ],
)
def test_the_opposite_is_never_meant(word: str, legal: str) -> None:
    assert nearest(word, [legal]) is None
    assert opposite(word, [legal]) == legal
    assert is_opposite(legal, word)


def test_a_word_of_the_same_sense_is_found_behind_one_of_the_opposite() -> None:
    assert nearest("all-enabeld", ["all-disabled", "all-enabled-v2"]) == "all-enabled-v2"


def test_many_long_words_take_no_time() -> None:
    start = time.process_time()
    nearest("x" * 100_000, ["x" * 90_000 + str(n) for n in range(20_000)])
    assert time.process_time() - start < 5


_CUT = "nodePools: [{name: a, gpu: A100-SXM4-80GB, nodes: 1, gpusPerNode: 8, sharing: {mig: %s}}]"


@pytest.mark.parametrize(
    ("layout", "hint"),
    [
        ("all-enabled", "MIG without instances gives pods no GPU: name a layout; names for A100"),
        ("'true'", "MIG without instances gives pods no GPU: name a layout; names for A100"),
        ("all-disable", "MIG off is an empty layout, {}, or no 'mig' at all"),
        ("none", "MIG off is an empty layout, {}, or no 'mig' at all"),
        ("all-balance", "did you mean 'all-balanced'? names for A100"),
    ],
)
def test_a_layout_that_only_switches(layout: str, hint: str) -> None:
    (found,) = compile_text(policy(_CUT % layout)).found()
    assert (found.code, (found.hint or "")[: len(hint)]) == ("GP202", hint)


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("unmanaged: true", "there is 'managed', which says the opposite"),
        ("taints: [{key: a, effect: Schedule}]", None),
    ],
)
def test_a_key_or_a_value_of_the_opposite_sense(written: str, hint: str | None) -> None:
    text = policy(f"nodePools: [{{name: a, gpu: A10, nodes: 1, gpusPerNode: 1, {written}}}]")
    (found,) = compile_text(text).found()
    assert found.hint == hint
