"""Tenants form trees: parents are budgets, their children do the work.

GP417 tenant-cycle
    The parents of a tenant lead back to itself, so there is no top at which its budget could
    start. Kueue accepts such a cycle and then admits nothing in the whole tree. Take out one of
    the `parent` lines.

GP418 parent-with-work
    A parent is a budget that its children split: it has no namespaces, no members and no
    workloads, since nobody could tell its own use from theirs. Move them to a child, if need be
    to a new one.

GP419 tenant-without-namespace
    A tenant without children has no namespace either: nobody could ever use its quota, and what
    it is guaranteed would lie idle. Write `namespaces: [...]`; those that do not exist are
    created.

GP423 tenant-without-quota
    The tenant has namespaces and no quota on any pool. With quota for nothing no job of it is
    ever let in, and the guard rails keep its pods off every pool. Give it at least
    `quotas: [{pool: <name>, guaranteed: 0}]`, which lets it borrow.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import few
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check the tree, and what stands at its leaves."""
    cycles = list(_cycles(context.capacity))
    yield from (_cycle(tenants) for tenants in cycles)
    caught = {tenant.name for tenants in cycles for tenant in tenants}
    tenants = context.capacity.tenants
    # A misspelt parent, which is reported there, may mean any tenant that seems to have no child.
    misspelt = any(t.parent is not None and t.parent not in tenants for t in tenants.values())
    for tenant in tenants.values():
        if tenant.name in caught:
            continue
        if tenant.children:
            yield from _parent(tenant, context.capacity)
        elif not tenant.spec.namespaces and not misspelt:
            yield Diagnostic(
                "GP419",
                f"tenant '{tenant.name}' has neither namespaces nor children: nobody can use it",
                (*tenant.path, "name"),
                hint=f"write 'namespaces: [{tenant.name}]'",
            )
        elif tenant.spec.namespaces and not tenant.spec.quotas:
            yield Diagnostic(
                "GP423",
                f"tenant '{tenant.name}' has no quota on any pool: its work is never let in",
                (*tenant.path, "name"),
                severity=Severity.WARNING,
                hint="'quotas: [{pool: <name>, guaranteed: 0}]' lets it borrow",
            )


def _cycles(capacity: Capacity) -> Iterator[list[TenantCapacity]]:
    """Walk up from every tenant; each is walked through once."""
    walked: set[str] = set()
    for start in capacity.tenants:
        trail: dict[str, None] = {}
        name = start
        while name in capacity.tenants and name not in walked and name not in trail:
            trail[name] = None
            name = capacity.tenants[name].parent or ""
        walked.update(trail)
        if name in trail:
            names = list(trail)
            yield [capacity.tenants[one] for one in names[names.index(name) :]]


def _cycle(tenants: list[TenantCapacity]) -> Diagnostic:
    first, *others = tenants
    if not others:
        message = f"tenant '{first.name}' is its own parent"
    else:
        way = " -> ".join(f"'{tenant.name}'" for tenant in (*tenants, first)[-12:])
        message = f"the parents of tenant '{first.name}' lead back to it: {way}"
    related = few(Related(f"the parent of '{t.name}'", (*t.path, "parent")) for t in others)
    hint = "take out one of these 'parent' lines" if others else "take out the line"
    return Diagnostic("GP417", message, (*first.path, "parent"), hint=hint, related=related)


def _parent(tenant: TenantCapacity, capacity: Capacity) -> Iterator[Diagnostic]:
    spec = tenant.spec
    found = {
        "namespaces": bool(spec.namespaces),
        "members": bool(spec.members.groups or spec.members.users),
        "workloads": bool(spec.workloads),
    }
    child = capacity.tenants[tenant.children[0]]
    at: Path = (*child.path, "parent")
    for key in (key for key, there in found.items() if there):
        yield Diagnostic(
            "GP418",
            f"tenant '{tenant.name}' has children and therefore no {key} of its own",
            (*tenant.path, key),
            part="key",
            hint=f"move the {key} to a child",
            related=(Related(f"its child '{child.name}'", at),),
        )
