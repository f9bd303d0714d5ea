"""Names are unique where they must be, free where they are reserved, and short enough.

GP410 duplicate-name
    Two pools, tenants, priority classes, SLAs, receivers, alerts or workloads of one tenant have
    the same name. A name is how the rest of the policy points at a thing, so the second would be
    lost. Both places are shown. Two latency objectives of one SLA with the same metric and bound
    would be one time series on which two rules write.

GP411 duplicate-quota
    A tenant has two quotas on the same device of the same pool. They would be two numbers in one
    cell. Add them up into one line.

GP412 name-reserved
    The name means something else where it ends up. A tenant called `default` would catch every
    job without a queue (a Kueue LocalQueue of that name does), Volcano keeps `default` and `root`
    for itself, and the root of the borrowing tree is called like the policy. The device plugin
    reads the key `default` on nodes of no pool, so no pool is called so.

GP413 name-too-long
    The name is legal, and what is made of it is not. A pool with a MIG layout is followed by a
    dash and eight digits in a node label, which has 63 characters; with Kueue the name of a
    priority class is a label value of at most 63 characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Protocol

from gpupolicy.capacity.scheduling import holders
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.quantity import format_duration
from gpupolicy.spec.v1alpha1.pools import NodePool
from gpupolicy.spec.v1alpha1.priorities import Sla
from gpupolicy.spec.v1alpha1.tenants import Tenant

# A label value (Kubernetes API conventions), and what is left of it before `-<hash8>`.
_LABEL = 63
_BEFORE_HASH = _LABEL - len("-12345678")


class _Named(Protocol):
    @property
    def name(self) -> str: ...


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check all names of the policy."""
    spec = context.policy.spec
    monitoring = spec.monitoring
    named: tuple[tuple[str, Path, Sequence[_Named]], ...] = (
        ("pool", ("spec", "nodePools"), spec.node_pools),
        ("priority class", ("spec", "priorityClasses"), spec.priority_classes),
        ("SLA", ("spec", "slas"), spec.slas),
        ("tenant", ("spec", "tenants"), spec.tenants),
        ("alert", ("spec", "monitoring", "alerts"), monitoring.alerts),
        ("receiver", ("spec", "monitoring", "receivers"), monitoring.receivers),
    )
    for thing, path, items in named:
        hint = "merge them into one" if thing == "alert" else "give one of them another name"
        yield from _unique(f"{thing} {{}}", _places(items, path), hint=hint)
    for index, sla in enumerate(spec.slas):
        yield from _unique(
            f"the latency objective {{}} of SLA '{sla.name}'",
            _objectives(sla, ("spec", "slas", index, "latency")),
            hint="keep the stricter one",
        )
    for index, pool in enumerate(spec.node_pools):
        yield from _pool(context, pool, ("spec", "nodePools", index))
    for index, tenant in enumerate(spec.tenants):
        yield from _tenant(context, tenant, ("spec", "tenants", index))
    yield from _classes(context)


def _places(items: Sequence[_Named], path: Path) -> Iterator[tuple[str, Path]]:
    return ((item.name, (*path, index, "name")) for index, item in enumerate(items))


def _objectives(sla: Sla, path: Path) -> Iterator[tuple[str, Path]]:
    return (
        (f"{item.metric} within {format_duration(item.within)}", (*path, index, "metric"))
        for index, item in enumerate(sla.latency)
    )


def _unique(
    what: str,
    places: Iterable[tuple[str, Path]],
    code: str = "GP410",
    hint: str = "give one of them another name",
) -> Iterator[Diagnostic]:
    first: dict[str, Path] = {}
    for name, path in places:
        if name not in first:
            first[name] = path
            continue
        thing = what.format(f"'{name}'")
        related = (Related(f"{thing} stands here first", first[name]),)
        yield Diagnostic(
            code, f"{thing} stands here a second time", path, hint=hint, related=related
        )


def _pool(context: CheckContext, pool: NodePool, path: Path) -> Iterator[Diagnostic]:
    if pool.name == "default" and context.policy.spec.platform.gpu_operator and pool.gpu:
        yield _reserved(
            "pool 'default'",
            "the device plugin reads that key on nodes of no pool",
            (*path, "name"),
        )
    if len(pool.name) > _BEFORE_HASH and pool.sharing and pool.sharing.mig:
        yield Diagnostic(
            "GP413",
            f"{len(pool.name)} characters in the name of a pool with a MIG layout are more than "
            f"{_BEFORE_HASH}",
            (*path, "name"),
            hint=f"the node label is the name, a dash and eight digits: {_LABEL} characters",
        )


def _reserved(what: str, why: str, path: Path) -> Diagnostic:
    return Diagnostic(
        "GP412", f"{what} has a reserved name: {why}", path, hint="choose another name"
    )


def _tenant(context: CheckContext, tenant: Tenant, path: Path) -> Iterator[Diagnostic]:
    why = {
        "default": "a queue of that name catches jobs that name none",
        "root": "Volcano and Kueue call the root of all queues so",
        context.policy.metadata.name: "the root of the borrowing tree is called like the policy",
    }.get(tenant.name)
    if why is not None:
        yield _reserved(f"tenant '{tenant.name}'", why, (*path, "name"))
    yield from _unique(
        f"workload {{}} of tenant '{tenant.name}'", _places(tenant.workloads, (*path, "workloads"))
    )
    yield from _unique(
        f"quota of tenant '{tenant.name}' on {{}}",
        _quotas(context, tenant, path),
        "GP411",
        "add them up into one line",
    )


def _quotas(context: CheckContext, tenant: Tenant, path: Path) -> Iterator[tuple[str, Path]]:
    """Give the cells of a tenant's quotas; a device left out is the only one there is."""
    for index, quota in enumerate(tenant.quotas):
        pool = context.capacity.pools.get(quota.pool)
        device = quota.device
        if device is None and pool is not None and len(pool.devices) == 1:
            device = pool.devices[0].name
        # The message puts quotes around all of it.
        yield f"{quota.pool}', device '{device}" if device else quota.pool, (*path, "quotas", index)


def _classes(context: CheckContext) -> Iterator[Diagnostic]:
    if holders(context.policy).quota != "kueue":
        return
    for index, row in enumerate(context.policy.spec.priority_classes):
        if len(row.name) > _LABEL:
            yield Diagnostic(
                "GP413",
                f"{len(row.name)} characters in the name of a class are more than {_LABEL}",
                ("spec", "priorityClasses", index, "name"),
                hint="with Kueue jobs name their class in a label",
            )
