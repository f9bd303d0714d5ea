"""A pod asks for one replica of a shared GPU at most.

GP316 shared-more-than-one
    A pod asks for several replicas of a shared GPU. A second replica gives neither memory nor
    compute, and may be on the same card; the device plugin is told to refuse such pods
    (`failRequestsGreaterThanOne`), so this one would never start. Ask for one, or use a pool of
    whole GPUs or larger slices.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.sharing_kinds import is_clear
from gpupolicy.capacity.wording import gpu_name
from gpupolicy.capacity.workloads import Place
from gpupolicy.capacity.workloads import gpus_per_pod
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import place_of
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.spec.v1alpha1.tenants import Workload


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find pods that want several replicas."""
    for tenant in context.capacity.tenants.values():
        for index, workload in enumerate(tenant.spec.workloads):
            if workload.gpus_per_pod in (None, 0, 1):
                continue
            place = place_of(context, tenant, workload)
            if place is None or place.device is None or not is_clear(place.pool):
                continue
            if place.device.profile is not None:
                continue  # several slices are refused as such, shared or not
            if place.device.replicas > 1 and gpus_per_pod(workload, place.pool) > 1:
                yield _several(workload, place, (*tenant.path, "workloads", index, "gpusPerPod"))


def _several(workload: Workload, place: Place, path: Path) -> Diagnostic:
    kind = "MPS clients" if place.device and place.device.sharing == "mps" else "replicas"
    return Diagnostic(
        "GP316",
        f"workload '{workload.name}' asks for {gpus_per_pod(workload, place.pool)} {kind} of "
        f"{gpu_name(place.pool)} per pod on pool '{place.pool.name}': the device plugin refuses "
        "more than one, since a second gives neither memory nor compute",
        path,
        hint="ask for 1, or use a pool of whole GPUs or larger slices",
    )
