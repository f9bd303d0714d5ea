"""No rule reads what the facts say is not there: for the pool, for the release, at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.read import read_sources
from gpupolicy.facts.metrics import metrics
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import PoolPlan
from tests.blueprints import ALL
from tests.conftest import ROOT
from tests.targets.prometheus.policies import VARIANTS
from tests.targets.prometheus.policies import compiled

FIELDS = metrics().fields
SERIES = {series.name: series for series in metrics().series.values()}
BLUEPRINTS = {blueprint.name: blueprint for blueprint in ALL}


def plan_of(name: str) -> Plan:
    if name in VARIANTS:
        found = compiled(name).plan
    else:
        one = BLUEPRINTS[name]
        paths = [[str(ROOT / one.path)], [str(ROOT / o) for o in one.overlays if o[0] != "-"]]
        found = compile_policy(*(read_sources(each) if each else () for each in paths)).plan
    assert found is not None
    return found


def fields_of(plan: Plan, prefix: str) -> Iterator[tuple[str, set[str]]]:
    """Give the exporter's fields that each group of a kind reads, by what the group is about."""
    assert plan.monitoring is not None
    for group in plan.monitoring.groups:
        if group.name.startswith(prefix):
            words = {w for rule in group.rules for w in re.findall(r"[A-Za-z_]\w*", rule.expr)}
            yield group.name.removeprefix(prefix), words & FIELDS.keys()


def lacks(pool: PoolPlan, field: str) -> bool:
    all_cut = pool.mig is not None and all(group.profiles for group in pool.mig.groups)
    no_profiling = pool.gpu is None or not pool.gpu.profiling
    return (all_cut and FIELDS[field].mig == "absent") or (FIELDS[field].profiling and no_profiling)


@pytest.mark.parametrize("name", [*BLUEPRINTS, *VARIANTS])
def test_no_rule_reads_what_its_pool_lacks(name: str) -> None:
    plan = plan_of(name)
    if plan.monitoring is None:
        assert "prometheus" not in plan.platform.components
        return
    seen = 0
    for pool_name, fields in fields_of(plan, "gpupolicy-pool-"):
        pool = plan.pool(pool_name)
        assert [field for field in fields if lacks(pool, field)] == []
        assert pool.managed or not fields
        seen += len(fields)
    assert seen > 10 or plan.monitoring.exporter is None


@pytest.mark.parametrize("name", [*BLUEPRINTS, *VARIANTS])
def test_everything_that_is_read_is_counted(name: str) -> None:
    """By the exporter's own list, or by the one that is compiled in its place."""
    plan = plan_of(name)
    if plan.monitoring is None:
        return
    read = set().union(*(fields for _, fields in fields_of(plan, "gpupolicy")))
    config = plan.monitoring.counters
    if config is None:
        assert plan.monitoring.exporter is None
        assert read <= {"DCGM_FI_DEV_FB_TOTAL"}, "the policy's own alert, which is warned about"
    else:
        (text,) = config.files.values()
        assert read <= {line.split(",")[0] for line in text.splitlines()[1:]}


@pytest.mark.parametrize("name", [*BLUEPRINTS, *VARIANTS])
def test_series_are_those_of_what_is_installed(name: str) -> None:
    plan = plan_of(name)
    for group in plan.monitoring.groups if plan.monitoring else ():
        for rule in group.rules:
            for word in set(re.findall(r"[A-Za-z_]\w*", rule.expr)) & SERIES.keys():
                series = SERIES[word]
                if series.component == "kubeStateMetrics":
                    continue
                installed = plan.platform.component(series.component)
                assert installed is not None, (rule.name, word)
                assert series.known_to(str(installed.version)), (rule.name, word)
                if series.component in ("kueue", "volcano"):
                    assert plan.quota_holder == series.component
