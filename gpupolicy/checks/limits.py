"""Ceilings that can be reached, and words that the quota holder knows.

GP428 limit-unreachable
    The tenant could never have as many devices as its `limit` says: what it is guaranteed, what
    the others lend and what nobody is promised add up to less. The message shows the sum. Write
    the number that can be reached, or leave `limit` out.

GP460 one-namespace
    A ResourceQuota counts inside one namespace, so with `quota: resourceQuota` a tenant has one;
    with several it could use its quota several times. Split the tenant, or install Kueue.

GP461 nothing-is-borrowed
    A ResourceQuota is a ceiling and nothing else: what is guaranteed is what a tenant can have,
    and a `limit` above it could never be used. Devices for VMs are always held so. Install Kueue
    to borrow.

GP462 no-effect
    `lend` and `weight` divide what is idle, and with `quota: resourceQuota` nothing is divided.
    They have no effect.

GP464 weight-invalid
    `weight` is a whole number from 1. A weight of 0 would put the tenant last in every line.

GP465 weight-needs-configuration
    Weights divide idle devices only if fair sharing is on in Kueue's own configuration, which no
    object of a policy can do. The output carries that configuration as a file; it must be given
    to Kueue (Helm value `managerConfig.controllerManagerConfigYaml`), which then restarts.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping

from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.reach import CellReach
from gpupolicy.capacity.scheduling import holders
from gpupolicy.capacity.tree import CellTree
from gpupolicy.capacity.tree import Node
from gpupolicy.capacity.wording import listed
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import has_numbers
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.tenants import Tenant

# Up to so many lenders are named in the sum of a reach.
_NAMED = 3
_CONFIGURATION = "files/kueue-manager-config.yaml"


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check limits against reach, and lend and weight against the holder."""
    for key, tree in context.trees.items():
        if not has_numbers(tree.pool):
            continue
        if context.is_held(tree.device):
            yield from _held(tree)
        elif tree.guaranteed <= tree.device.cap:
            yield from _limits(tree, context.reaches[key])
    quota = holders(context.policy).quota
    for index, tenant in enumerate(context.policy.spec.tenants):
        yield from _weight(tenant, ("spec", "tenants", index), quota)
    if quota == "kueue":
        yield from _weights(context)


def _limits(tree: CellTree, reach: CellReach) -> Iterator[Diagnostic]:
    lenders = {n.tenant.name: reach.lent[n.tenant.name] for n in tree.top_level()}
    for name, node in tree.nodes.items():
        if node.limit is None or node.line is None or node.limit < node.guaranteed:
            continue
        most = reach.without_limit[name] + reach.kept[name]
        if most < node.limit:
            yield _unreachable(node, node.line, node.limit, most, tree, lenders, reach.spare)


def _unreachable(
    node: Node,
    line: QuotaLine,
    limit: int,
    most: int,
    tree: CellTree,
    lenders: Mapping[str, int],
    spare: int,
) -> Diagnostic:
    parent = tree.parent(node)
    return Diagnostic(
        "GP428",
        f"limit {limit} of tenant '{node.tenant.name}' on pool '{tree.pool.name}' can never be "
        f"used, {most} can: {_sum(node, most, lenders, spare, parent)}",
        (*line.path, "limit"),
        severity=Severity.WARNING,
        hint=f"write 'limit: {most}', or leave it out for no ceiling",
    )


def _sum(node: Node, most: int, lenders: Mapping[str, int], spare: int, parent: Node | None) -> str:
    parts = [f"{node.guaranteed} own"]
    borrowed = most - node.guaranteed
    if parent is not None:
        parts.append(f"{borrowed} from its parent '{parent.tenant.name}'")
        return " + ".join(parts)
    lent = borrowed - spare
    if len(lenders) <= _NAMED + 1:
        names = [name for name, count in lenders.items() if count and name != node.tenant.name]
        who = listed(f"'{name}'" for name in names)
    else:
        who = "the others"
    if lent:
        parts.append(f"{lent} lent by {who}")
    if spare or not lent:
        parts.append(f"{spare} of nobody")
    return " + ".join(parts)


def _held(tree: CellTree) -> Iterator[Diagnostic]:
    vms = tree.device.sharing in ("vgpu", "passthrough")
    for node in tree.nodes.values():
        line = node.line
        if line is None:
            continue
        if node.limit is not None and node.limit > node.guaranteed:
            yield Diagnostic(
                "GP461",
                f"limit {node.limit} > guaranteed {node.guaranteed} of tenant "
                f"'{node.tenant.name}' on pool '{tree.pool.name}', and "
                + ("devices for VMs are" if vms else "with ResourceQuota nothing is")
                + (" not borrowed" if vms else " borrowed"),
                (*line.path, "limit"),
                hint=f"write 'guaranteed: {node.limit}', or leave out 'limit'"
                + ("" if vms else "; Kueue can lend"),
            )
        if line.spec.lend is not None:
            yield _no_effect("lend", node.tenant.name, (*line.path, "lend"))


def _no_effect(key: str, tenant: str, path: Path) -> Diagnostic:
    return Diagnostic(
        "GP462",
        f"'{key}' of tenant '{tenant}' has no effect: nothing is borrowed with ResourceQuota",
        path,
        part="key",
        severity=Severity.WARNING,
        hint=f"leave it out, or install Kueue, which knows '{key}'",
    )


def _weight(tenant: Tenant, path: Path, quota: str) -> Iterator[Diagnostic]:
    if tenant.weight < 1:
        yield Diagnostic(
            "GP464",
            f"weight {tenant.weight} of tenant '{tenant.name}' is below 1",
            (*path, "weight"),
            hint="write a whole number from 1",
        )
    if quota != "resourceQuota":
        return
    if tenant.weight > 1:
        yield _no_effect("weight", tenant.name, (*path, "weight"))
    if len(tenant.namespaces) > 1:
        yield Diagnostic(
            "GP460",
            f"tenant '{tenant.name}' has {len(tenant.namespaces)} namespaces, and a ResourceQuota "
            "counts inside one",
            (*path, "namespaces"),
            hint="split the tenant into one for each namespace, or install Kueue",
        )


def _weights(context: CheckContext) -> Iterator[Diagnostic]:
    """Say once that unequal weights of siblings need fair sharing.

    A Kueue for which it is left off is another finding, of the room that emits for it.
    """
    kueue = context.policy.spec.platform.kueue
    line = context.facts.component("kueue").resolve(kueue.version if kueue else None).line
    if not line.values["fairSharingKeepsGuarantees"]:
        return
    first: dict[str | None, TenantCapacity] = {}
    for tenant in context.capacity.tenants.values():
        other = first.setdefault(tenant.parent, tenant)
        if other.spec.weight != tenant.spec.weight:
            # One of the two is not the default, so it is written.
            written = tenant if tenant.spec.weight != 1 else other
            yield Diagnostic(
                "GP465",
                f"weights {other.spec.weight} of '{other.name}' and {tenant.spec.weight} of "
                f"'{tenant.name}' count only if fair sharing is on in Kueue's configuration",
                (*written.path, "weight"),
                severity=Severity.WARNING,
                hint=f"give Kueue the configuration of the output, '{_CONFIGURATION}'",
            )
            return
