from __future__ import annotations

from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan
from gpupolicy.targets.gpu_operator import unsupported
from tests.targets import plans


def codes(plan: Plan) -> list[str]:
    return [found.code for found in unsupported(plan)]


def test_has_nothing_to_say_of_a_plain_plan() -> None:
    assert codes(plans.plan()) == []


def test_a_006_an_empty_strategy_is_approximated_with_both_ways_out() -> None:
    pools = (
        plans.pool(mig=plans.mig()),
        plans.pool("single", 1, mig=plans.mig("single")),
        plans.pool("mps", 2, sharing=plans.sharing("mps")),
    )
    (found,) = unsupported(plans.plan(pools=pools, mig_strategy=""))
    assert found.code == "GP501"
    assert "('train' mixed, 'single' single, 'mps' mps)" in found.message
    assert found.path == ("spec", "nodePools", 2, "sharing")
    assert found.hint is not None
    assert "migStrategy: mixed" in found.hint


def test_a_whole_object_can_leave_the_strategy_out() -> None:
    platform = plans.platform(gpu_operator_write="clusterPolicy")
    operator = plans.operator(cluster_policy={"mig": {}})
    plan = plans.plan(platform=platform, mig_strategy="", gpu_operator=operator)
    assert codes(plan) == []


def test_a_059_the_chart_of_an_older_release_makes_the_object_itself() -> None:
    components = {"gpuOperator": "26.3"}
    platform = plans.platform(components=components, gpu_operator_write="clusterPolicy")
    (found,) = unsupported(plans.plan(platform=platform))
    assert (found.code, found.severity) == ("GP502", Severity.ERROR)
    assert "26.3" in found.message


def test_a_030_pools_without_an_exporter_are_named() -> None:
    platform = plans.platform(components={"prometheus": "0"})
    pools = (plans.pool(node=plans.node(taints=[plans.BARE_TAINT])), plans.pool("free", 1))
    (found,) = unsupported(
        plans.plan(platform=platform, pools=pools, monitoring=plans.monitoring())
    )
    assert found.code == "GP503"
    assert found.message == (
        "no exporter of GPU metrics is known for 'train', 'free'; 'train' with taints will be dark"
    )


def test_a_057_another_vendors_operator_is_told_which_taints_to_bear() -> None:
    pools = (plans.pool("amd", gpu=plans.amd(), node=plans.node(taints=[plans.BARE_TAINT])),)
    (found,) = unsupported(plans.plan(pools=pools))
    assert (found.code, found.severity) == ("GP504", Severity.NOTE)
    assert "dedicated=ml:NoSchedule" in found.message
