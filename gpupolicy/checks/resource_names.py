"""The resource names that pods ask for mean one thing, and are legal.

GP310 rename-unused
    `rename` says what a replicated resource is called, and this pool has no replicas. It means
    nothing here; leave it out.

GP311 resource-name-ambiguous
    In one tenant a resource name means two different things: whole GPUs on one pool, and on another
    shares of a GPU (`rename: false`), slices (`migStrategy: single`), or GPUs that another operator
    exposes (`managed: false`). A job that asks for the name could be handed either. Leave `rename`
    out, so that the shares are called `nvidia.com/gpu.shared`, or give the quotas to two tenants.

GP315 resource-name-too-long
    The device plugin takes resource names of at most 63 characters, the domain and `.shared`
    included. Use `rename: false`, or a shorter name.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.model import Device
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.model import QuotaLine
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.sharing_kinds import is_clear
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity

_LONGEST = 63


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find names with two meanings, names too long, and `rename` without replicas."""
    for pool in context.capacity.pools.values():
        yield from _pool(pool)
    for tenant in context.capacity.tenants.values():
        yield from _tenant(tenant)


def _pool(pool: PoolCapacity) -> Iterator[Diagnostic]:
    sharing = pool.spec.sharing
    if sharing is not None and sharing.rename is not None:
        asked = sharing.time_slicing is not None or sharing.mps is not None
        if not asked:
            yield Diagnostic(
                "GP310",
                f"pool '{pool.name}': 'rename' stands without timeSlicing or mps",
                (*pool.path, "sharing", "rename"),
                severity=Severity.WARNING,
                hint="leave it out",
            )
    for device in pool.devices if is_clear(pool) else ():
        if pool.is_managed and len(device.resource) > _LONGEST:
            yield Diagnostic(
                "GP315",
                f"pool '{pool.name}': the resource name '{device.resource}' has "
                f"{len(device.resource)} characters, and the device plugin takes {_LONGEST}",
                (*pool.path, "gpu", "resource"),
                hint="give the resource a shorter name",
            )


def _tenant(tenant: TenantCapacity) -> Iterator[Diagnostic]:
    first: dict[str, QuotaLine] = {}
    said: set[str] = set()
    for line in tenant.lines:
        if line.device is None or not is_clear(line.pool):
            continue
        name = line.device.resource
        other = first.setdefault(name, line)
        # Two meanings in one pool are unequal slices under the single strategy: GP206.
        if name in said or other.device is None or other.pool.name == line.pool.name:
            continue
        if _meaning(line.pool, line.device)[0] != _meaning(other.pool, other.device)[0]:
            said.add(name)
            yield _ambiguous(tenant, line, other)


def _meaning(pool: PoolCapacity, device: Device) -> tuple[str, str, str]:
    """Say what one unit of a resource is, the key that decides it, and how to change that.

    Whole GPUs of two models are one meaning: flavors tell them apart.
    """
    if not pool.spec.managed:
        return "what another operator exposes", "managed", ""
    if device.replicas > 1:
        return "replicas", "sharing.rename", f"leave 'rename' out of pool '{pool.name}', or "
    if device.profile is not None:
        mixed = f"write migStrategy: mixed on pool '{pool.name}', or "
        return f"slices {device.profile}", "sharing.migStrategy", mixed
    if device.sharing == "passthrough":
        return "GPUs for VMs", "sharing.passthrough", ""
    return "whole GPUs", "gpu", ""


def _ambiguous(tenant: TenantCapacity, line: QuotaLine, other: QuotaLine) -> Diagnostic:
    assert line.device is not None
    assert other.device is not None
    one, two = _meaning(other.pool, other.device), _meaning(line.pool, line.device)
    return Diagnostic(
        "GP311",
        f"tenant '{tenant.name}': '{line.device.resource}' means {one[0]} on pool "
        f"'{other.pool.name}' and {two[0]} on pool '{line.pool.name}'",
        line.path,
        hint=f"{two[2] or one[2]}give the two quotas to two tenants",
        related=(
            Related("the other quota", other.path),
            *(
                Related(f"so decided for pool '{pool.name}'", (*pool.path, *key.split(".")))
                for pool, (_, key, _) in ((other.pool, one), (line.pool, two))
                if key != "gpu"
            ),
        ),
    )
