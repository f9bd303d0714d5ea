"""How many devices a pod may ask for: whole ones, and of shared ones at most one.

GP316 shared-more-than-one
    A pod asks for several replicas of a shared GPU. A second replica gives neither memory nor
    compute, and may be on the same card; the device plugin is told to refuse such pods
    (`failRequestsGreaterThanOne`), so this one would never start. Ask for one, or use a pool of
    whole GPUs or larger slices.

GP325 device-fraction
    Devices are whole numbers: Kubernetes refuses a fraction of an extended resource. Parts of
    one GPU are offered by `sharing` (`mig`, `timeSlicing`, `mps`), and one part is one device.
    Only a pool with `fractions: true`, which KAI divides, has decimals.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.model import TenantCapacity
from gpupolicy.capacity.sharing_kinds import is_clear
from gpupolicy.capacity.wording import gpu_name
from gpupolicy.capacity.workloads import Place
from gpupolicy.capacity.workloads import gpus_per_pod
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import place_of
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.spec.v1alpha1.tenants import Workload
from gpupolicy.spec.v1alpha1.types import Percent


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find fractions of devices, and pods that want several replicas."""
    for tenant in context.capacity.tenants.values():
        for index, workload in enumerate(tenant.spec.workloads):
            path = (*tenant.path, "workloads", index)
            yield from _workload(context, tenant, workload, path)


def _divides(pool: PoolCapacity) -> bool:
    return pool.spec.sharing is not None and pool.spec.sharing.fractions


def _fraction(what: str, pool: PoolCapacity, path: Path, amount: Fraction) -> Diagnostic:
    low = amount.numerator // amount.denominator
    near = f"{low} or {low + 1}" if low else "1"
    return Diagnostic(
        "GP325",
        f"{what} on pool '{pool.name}' is no whole number of devices",
        path,
        hint=f"write {near}; to offer parts of a GPU give the pool a sharing "
        "(mig, timeSlicing or mps), and count those",
    )


def _workload(
    context: CheckContext, tenant: TenantCapacity, workload: Workload, path: Path
) -> Iterator[Diagnostic]:
    written = workload.gpus_per_pod
    where = (*path, "gpusPerPod")
    if isinstance(written, Percent):
        message = f"workload '{workload.name}': gpusPerPod {written.text} is a percentage"
        yield Diagnostic("GP325", message, where, hint="write the number of devices of one pod")
        return
    place = place_of(context, tenant, workload)
    if place is None:
        return
    what = f"workload '{workload.name}': gpusPerPod"
    if isinstance(written, Fraction) and written.denominator != 1 and not _divides(place.pool):
        yield _fraction(f"{what} {float(written):g}", place.pool, where, written)
    elif place.device is not None and is_clear(place.pool) and place.device.replicas > 1:
        count = gpus_per_pod(workload, place.pool)
        if count > 1:
            yield _several(workload, place, where)


def _several(workload: Workload, place: Place, path: Path) -> Diagnostic:
    assert place.device is not None
    kind = "MPS clients" if place.device.sharing == "mps" else "replicas"
    return Diagnostic(
        "GP316",
        f"workload '{workload.name}' asks for {workload.gpus_per_pod} {kind} of "
        f"{gpu_name(place.pool)} per pod on pool '{place.pool.name}': the device plugin refuses "
        f"more than one, since a second gives neither memory nor compute",
        path,
        hint="ask for 1, or use a pool of whole GPUs or larger slices",
    )
