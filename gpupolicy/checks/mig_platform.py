"""MIG and the versions that are installed: drivers, mig-manager, names.

GP214 mig-profile-renamed
    Drivers do not agree on the names of some profiles: the name comes from the memory that the
    driver leaves, so a driver upgrade can rename the resource that pods and quotas use. Read the
    names from a node (`nvidia-smi mig -lgip`) before you roll out, and again after an upgrade.

GP215 mig-driver-too-old
    The driver under `platform.gpuOperator.driver` is older than the first one that offers MIG, or
    this profile, on the card. Upgrade the driver, or use another profile.

GP216 mig-manager-too-old
    Layouts that differ from GPU to GPU failed on this model with older versions of mig-manager,
    which took the profile's number from another GPU (NVIDIA/mig-parted, issue 157; corrected in
    0.15.0 by pull request 372, which GPU Operator 26.7 ships). Upgrade, or cut all GPUs alike.

GP218 mig-reboot-unused
    `gpuOperator.migReboot` makes mig-manager reboot nodes that cannot switch MIG otherwise, and
    no pool has a MIG layout. Leave it out, or write the layout.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.placement import nearest_profile
from gpupolicy.capacity.wording import gpu_name
from gpupolicy.capacity.wording import listed
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.facts.components import Component
from gpupolicy.facts.model import GpuModel
from gpupolicy.facts.model import MigFacts
from gpupolicy.facts.versions import version_key
from gpupolicy.spec.v1alpha1.platform import GpuOperator


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find layouts that the installed versions do not build, and names that are not stable."""
    operator = context.policy.spec.platform.gpu_operator
    pools = [pool for pool in context.capacity.pools.values() if pool.layouts and not pool.broken]
    for pool in pools:
        model = pool.gpu.model if pool.gpu else None
        if model is None or model.mig is None:
            continue
        if operator is not None and operator.driver is not None:
            yield from _driver(pool, model, model.mig, operator.driver)
        yield from _renamed(pool, model.mig, operator.driver if operator else None)
        if operator is not None:
            yield from _manager(context, pool, model.mig, operator)
    if operator is not None and operator.mig_reboot and not _any_mig(context):
        yield _reboot()


def _any_mig(context: CheckContext) -> bool:
    pools = context.policy.spec.node_pools
    return any(pool.sharing is not None and pool.sharing.mig is not None for pool in pools)


def _used(pool: PoolCapacity) -> list[str]:
    return list(dict.fromkeys(name for group in pool.layouts for name in group.profiles))


def _driver(
    pool: PoolCapacity, model: GpuModel, mig: MigFacts, driver: str
) -> Iterator[Diagnostic]:
    if not _used(pool):
        return
    have = version_key(driver)
    if mig.min_driver is not None and have < _numbers(mig.min_driver):
        yield _too_old(pool, f"MIG on {model.display}", mig.min_driver, driver)
        return
    for name in _used(pool):
        profile = mig.profile(name)
        least = profile.min_driver_branch if profile else None
        if least is not None and have < _numbers(least):
            yield _too_old(pool, f"the profile '{name}' of {model.display}", least, driver)


def _numbers(driver: str) -> tuple[int, ...]:
    """Read a driver version or a branch: `R525` is every driver from 525 on."""
    return version_key(driver.removeprefix("R"))


def _too_old(pool: PoolCapacity, what: str, least: str, driver: str) -> Diagnostic:
    needed = f"{least[1:]} or newer" if least.startswith("R") else f"{least} or newer"
    return Diagnostic(
        "GP215",
        f"pool '{pool.name}': {what} needs driver {needed}, and {driver} is installed",
        ("spec", "platform", "gpuOperator", "driver"),
        hint=f"install driver {needed}",
    )


def _renamed(pool: PoolCapacity, mig: MigFacts, driver: str | None) -> Iterator[Diagnostic]:
    used = _used(pool)
    pairs: dict[str, list[str]] = {}
    for variant in mig.name_variants:
        name = nearest_profile(mig, variant)
        if name in used:
            pairs.setdefault(name, []).append(variant)
    if not pairs:
        return
    names = listed(f"'{name}' is also '{listed(others, 'or')}'" for name, others in pairs.items())
    on = f"driver {driver}" if driver else "the driver"
    yield Diagnostic(
        "GP214",
        f"pool '{pool.name}': names of its profiles depend on the driver: {names}",
        (*pool.path, "sharing", "mig"),
        severity=Severity.WARNING,
        hint=f"read what {on} calls them (nvidia-smi mig -lgip) before you roll out",
        notes=(mig.note,) if mig.note else (),
    )


def _manager(
    context: CheckContext, pool: PoolCapacity, mig: MigFacts, operator: GpuOperator
) -> Iterator[Diagnostic]:
    since = mig.per_gpu_layouts_since
    distinct = {tuple(sorted(group.profiles.items())) for group in pool.layouts}
    if since is None or operator.version is None or len(distinct) < 2:
        return
    table = context.facts.component("gpuOperator")
    resolved = table.resolve(operator.version)
    shipped = resolved.parts.get("migManager")
    if resolved.relation == "newer" or (shipped and version_key(shipped) >= version_key(since)):
        return
    has = f"mig-manager {shipped}" if shipped else "an older mig-manager"
    yield Diagnostic(
        "GP216",
        f"pool '{pool.name}': layouts that differ from GPU to GPU fail on {gpu_name(pool)} before "
        f"mig-manager {since}, and GPU Operator {operator.version} has {has}",
        (*pool.path, "sharing", "mig"),
        severity=Severity.WARNING,
        hint=f"install GPU Operator {_first_with(table, since)} or newer, or cut all GPUs alike",
        notes=("NVIDIA/mig-parted, issue 157, corrected by pull request 372 in 0.15.0",),
    )


def _first_with(table: Component, since: str) -> str:
    """Name the first line of the operator that ships this mig-manager."""
    for line in table.lines:
        shipped = [parts["migManager"] for parts in line.releases.values() if "migManager" in parts]
        if shipped and min(map(version_key, shipped)) >= version_key(since):
            return line.version
    return f"with mig-manager {since}"


def _reboot() -> Diagnostic:
    return Diagnostic(
        "GP218",
        "migReboot is set, and no pool has a MIG layout",
        ("spec", "platform", "gpuOperator", "migReboot"),
        severity=Severity.WARNING,
        hint="leave it out",
    )
