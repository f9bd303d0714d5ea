"""What every check gets: the policy, the facts, and the capacity that follows from both."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.reach import CellReach
from gpupolicy.capacity.reach import one_reach
from gpupolicy.capacity.scheduling import holders
from gpupolicy.capacity.scheduling import reserve_is_lent
from gpupolicy.capacity.tree import CellTree
from gpupolicy.capacity.tree import cell_trees
from gpupolicy.capacity.tree import children_first
from gpupolicy.capacity.workloads import Place
from gpupolicy.capacity.workloads import candidates
from gpupolicy.capacity.workloads import choose
from gpupolicy.diagnostics.model import Related
from gpupolicy.facts.catalog import Facts
from gpupolicy.spec.v1alpha1.policy import Policy
from gpupolicy.spec.v1alpha1.tenants import Workload


# Without slots, so that what several checks need is worked out once.
@dataclass(frozen=True)
class CheckContext:
    """The subject of all checks.

    A check is a module in `checks/` with a docstring (its manual page) and a function
    `check(context) -> Iterator[Diagnostic]`. It gives paths, never places.
    """

    policy: Policy
    facts: Facts
    capacity: Capacity

    @cached_property
    def trees(self) -> Mapping[tuple[str, str], CellTree]:
        """The tree of tenants in every cell, by pool and device name."""
        return cell_trees(self.capacity)

    @cached_property
    def reaches(self) -> Mapping[tuple[str, str], CellReach]:
        """How far borrowing can take the tenants of every cell, by pool and device name.

        Where nothing is borrowed the reach is the guarantee: with ResourceQuota, and of devices
        for VMs, which are always held so.
        """
        lent = reserve_is_lent(self.policy)
        held = holders(self.policy).quota == "resourceQuota"
        return {
            key: one_reach(tree, reserve_lent=lent, held=held) for key, tree in self.trees.items()
        }

    @cached_property
    def reach(self) -> Mapping[tuple[str, str, str], int]:
        """The same by tenant, pool and device name."""
        return {
            (tenant, *key): count
            for key, cell in self.reaches.items()
            for tenant, count in cell.reach.items()
        }

    @cached_property
    def places(self) -> dict[tuple[str, int], Place | None]:
        """The places of workloads that were asked for, by tenant and identity (`place_of`)."""
        return {}

    @cached_property
    def lines(self) -> dict[str, dict[tuple[str, str | None], QuotaLine]]:
        """The quotas of the tenants that were asked for, by pool and device (`line_of`)."""
        return {}

    @cached_property
    def classes(self) -> Mapping[str, tuple[str, ...]]:
        """The priority classes that each tenant may use: its own list, its parent's, or all.

        Tenants whose parents lead back to themselves are not among them.
        """
        every = tuple(dict.fromkeys(row.name for row in self.policy.spec.priority_classes))
        found: dict[str, tuple[str, ...]] = {}
        for tenant in reversed(list(children_first(self.capacity))):
            own = tenant.spec.priority_classes
            above = found.get(tenant.parent or "", every)
            found[tenant.name] = above if own is None else tuple(dict.fromkeys(own))
        return found

    def is_held(self, device: Device) -> bool:
        """Tell whether the device is never borrowed."""
        for_vms = device.sharing in ("vgpu", "passthrough")
        return for_vms or holders(self.policy).quota == "resourceQuota"


def place_of(context: CheckContext, tenant: TenantCapacity, workload: Workload) -> Place | None:
    """Give the place of a workload; if no place holds it, the only one that it could have."""
    key = (tenant.name, id(workload))
    if key not in context.places:
        context.places[key] = _place(context, tenant, workload)
    return context.places[key]


def _place(context: CheckContext, tenant: TenantCapacity, workload: Workload) -> Place | None:
    place = choose(workload, tenant, context.capacity, context.reach)
    if place is not None or workload.pool is not None:
        return place
    options = candidates(workload, tenant)
    only = next(options, None)
    return only[0] if only is not None and next(options, None) is None else None


def line_of(context: CheckContext, tenant: TenantCapacity, place: Place) -> QuotaLine | None:
    """Find the quota of a tenant on a place; work without GPUs uses any line of the pool."""
    if tenant.name not in context.lines:
        lines: dict[tuple[str, str | None], QuotaLine] = {}
        for line in tenant.lines:
            lines.setdefault((line.pool.name, line.device.name if line.device else None), line)
            lines.setdefault((line.pool.name, None), line)
        context.lines[tenant.name] = lines
    device = place.device.name if place.device else None
    return context.lines[tenant.name].get((place.pool.name, device))


def quota_of_nothing(line: QuotaLine) -> str:
    """Name the group of what follows from a quota by which nothing can be had."""
    return f"nothing:{line.path}"


def has_numbers(pool: PoolCapacity) -> bool:
    """Tell whether a pool has nodes and devices to count; what is wrong else is said elsewhere."""
    return pool.nodes > 0 and all(device.per_node > 0 for device in pool.devices)


def nearest(word: str, legal: list[str] | tuple[str, ...]) -> str | None:
    """Find the nearest legal word, for a hint; None if none is near."""
    from gpupolicy.diagnostics import nearest as words  # only a refusal needs it

    return words.nearest(word, legal, 0.6)


# Beyond so many legal words the nearest one is not looked for: a policy with ten thousand tenants
# and as many misspelt parents must not take minutes.
_MANY = 300
_SHOWN = 12


def did_you_mean(word: str, legal: Collection[str]) -> str | None:
    """Make the hint for a name that does not exist: the nearest legal one, or all of a few."""
    if not legal:
        return None
    if len(legal) > _MANY:
        return f"did you mean '{word.lower()}'?" if word.lower() in legal else None
    near = nearest(word, tuple(legal))
    if near is not None:
        return f"did you mean '{near}'?"
    return f"legal here: {listed(legal)}" if len(legal) <= _SHOWN else None


def listed(words: Iterable[object], most: int = _SHOWN) -> str:
    """List words for a message: "a, b and c", of many only the first and how many there are."""
    texts = [str(word) for word in words]
    if len(texts) > most:
        texts = [*texts[: most - 1], f"{len(texts) - most + 1} more"]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def few(related: Iterable[Related], most: int = _SHOWN) -> tuple[Related, ...]:
    """Keep the first of many related places, and say in the last one how many are left out."""
    places = tuple(related)
    if len(places) <= most:
        return places
    last = Related(f"and {len(places) - most + 1} more like the one above")
    return (*places[: most - 1], last)
