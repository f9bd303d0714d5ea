"""What rules are written about: the policy, pools, devices, tenants; their conditions and words.

The conditions are those that the tables of alerts name in `when`, the words those of
`facts/alerts/common.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field

from gpupolicy.plan.model import SlaPlan
from gpupolicy.plan.model import TenantPlan
from gpupolicy.plan.monitoring_labels import alert_labels
from gpupolicy.plan.monitoring_text import Words
from gpupolicy.plan.names import ksm_resource
from gpupolicy.plan.pool_model import DevicePlan
from gpupolicy.plan.pool_model import PoolPlan


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that rules are written about.

    `labels` are put on its alerts beside those of the templates, `items` are the words of a
    tenant's guaranteed devices, `wait` (ns) is what an SLA lets its work wait, 0 if none says.
    """

    scope: str
    conditions: frozenset[str]
    words: Words
    labels: Mapping[str, str] = field(default_factory=dict)
    items: tuple[Words, ...] = ()
    wait: int = 0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is the same for all of a policy."""

    conditions: frozenset[str]
    words: Words
    # Architecture and NVLink of a pool's model, as conditions, by pool.
    models: Mapping[str, frozenset[str]]
    slas: Mapping[str, SlaPlan]
    # Values of the priority classes.
    classes: Mapping[str, int]
    # Devices whose use the exporter can tell by tenant, by pool.
    attributable: Mapping[str, frozenset[str]]
    # (tenant, pool) where requests are served.
    serving: frozenset[tuple[str, str]]


# However short a wait an SLA allows: the counters of admissions are looked at for so long.
_LEAST_WAIT = 15 * 60 * 10**9


def one_of(values: Iterable[str]) -> str:
    """Write a regular expression for exactly these texts, legal in a PromQL string."""
    return "|".join(value.replace(".", "[.]").replace("+", "[+]") for value in values)


def policy_subject(around: Surroundings) -> Subject:
    """Describe the policy as a whole."""
    return Subject("policy", around.conditions, around.words)


def pool_subject(around: Surroundings, pool: PoolPlan, *, has_tenants: bool) -> Subject:
    """Describe a pool; `has_tenants` tells whether somebody has a quota on it."""
    found = set(around.conditions) | around.models.get(pool.name, frozenset())
    found.add("cpu" if pool.gpu is None else "gpu")
    if pool.managed and "exporter" in around.conditions:
        found.add("dcgm")
    if pool.mig:
        found.add("mig")
        if all(group.profiles for group in pool.mig.groups):
            found.add("cut")
    own = unshared(pool)
    if pool.sharing:
        found.add("shared")
        if own:
            found.add("partly")
    if pool.sharing or not has_tenants:
        found.add("pooled")
    if pool.gpu and pool.gpu.profiling:
        found.add("profiling")
    if pool.gpus_per_node > 1:
        found.add("several")
    return Subject("pool", frozenset(found), _pool_words(around, pool))


def _pool_words(around: Surroundings, pool: PoolPlan) -> Words:
    resources = [ksm_resource(device.resource) for device in pool.devices]
    return {
        **around.words,
        "pool": pool.name,
        "gpus": str(pool.gpus_per_node),
        "resources": one_of(dict.fromkeys(resources)),
        "resource_label": resources[0] if resources else "",
        "unshared": one_of(device.profile or "" for device in unshared(pool)),
    }


def unshared(pool: PoolPlan) -> list[DevicePlan]:
    """Give the devices of a pool that one pod has for itself."""
    return [device for device in pool.devices if device.replicas == 1]


def device_subjects(
    pool: Subject, plan: PoolPlan, promised: Mapping[tuple[str, str], int]
) -> Iterator[Subject]:
    """Describe the devices of a pool, of a CPU pool its cores, that somebody is promised."""
    rows = [(d.name, d.resource, d.per_node) for d in plan.devices] or [
        ("cpu", "cpu", plan.allocatable.get("cpu", 0))
    ]
    found = [
        (name, ksm_resource(resource), _promised_amount(plan, promised, name, per_node))
        for name, resource, per_node in rows
    ]
    found = [row for row in found if row[2]]
    for name, resource, amount in found:
        words = {
            **pool.words,
            "device": name,
            "ksm_resource": resource,
            "promised": _shown(resource, amount),
        }
        others = tuple(
            {"other_resource": other, "other_promised": _shown(other, number)}
            for _, other, number in found
            if other != resource
        )
        yield Subject("device", pool.conditions | {"promised"}, words, {}, others)


def _promised_amount(
    plan: PoolPlan, promised: Mapping[tuple[str, str], int], device: str, per_node: int
) -> int:
    """Count what can be missing.

    An autoscaled pool has fewer nodes whenever less is asked for, so that there it is at most
    what its `min` nodes offer.
    """
    amount = promised.get((plan.name, device), 0)
    return min(amount, plan.min_nodes * per_node) if plan.autoscaled else amount


def _shown(resource: str, amount: int) -> str:
    return f"{amount / 1000:.10g}" if resource == "cpu" else str(amount)


def tenant_subject(around: Surroundings, tenant: TenantPlan) -> Subject:
    """Describe a tenant with a queue of its own."""
    guaranteed = tuple(item for item in item_words(around, tenant) if item["guaranteed"] != "0")
    found = {*around.conditions, *(["guaranteed"] if guaranteed else [])}
    words = {
        **around.words,
        "tenant": tenant.name,
        "namespaces": one_of(tenant.namespaces),
        "namespace": tenant.namespaces[0] if tenant.namespaces else "",
    }
    resources = list(dict.fromkeys(line.resource for line in tenant.lines if line.resource))
    if resources:
        found.add("devices")
        words |= _resource_words(resources)
        words["a_pool"] = next(line.pool for line in tenant.lines if line.resource)
    own = list(dict.fromkeys(p for p, d in _held(tenant) if d in around.attributable.get(p, ())))
    if own:
        words |= _pool_choice(around, tenant, own)
        found |= {"attributable"} | ({"batch"} if words["a_batch_pool"] else set())
    sla = around.slas.get(tenant.sla) if tenant.sla else None
    wait = max(sla.wait_within, _LEAST_WAIT) if sla and sla.wait_within else 0
    return Subject("tenant", frozenset(found), words, alert_labels(tenant.labels), guaranteed, wait)


def _held(tenant: TenantPlan) -> Iterator[tuple[str, str]]:
    return ((line.pool, line.device) for line in tenant.lines if line.device)


def _resource_words(resources: list[str]) -> dict[str, str]:
    requested = [ksm_resource(resource) for resource in resources]
    requests = [f"requests.{resource}" for resource in resources]
    return {
        "accelerators": one_of(resources),
        "accelerator": resources[0],
        "requested": one_of(requested),
        "a_requested": requested[0],
        "requests": one_of(requests),
        "request": requests[0],
    }


def _pool_choice(around: Surroundings, tenant: TenantPlan, own: list[str]) -> dict[str, str]:
    """Tell the pools in which the tenant serves requests from those where it computes."""
    sla = around.slas.get(tenant.sla) if tenant.sla else None
    every = bool(sla and sla.latency)
    serving = [pool for pool in own if every or (tenant.name, pool) in around.serving]
    batch = [pool for pool in own if pool not in serving]
    return {
        "an_own_pool": own[0],
        "a_batch_pool": batch[0] if batch else "",
        "not_serving": f', pool!~"{one_of(serving)}"' if serving else "",
    }


def item_words(around: Surroundings, tenant: TenantPlan) -> Iterator[Words]:
    """Give the words of what the tenant has: lines with Kueue, resources with the others.

    Only Kueue keeps quota per pool.
    """
    if "kueue" in around.conditions:
        for line in tenant.lines:
            if line.resource and line.device:
                yield {
                    "pool": line.pool,
                    "device": line.device,
                    "resource": line.resource,
                    "guaranteed": str(line.guaranteed),
                }
        return
    sums: dict[str, int] = {}
    for line in tenant.lines:
        if line.resource:
            sums[line.resource] = sums.get(line.resource, 0) + line.guaranteed
    for resource, guaranteed in sums.items():
        yield {
            "resource": resource,
            "guaranteed": str(guaranteed),
            "guaranteed_milli": str(guaranteed * 1000),
        }


def item_subjects(around: Surroundings, tenant: Subject, plan: TenantPlan) -> Iterator[Subject]:
    """Describe what the tenant has."""
    for item in item_words(around, plan):
        if item["guaranteed"] == "0":
            continue
        yield Subject("item", tenant.conditions, {**tenant.words, **item})
