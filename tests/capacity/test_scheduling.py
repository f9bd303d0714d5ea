from __future__ import annotations

from typing import Any

import pytest

from gpupolicy.capacity.scheduling import Holders
from gpupolicy.capacity.scheduling import holders
from gpupolicy.capacity.scheduling import reserve_is_lent
from gpupolicy.spec.v1alpha1.policy import Policy


def _policy(
    components: str, scheduling: dict[str, Any] | None = None, kueue: str = "0.19"
) -> Policy:
    platform: dict[str, Any] = {"kubernetes": "1.34"}
    for name in components.split():
        platform[name] = {"version": kueue} if name == "kueue" else {}
    spec = {"platform": platform, "scheduling": scheduling or {}}
    return Policy.model_validate({"metadata": {"name": "p"}, "spec": spec})


@pytest.mark.parametrize(
    ("components", "scheduling", "expected"),
    [
        ("", {}, ("resourceQuota", "none")),
        ("kueue", {}, ("kueue", "kueue")),
        ("volcano", {}, ("volcano", "volcano")),
        ("kai", {}, ("kai", "kai")),
        ("kueue volcano", {}, ("kueue", "volcano")),
        ("kueue kai", {}, ("kueue", "kai")),
        ("kueue", {"gang": "none"}, ("kueue", "none")),
        ("kueue volcano", {"gang": "kueue"}, ("kueue", "kueue")),
        ("kueue volcano", {"quota": "volcano"}, ("volcano", "volcano")),
        ("kueue", {"quota": "resourceQuota"}, ("resourceQuota", "none")),
        ("volcano", {"gang": "none"}, ("resourceQuota", "none")),
        ("", {"gang": "kai"}, ("kai", "kai")),
    ],
)
def test_defaults_follow_from_what_is_installed(
    components: str, scheduling: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert holders(_policy(components, scheduling)) == expected


def test_legal_pairs() -> None:
    quota = ("kueue", "volcano", "kai", "resourceQuota")
    gang = ("kueue", "volcano", "kai", "none")
    legal = {(q, g) for q in quota for g in gang if Holders(q, g).is_legal}
    assert legal == {
        ("kueue", "kueue"), ("kueue", "volcano"), ("kueue", "kai"), ("kueue", "none"),
        ("volcano", "volcano"), ("kai", "kai"), ("resourceQuota", "none"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("components", "kueue", "lent"),
    [
        ("kueue", "0.19", True),
        ("kueue", "0.20", True),
        ("kueue", "0.18", False),
        ("kueue volcano", "0.19", False),
        ("volcano", "0.19", True),
        ("", "0.19", False),
    ],
)
def test_reserve_is_lent_only_where_a_borrower_goes_when_a_node_is_lost(
    components: str, kueue: str, lent: bool
) -> None:
    assert reserve_is_lent(_policy(components, kueue=kueue)) is lent
