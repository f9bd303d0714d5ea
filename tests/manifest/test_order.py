from __future__ import annotations

import time
from typing import Any

from gpupolicy.manifest.key import ObjectKey
from gpupolicy.manifest.key import key_of
from gpupolicy.manifest.order import depths


def _cohort(name: str, parent: str | None) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Cohort",
        "metadata": {"name": name},
        "spec": {"parentName": parent} if parent else {},
    }


def _depths(*pairs: tuple[str, str | None]) -> dict[str, int]:
    objects: dict[ObjectKey, Any] = {}
    for data in (_cohort(*pair) for pair in pairs):
        objects[key_of(data)] = data
    return {key.name: depth for key, depth in depths(objects).items()}


def test_depth_counts_the_ancestors_that_are_there() -> None:
    found = _depths(("c", "b"), ("a", None), ("b", "a"), ("x", "elsewhere"), ("d", "b"))
    assert found == {"b": 1, "c": 2, "d": 2}


def test_a_circle_of_parents_is_the_same_from_everywhere() -> None:
    pairs = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")]
    found = _depths(*pairs)
    assert found == {"a": 2, "b": 1, "c": 1, "d": 3}
    assert _depths(*reversed(pairs)) == found


def test_a_chain_is_walked_through_once() -> None:
    # Counted anew for every object this would take minutes.
    started = time.process_time()
    count = 20_000
    found = _depths(("n0", None), *((f"n{i}", f"n{i - 1}") for i in range(1, count)))
    assert found[f"n{count - 1}"] == count - 1
    assert time.process_time() - started < 20
