"""`monitoring.dashboards` -> one dashboard for the policy, each pool, each tenant and each SLA.

Which panels there are is data (`facts/dashboards.yaml`); here they are chosen like alerts: a panel
whose metrics a pool, an exporter or a quota holder does not have is left out rather than empty.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from fractions import Fraction

from gpupolicy.facts import dashboards as tables
from gpupolicy.plan import names
from gpupolicy.plan.dashboard_model import DashboardPlan
from gpupolicy.plan.dashboard_model import PanelPlan
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import SlaPlan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.plan.monitoring_choice import holds
from gpupolicy.plan.monitoring_subjects import Subject
from gpupolicy.plan.monitoring_subjects import Surroundings
from gpupolicy.plan.monitoring_subjects import one_of
from gpupolicy.plan.monitoring_templates import decimal
from gpupolicy.plan.monitoring_text import Text

_SECOND = 10**9


class Drawer:
    """Draws panels for subjects, and remembers which of the exporter's fields they read."""

    def __init__(self, policy: str, knows: Callable[[str], bool]) -> None:
        self._policy = policy
        self._knows = knows
        self.needed: set[str] = set()

    def panels(self, subject: Subject) -> Iterator[PanelPlan]:
        """Give the panels of a subject."""
        words = {**subject.words, "policy": self._policy}
        for fact in tables.panels():
            form = self._form(fact, subject)
            if form:
                self.needed.update(form.fields)
                yield PanelPlan(
                    title=fact.title,
                    description=Text(fact.description).write(words),
                    type=fact.type,
                    unit=fact.unit,
                    size=fact.size,
                    targets=tuple((Text(e).write(words), legend) for e, legend in form.targets),
                    lines=fact.lines,
                    buckets=fact.buckets,
                )

    def _form(self, fact: tables.PanelFact, subject: Subject) -> tables.PanelForm | None:
        if fact.scope != subject.scope:
            return None
        for form in fact.forms:
            if holds(form.when, subject.conditions) and all(map(self._knows, form.fields)):
                return form
        return None


def lower_dashboards(
    drawer: Drawer,
    around: Surroundings,
    plan: Plan,
    pools: Mapping[str, Subject],
    tenants: Sequence[tuple[TenantPlan, tuple[Subject, ...]]],
) -> Iterator[DashboardPlan]:
    """Decide all dashboards; `tenants` are those with a queue, each with what is about it."""
    whole = _whole(around, plan, pools)
    yield from _dashboard(drawer, plan, "policy", "", "monitoring.dashboards", [whole])
    nodes = Text(tables.node_values())
    for pool in plan.pools:
        subject = pools[pool.name]
        variables = {"node": nodes.write(subject.words)}
        yield from _dashboard(drawer, plan, "pool", pool.name, pool.source, [subject], variables)
    for tenant, subjects in tenants:
        yield from _dashboard(drawer, plan, "tenant", tenant.name, tenant.source, subjects[:1])
    for sla in plan.slas:
        found = list(_of_sla(sla, [each for _, subjects in tenants for each in subjects]))
        yield from _dashboard(drawer, plan, "sla", sla.name, sla.source, found)


def _dashboard(
    drawer: Drawer,
    plan: Plan,
    kind: str,
    name: str,
    source: str,
    subjects: Iterable[Subject],
    variables: Mapping[str, str] | None = None,
) -> Iterator[DashboardPlan]:
    drawn = tuple(panel for subject in subjects for panel in drawer.panels(subject))
    if drawn:
        about = f"{kind if kind != 'sla' else 'SLA'} {name}" if name else "overview"
        yield DashboardPlan(
            kind=kind,  # type: ignore[arg-type]
            name=name,
            uid=names.dashboard_uid(plan.name, kind, name),
            title=f"GPU policy {plan.name}: {about}",
            source=source,
            panels=drawn,
            variables=variables or {},
        )


def _whole(around: Surroundings, plan: Plan, pools: Mapping[str, Subject]) -> Subject:
    """Describe the policy by what any of its pools has."""
    found = {word for pool in pools.values() for word in pool.conditions & {"gpu", "dcgm"}}
    resources = [each.resource for pool in plan.pools for each in pool.devices]
    words = {
        **around.words,
        "pools": one_of(pool.name for pool in plan.pools),
        "resources": one_of(dict.fromkeys(map(names.ksm_resource, resources))),
    }
    return Subject("policy", around.conditions | found, words)


def _of_sla(sla: SlaPlan, subjects: Sequence[Subject]) -> Iterator[Subject]:
    """Describe an SLA once for its waits, and once for each objective of latency."""
    bound = [each for each in subjects if each.words.get("sla") == sla.name]
    waits = [each for each in bound if each.scope == "class" and "wait" in each.conditions]
    if waits and sla.wait_objective is not None:
        words = {
            **waits[0].words,
            "tenants": one_of(dict.fromkeys(each.words["tenant"] for each in waits)),
            **_objective(sla.wait_objective),
        }
        yield Subject("sla", waits[0].conditions, words)
    latencies = [each for each in bound if each.scope == "latency"]
    for latency in sla.latency:
        seconds = decimal(Fraction(latency.within, _SECOND))
        one = [
            each
            for each in latencies
            if (each.words["metric"], each.words["seconds"]) == (latency.metric, seconds)
        ]
        if one:
            # Those of each tenant are a regular expression already.
            spaces = "|".join(dict.fromkeys(each.words["namespaces"] for each in one))
            words = {**one[0].words, "namespaces": spaces, **_objective(latency.objective)}
            yield Subject("objective", one[0].conditions, words)


def _objective(part: Fraction) -> dict[str, str]:
    return {"quantile": decimal(part), "budget": decimal(1 - part)}
