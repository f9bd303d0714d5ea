from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.reach import reach
from gpupolicy.capacity.reach import reaches
from gpupolicy.capacity.resolve import resolve
from gpupolicy.capacity.tree import cell_trees
from gpupolicy.facts.catalog import facts
from gpupolicy.spec.v1alpha1.policy import Policy

POOL: dict[str, Any] = {"name": "train", "gpu": "H100-SXM5-80GB", "nodes": 16, "gpusPerNode": 8}


def _tenant(name: str, parent: str | None = None, **numbers: int | str) -> dict[str, Any]:
    quotas = [{"pool": "train", **numbers}] if numbers else []
    tenant: dict[str, Any] = {"name": name, "quotas": quotas}
    return {**tenant, "parent": parent} if parent else tenant


def _capacity(*tenants: dict[str, Any], **pool: Any) -> Capacity:
    spec = {
        "platform": {"kubernetes": "1.34"},
        "nodePools": [{**POOL, **pool}],
        "tenants": list(tenants),
    }
    return resolve(Policy.model_validate({"metadata": {"name": "p"}, "spec": spec}), facts())


def test_the_design_example() -> None:
    capacity = _capacity(
        _tenant("research", guaranteed=64),
        _tenant("algorithm", "research", guaranteed=64, limit=96, lend=32),
        _tenant("product", guaranteed=56, limit=88),
        reserve={"nodes": 1},
    )
    lent = reach(capacity, "train", "gpu")
    assert lent == {"algorithm": 96, "research": 96, "product": 88}
    kept = reach(capacity, "train", "gpu", reserve_lent=False)
    assert kept == {"algorithm": 96, "research": 88, "product": 88}


def test_a_tree_seen_on_a_real_kueue() -> None:
    """A run on Kueue 0.19: a child alone reached 80, the outsider alone 88."""
    capacity = _capacity(
        _tenant("org", guaranteed=80, limit=96, lend=40),
        _tenant("a", "org", guaranteed=40),
        _tenant("b", "org", guaranteed=24, lend=8),
        _tenant("outsider", guaranteed=48),
    )
    assert reach(capacity, "train", "gpu") == {"a": 80, "b": 96, "org": 80, "outsider": 88}


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [({"guaranteed": 8}, 128), ({"guaranteed": 8, "limit": 12}, 12), ({"guaranteed": "50%"}, 128)],
)
def test_a_tenant_alone_reaches_what_nobody_has(numbers: dict[str, Any], expected: int) -> None:
    capacity = _capacity(_tenant("a", **numbers))
    assert reach(capacity, "train", "gpu") == {"a": expected}


def test_a_parent_without_a_number_is_the_sum_of_its_children() -> None:
    capacity = _capacity(
        _tenant("top"),
        _tenant("middle", "top", limit=50),
        _tenant("a", "middle", guaranteed=10),
        _tenant("b", "middle", guaranteed=20),
    )
    nodes = cell_trees(capacity)[("train", "gpu")].nodes
    assert {name: node.guaranteed for name, node in nodes.items()} == {
        "a": 10, "b": 20, "middle": 30, "top": 30,
    }  # fmt: skip
    assert reach(capacity, "train", "gpu")["a"] == 50


def test_cycles_and_unknown_parents_end() -> None:
    capacity = _capacity(
        _tenant("a", "b", guaranteed=8),
        _tenant("b", "a", guaranteed=8),
        _tenant("c", "nobody", guaranteed=8),
        _tenant("d", "d", guaranteed=8),
    )
    assert set(reach(capacity, "train", "gpu")) == {"c"}


def test_of_two_tenants_with_one_name_the_first_counts_once() -> None:
    capacity = _capacity(
        _tenant("x", guaranteed=8),
        _tenant("y", guaranteed=8),
        _tenant("a", "x", guaranteed=8),
        _tenant("a", "y", guaranteed=8),
    )
    tree = cell_trees(capacity)[("train", "gpu")]
    assert (tree.nodes["x"].children, tree.nodes["y"].children) == (("a",), ())


@st.composite
def _trees(draw: st.DrawFn) -> list[dict[str, Any]]:
    tenants = []
    for index in range(draw(st.integers(1, 7))):
        parent = draw(st.sampled_from([None, *[f"t{i}" for i in range(index)]]))
        numbers = {}
        for key in ("guaranteed", "limit", "lend"):
            number = draw(st.none() | st.integers(0, 40))
            if number is not None:
                numbers[key] = number
        tenants.append(_tenant(f"t{index}", parent, **numbers))
    return tenants


@given(_trees(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_reach_is_the_recursion_of_the_documentation(
    tenants: list[dict[str, Any]], lent: bool
) -> None:
    """Kueue's `potentialAvailable`, written top down from its text, tenant by tenant."""
    capacity = _capacity(*tenants, reserve={"nodes": 1})
    rows = {t["name"]: t["quotas"][0] if t["quotas"] else {} for t in tenants}
    above = {t["name"]: t.get("parent") for t in tenants}
    under = {name: [c for c, p in above.items() if p == name] for name in rows}

    def has_line(name: str) -> bool:
        return bool(rows[name]) or any(has_line(child) for child in under[name])

    def guaranteed(name: str) -> int:
        return rows[name].get("guaranteed", sum(guaranteed(child) for child in under[name]))

    def subtree(name: str) -> int:
        kept = guaranteed(name) - sum(guaranteed(child) for child in under[name])
        return max(kept, 0) + sum(subtree(child) - local(child) for child in under[name])

    def local(name: str) -> int:
        return max(0, subtree(name) - rows[name].get("lend", 10**9))

    def potential(name: str | None) -> int:
        if name is None:
            top = [n for n, p in above.items() if p is None]
            spare = max((128 if lent else 120) - sum(guaranteed(n) for n in top), 0)
            return spare + sum(subtree(n) - local(n) for n in top)
        available = local(name) + potential(above[name])
        if "limit" not in rows[name]:
            return available
        most = subtree(name) + max(rows[name]["limit"] - guaranteed(name), 0)
        return min(available, most)

    found = {t: n for (t, _, _), n in reaches(capacity, reserve_lent=lent).items()}
    assert found == {name: potential(name) for name in rows if has_line(name)}
