"""SLAs -> what is measured: waits for each tenant and class, latencies for each tenant and SLA."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from fractions import Fraction

from gpupolicy.facts.metrics import Histogram
from gpupolicy.plan.model import LatencyPlan
from gpupolicy.plan.model import SlaPlan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.plan.monitoring_subjects import Subject
from gpupolicy.plan.monitoring_subjects import Surroundings
from gpupolicy.plan.monitoring_templates import decimal

_SECOND = 10**9
# Times the budget of 30 days: 2 % in an hour, 5 % in six hours, 10 % in three days (Google SRE
# workbook, chapter 5; sloth v0.16 internal/alert/windows/google-30d.yaml).
FACTORS = {"fast": Fraction("14.4"), "slow": Fraction(6), "ticket": Fraction(1)}


def class_subjects(
    around: Surroundings,
    tenant: Subject,
    plan: TenantPlan,
    own: Iterable[WorkloadPlan],
    histogram: Histogram | None,
) -> Iterator[Subject]:
    """Describe the tenant's work class by class, as far as an SLA binds it.

    `own` are its workloads with an SLA of their own; `histogram` counts waits. A Kueue that does
    not count by class measures all classes together, by the tenant's SLA. Only the highest class
    of a tenant is protected: the others give way to it.
    """
    highest = max((around.classes.get(name, 0) for name in plan.priority_classes), default=0)
    by_class = histogram is not None and len(histogram.labels) > 1
    for name, sla in _pairs(plan, own, around.slas, by_class=by_class).items():
        matcher = f', priority_class="{name}"' if by_class and plan.priority_classes else ""
        words = {
            **tenant.words,
            "sla": sla.name,
            "class": name,
            "class_matcher": matcher,
            "seconds": "",
        }
        found = set(tenant.conditions)
        if not sla.preemptible and by_class and around.classes.get(name, 0) >= highest:
            found.add("protected")
        if sla.wait_within and sla.wait_objective and histogram:
            bounds = _wait_words(histogram, Fraction(sla.wait_within, _SECOND))
            budget = _budget_words(sla.wait_objective)
            words |= bounds | budget | {"seconds": decimal(Fraction(sla.wait_within, _SECOND))}
            found |= _wait_conditions(bounds, budget)
        yield Subject("class", frozenset(found), words, tenant.labels)


def _pairs(
    plan: TenantPlan,
    own: Iterable[WorkloadPlan],
    slas: Mapping[str, SlaPlan],
    *,
    by_class: bool,
) -> dict[str, SlaPlan]:
    pairs = {}
    classes = plan.priority_classes if by_class else ()
    bound = slas.get(plan.sla or "")
    if bound:
        pairs = dict.fromkeys(classes or ("",), bound)
    for workload in own if by_class else ():
        bound = slas.get(workload.sla or "")
        if bound:
            pairs[workload.priority_class or ""] = bound
    return pairs


def _wait_words(histogram: Histogram, within: Fraction) -> dict[str, str]:
    """Give the bounds around a wait; none where the histogram cannot show it.

    Beyond the last bound nothing is told apart, and below the first one only that something was
    faster than that bound: a share of it would never reach the objective. `le_low` and `le_high`
    are for the tests, which give a series for each.
    """
    below, above = histogram.around(within)
    if below is None or above is None:
        return {}
    if below == above:
        return {"le": _le(above), "le_low": decimal(above), "le_high": "+Inf"}
    return {
        "le_below": _le(below),
        "le_above": _le(above),
        "le_low": decimal(below),
        "le_high": decimal(above),
        "part": _part((within - below) / (above - below)),
    }


def _part(part: Fraction) -> str:
    """Write a part exactly: as a decimal, or as a quotient where it has no end."""
    try:
        return decimal(part)
    except ValueError:
        return f"({part.numerator} / {part.denominator})"


def _le(bound: Fraction) -> str:
    """Match a bound: whole numbers read "40", and "40.0" from Prometheus 3 on and in Python."""
    text = decimal(bound)
    return f'le="{text}"' if "." in text else f'le=~"{text}([.]0)?"'


def _wait_conditions(bounds: Mapping[str, str], budget: Mapping[str, str]) -> set[str]:
    if not bounds:
        return set()
    found = {"wait"} | reachable(budget)
    return found | {"edge"} if "le" in bounds else found


def _budget_words(objective: Fraction) -> dict[str, str]:
    return {word: decimal(factor * (1 - objective)) for word, factor in FACTORS.items()}


def reachable(budget: Mapping[str, str]) -> set[str]:
    """Give the burn rates that a ratio, which is never above 1, can exceed."""
    return {word for word in ("fast", "slow") if Fraction(budget[word]) < 1}


def latency_subjects(
    around: Surroundings,
    tenant: Subject,
    plan: TenantPlan,
    own: Iterable[WorkloadPlan],
) -> Iterator[Subject]:
    """Describe the latencies that the tenant's requests must keep, each objective once."""
    names = dict.fromkeys([plan.sla, *(workload.sla for workload in own)])
    for sla in (around.slas[name] for name in names if name and name in around.slas):
        for latency in sla.latency:
            budget = _budget_words(latency.objective)
            words = {**tenant.words, "sla": sla.name, **_latency_words(latency), **budget}
            found = tenant.conditions | reachable(budget)
            yield Subject("latency", found, words, tenant.labels)


def _latency_words(latency: LatencyPlan) -> dict[str, str]:
    bound = Fraction(latency.within, _SECOND)
    return {
        "metric": latency.metric,
        "objective": f"{latency.metric} within {decimal(bound)}s",
        "le": _le(bound),
        "le_shown": decimal(bound),
        "seconds": decimal(bound),
    }
