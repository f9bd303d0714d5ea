"""Which alerts follow from a policy: in numbers, by version, and how many tests there are."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from gpupolicy.facts.alerts import alerts
from gpupolicy.facts.components import component
from gpupolicy.facts.metrics import metrics
from gpupolicy.plan import names
from gpupolicy.plan.model import Plan
from gpupolicy.plan.monitoring import with_tests
from gpupolicy.plan.monitoring_labels import alert_labels
from gpupolicy.plan.monitoring_model import MonitoringPlan
from gpupolicy.plan.monitoring_model import RuleGroupPlan
from gpupolicy.plan.monitoring_model import RulePlan
from gpupolicy.plan.monitoring_render import evaluated
from gpupolicy.plan.monitoring_templates import decimal
from gpupolicy.plan.monitoring_templates import threshold_words
from gpupolicy.plan.monitoring_text import Text
from tests.plan.policies import example
from tests.plan.policies import plan_of
from tests.plan.policies import small

HOUR = 3600 * 10**9
MINUTE = 60 * 10**9


def monitoring(plan: Plan) -> MonitoringPlan:
    assert plan.monitoring is not None
    return plan.monitoring


def rules(plan: Plan, group: str) -> list[RulePlan]:
    (found,) = [one for one in monitoring(plan).groups if one.name == group]
    return list(found.rules)


def rule(plan: Plan, group: str, name: str, **labels: str) -> RulePlan:
    found = [r for r in rules(plan, group) if r.name == name and labels.items() <= r.labels.items()]
    assert len(found) == 1, [(r.name, r.labels) for r in found]
    return found[0]


EXAMPLE = plan_of(example())


def test_no_rules_without_prometheus() -> None:
    text = small("    - {name: a, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 8}", "    []")
    assert plan_of(text).monitoring is None


def test_the_groups_of_the_example() -> None:
    """The parent has no queue, so it has no rules either."""
    assert [group.name for group in monitoring(EXAMPLE).groups] == [
        "gpupolicy",
        "gpupolicy-pool-train",
        "gpupolicy-pool-infer",
        "gpupolicy-pool-dev",
        "gpupolicy-pool-cpu",
        "gpupolicy-tenant-algorithm",
        "gpupolicy-tenant-product",
    ]


@pytest.mark.parametrize(
    ("pool", "device", "promised"),
    [
        # 64 + 56 on the top level; the children's 64 are inside the budget of research.
        ("train", "gpu", "120"),
        ("infer", "1g.10gb", "64"),
        ("infer", "2g.20gb", "24"),
        ("infer", "3g.40gb", "16"),
        # One node at least: 8 of its 4 guaranteed replicas are there, so all 4 can be missing.
        ("dev", "gpu", "4"),
        ("cpu", "cpu", "200"),
    ],
)
def test_what_a_pool_owes(pool: str, device: str, promised: str) -> None:
    """Sums of the top level; where a parent says nothing of a device its children count."""
    found = rule(EXAMPLE, f"gpupolicy-pool-{pool}", "GpuPolicyPoolBelowGuarantees", device=device)
    assert f"or vector(0)) < {promised} and" in found.expr


def test_an_autoscaled_pool_owes_what_its_least_nodes_offer() -> None:
    pools = (
        "    - {name: a, gpu: A10, nodes: {min: 1, max: 4, selector: {x/y: z}}, gpusPerNode: 2}\n"
        "    - {name: b, gpu: T4, nodes: {min: 0, max: 4, selector: {x/y: w}}, gpusPerNode: 2}"
    )
    tenants = (
        "    - {name: t, namespaces: [t], "
        "quotas: [{pool: a, guaranteed: 6}, {pool: b, guaranteed: 6}]}"
    )
    plan = plan_of(small(pools, tenants, 'kueue: {version: "0.19"}, prometheus: {}'))
    assert "< 2 and" in rule(plan, "gpupolicy-pool-a", "GpuPolicyPoolBelowGuarantees").expr
    names = {found.name for found in rules(plan, "gpupolicy-pool-b")}
    assert "GpuPolicyPoolBelowGuarantees" not in names


def test_a_wait_on_an_edge() -> None:
    found = rule(
        EXAMPLE,
        "gpupolicy-tenant-product",
        "gpupolicy:queue_wait_errors:ratio_rate1h",
        priority_class="realtime",
    )
    assert found.labels == {"tenant": "product", "sla": "interactive", "priority_class": "realtime"}
    assert 'le=~"40([.]0)?"' in found.expr
    assert found.expr.count("[1h]") == 2


def test_a_wait_between_two_edges_is_interpolated_exactly() -> None:
    """5h = 18000 s lies between 10240 and 20480: (18000 - 10240) / 10240 = 0.7578125."""
    found = rule(
        EXAMPLE,
        "gpupolicy-tenant-algorithm",
        "gpupolicy:queue_wait_errors:ratio_rate6h",
        priority_class="batch",
    )
    assert "+ 0.7578125 * (sum(rate(" in found.expr
    assert 'le=~"10240([.]0)?"' in found.expr
    assert 'le=~"20480([.]0)?"' in found.expr


def test_burn_rates_are_multiples_of_the_budget() -> None:
    def of(group: str, name: str, priority_class: str) -> str:
        return rule(EXAMPLE, group, name, priority_class=priority_class).expr

    wait = of("gpupolicy-tenant-product", "GpuPolicyQueueWaitBurn", "realtime")
    assert re.findall(r"> (\S+)", wait) == ["0.144", "0.144", "0.06", "0.06"]
    slow = of("gpupolicy-tenant-algorithm", "GpuPolicyQueueWaitBurnSlow", "batch")
    assert re.findall(r"> (\S+)", slow) == ["0.05", "0.05"]


def test_what_is_waited_for_is_what_the_sla_allows() -> None:
    """At least a quarter of an hour, since admissions are counted over so long."""
    long = rule(EXAMPLE, "gpupolicy-tenant-algorithm", "GpuPolicyQueueStarved")
    short = rule(EXAMPLE, "gpupolicy-tenant-product", "GpuPolicyQueueStarved")
    assert (long.for_, short.for_) == (5 * HOUR, 15 * MINUTE)


def test_only_the_highest_class_is_protected() -> None:
    found = [
        r.labels["priority_class"]
        for r in rules(EXAMPLE, "gpupolicy-tenant-product")
        if r.name == "GpuPolicyProtectedWorkloadPreempted"
    ]
    assert found == ["realtime"]


def test_a_tenant_that_serves_is_not_blamed_for_full_memory() -> None:
    product = {r.name for r in rules(EXAMPLE, "gpupolicy-tenant-product")}
    algorithm = {r.name for r in rules(EXAMPLE, "gpupolicy-tenant-algorithm")}
    assert "GpuPolicyMemoryPressure" in algorithm - product
    assert "GpuPolicyIdleWhileAllocated" in algorithm - product


OPERATORS = ["24.9", "25.3.0", "25.3.3", "25.10.0", "25.10.1", "26.3", "26.3.2", "26.7"]


@pytest.mark.parametrize("operator", OPERATORS)
def test_nothing_reads_or_counts_what_the_exporter_does_not_know(operator: str) -> None:
    text = example().replace(
        'gpuOperator: {version: "26.7"}', f'gpuOperator: {{version: "{operator}"}}'
    )
    plan = plan_of(text)
    (config,) = [monitoring(plan).counters]
    assert config is not None
    lines = [line.split(", ") for line in config.files["dcgm-metrics.csv"].splitlines()[1:]]
    counted = {name for name, _, _ in lines}
    assert len(counted) == len(lines)
    read = {
        name
        for group in monitoring(plan).groups
        for found in group.rules
        for name in re.findall(r"DCGM_\w+", found.expr)
    }
    assert read <= counted
    exporter = plan_exporter(operator)
    for name, kind, _ in lines:
        assert metrics().fields[name].known_to(exporter)
        assert kind == metrics().fields[name].type_at(exporter)


def plan_exporter(operator: str) -> str:
    return component("gpuOperator").resolve(operator).parts["dcgmExporter"]


def test_what_an_old_exporter_lacks_is_said_once() -> None:
    text = example().replace('gpuOperator: {version: "26.7"}', 'gpuOperator: {version: "24.9"}')
    (found,) = [one for one in monitoring(plan_of(text)).findings if one.code == "GP560"]
    assert found.path == ("spec", "platform", "gpuOperator", "version")
    assert any("gpu-recovery-action" in note for note in found.notes)


def test_a_policys_own_alert_brings_its_field_along() -> None:
    pools = "    - {name: a, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 8}"
    own = "monitoring: {alerts: [{name: full, expr: DCGM_FI_DEV_FB_TOTAL < 1}]}"
    plan = plan_of(small(pools, "    []", "prometheus: {}", own))
    config = monitoring(plan).counters
    assert config is not None
    assert "\nDCGM_FI_DEV_FB_TOTAL, gauge, " in config.files["dcgm-metrics.csv"]
    (full,) = rules(plan, "gpupolicy-user")
    assert (full.name, full.expr) == ("GpuPolicyFull", "DCGM_FI_DEV_FB_TOTAL < 1")
    assert full.labels == {"gpupolicy": "small", "severity": "warning"}


def test_an_alert_of_the_policy_takes_the_place_of_ours() -> None:
    pools = "    - {name: a, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 8}"
    own = "monitoring: {alerts: [{name: pool-dark, expr: up == 0}]}"
    plan = plan_of(small(pools, "    []", "prometheus: {}", own))
    found = [
        (group.name, r.expr)
        for group in monitoring(plan).groups
        for r in group.rules
        if r.name == "GpuPolicyPoolDark"
    ]
    assert found == [("gpupolicy-user", "up == 0")]


@pytest.mark.parametrize("name", list(alerts()))
def test_every_alert_can_be_switched_off(name: str) -> None:
    off = f"alerts: [{{name: {name}, enabled: false}}]\n    receivers"
    text = example().replace(
        "alerts: [{name: gpu-low-utilization, threshold: 20%, for: 1h}]", "", 1
    )
    text = text.replace("receivers", off, 1)
    plan = plan_of(text)
    found = {r.name for group in monitoring(plan).groups for r in group.rules}
    assert names.alert(name) not in found
    assert len(found) > 40


def test_keep_firing_for_is_left_out_of_an_old_prometheus() -> None:
    text = example().replace("prometheus: {labels", 'prometheus: {version: "2.41", labels')
    plan = plan_of(text)
    kept = [r for group in monitoring(plan).groups for r in group.rules if r.keep_firing_for]
    assert kept == []
    assert "GP570" in [found.code for found in monitoring(plan).findings]
    assert any(r.keep_firing_for for r in rules(EXAMPLE, "gpupolicy-pool-train"))


def many(count: int) -> list[RuleGroupPlan]:
    pools = "    - {name: a, gpu: H100-SXM5-80GB, nodes: 400, gpusPerNode: 8}"
    tenants = "\n".join(
        f"    - {{name: t{i:03}, namespaces: [n{i}], "
        f"quotas: [{{pool: a, guaranteed: {i % 2}, limit: 8}}]}}"
        for i in range(count)
    )
    plan = plan_of(small(pools, tenants, 'kueue: {version: "0.19"}, prometheus: {}'))
    return [group for group in monitoring(plan).groups if "-tenant-" in group.name]


def test_of_many_tenants_one_of_each_kind_is_tested() -> None:
    assert all(group.tested for group in many(200))
    groups = many(201)
    tested = [group.name for group in groups if group.tested]
    assert tested == ["gpupolicy-tenant-t000", "gpupolicy-tenant-t001"]
    assert [g.tested for g in with_tests(reversed(groups))] == [g.tested for g in reversed(groups)]


def test_labels_of_tenants_on_alerts() -> None:
    assert alert_labels({"a.b/c-d": "1", "1st": "2", "node": "3", "tenant": "4"}) == {
        "a_b_c_d": "1",
        "_1st": "2",
        "label_node": "3",
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [("1/5", "0.2"), ("3/2", "1.5"), ("333/1000", "0.333"), ("40", "40"), ("-5/2", "-2.5")],
)
def test_decimals_are_exact(value: str, text: str) -> None:
    assert decimal(Fraction(value)) == text


def test_a_number_without_end_is_no_decimal() -> None:
    with pytest.raises(ValueError, match="no end"):
        decimal(Fraction(2, 3))


def test_values_on_either_side_of_a_threshold() -> None:
    low = alerts()["gpu-low-utilization"].threshold
    margin = alerts()["gpu-thermal-margin-low"].threshold
    assert low is not None
    assert margin is not None
    words = threshold_words(low, Fraction(1, 5))
    assert (words["below"], words["threshold"], words["above"]) == ("0.1", "0.2", "0.6")
    words = threshold_words(margin, Fraction(11, 2))
    assert (words["below"], words["threshold"], words["above"]) == ("5", "5.5", "6")


def test_text_keeps_what_is_no_word() -> None:
    text = Text('floor(x{a="%{pool}"} / 32) % 2 == bool 1 {{ $labels.node }} %')
    assert text.write({"pool": "train"}) == (
        'floor(x{a="train"} / 32) % 2 == bool 1 {{ $labels.node }} %'
    )
    assert Text("5 % 2").write({}) == "5 % 2"
    assert Text.plain("%{not} a word %(s)").write({}) == "%{not} a word %(s)"


def test_annotations_are_evaluated_as_prometheus_does() -> None:
    text = "{{ $labels.node }}: {{ $value | humanizePercentage }} of {{ $value }}{{ $labels.x }}"
    assert evaluated(text, {"node": "n1"}, "0.1665") == "n1: 16.65% of 0.1665"
