from __future__ import annotations

from typing import Any

from gpupolicy.diagnostics.model import Severity
from gpupolicy.targets.nodes import unsupported
from tests.targets import plans


def found_for(**fields: Any) -> list[Any]:
    return list(unsupported(plans.plan(pools=(plans.pool(**fields),))))


def test_has_nothing_to_say_of_what_a_rule_can() -> None:
    assert found_for(node=plans.node(taints=[plans.TAINT])) == []


def test_says_why_a_pool_falls_back_to_the_script() -> None:
    nodes = plans.node(way="script", selector={"a": "b"}, reasons=["NFD cannot see node labels"])
    (found,) = found_for(node=nodes)
    assert (found.code, found.severity) == ("GP510", Severity.NOTE)
    assert found.message.startswith("labels of pool 'train' are set by")
    assert found.message.endswith("NFD cannot see node labels")
    bare = plans.node(taints=[plans.BARE_TAINT], reasons=["NFD sets no such taint"])
    (found,) = found_for(node=bare)
    assert found.message.startswith("taints of pool 'train' are set by")


def test_says_that_taints_of_patched_nodes_are_the_scripts() -> None:
    nodes = plans.node(way="patches", names=["n"], taints=[plans.TAINT])
    (found,) = found_for(node=nodes)
    assert found.message.startswith("taints of pool 'train' are set by")
    assert found_for(node=plans.node(way="patches", names=["n"])) == []


def test_kubelet_settings_are_set_by_hand() -> None:
    (found,) = found_for(numa_policy="restricted")
    assert found.code == "GP513"
    assert "'restricted'" in found.message
