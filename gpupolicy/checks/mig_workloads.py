"""Workloads on MIG slices: one slice a pod, and nothing between slices.

GP212 mig-several-slices
    A pod asks for several MIG slices. A CUDA process can use one MIG device only, and there is no
    peer-to-peer access and no NVLink between slices, so multi-GPU work on slices crashes or uses
    the first alone (NVIDIA Multi-Instance GPU User Guide; k8s-device-plugin, issue 201). Give the
    workload a pool of whole GPUs, or one slice per pod that is large enough.

GP213 mig-gang
    The pods of a gang usually talk to each other from GPU to GPU. Between slices that is not
    possible: collective communication falls back to the network or fails. The work may be fine,
    so this is a warning; independent pods need no gang, and training belongs on whole GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import quoted
from gpupolicy.capacity.workloads import Place
from gpupolicy.capacity.workloads import gpus_per_pod
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import place_of
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.tenants import Workload


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find pods that want several slices, and gangs on slices."""
    if not any(pool.layouts for pool in context.capacity.pools.values()):
        return
    for tenant in context.capacity.tenants.values():
        for index, workload in enumerate(tenant.spec.workloads):
            path = (*tenant.path, "workloads", index)
            place = place_of(context, tenant, workload)
            if place is None or place.device is None or place.device.profile is None:
                continue
            count = gpus_per_pod(workload, place.pool)
            if count > 1:
                yield _several(context, workload, place, path)
            elif workload.gang is not False and workload.pods > 1:
                yield _gang(context, workload, place, path)


def _several(context: CheckContext, workload: Workload, place: Place, path: Path) -> Diagnostic:
    return Diagnostic(
        "GP212",
        f"workload '{workload.name}' asks for {workload.gpus_per_pod} slices "
        f"{place.device and place.device.name} per pod on pool '{place.pool.name}': a CUDA process "
        "sees one MIG device, and slices have no peer-to-peer access or NVLink",
        (*path, "gpusPerPod"),
        hint=_elsewhere(context) + ", or ask for one larger slice",
    )


def _gang(context: CheckContext, workload: Workload, place: Place, path: Path) -> Diagnostic:
    return Diagnostic(
        "GP213",
        f"workload '{workload.name}' is a gang of {workload.pods} pods on slices "
        f"{place.device and place.device.name} of pool '{place.pool.name}': slices have no "
        "peer-to-peer access or NVLink",
        (*path, "gang"),
        severity=Severity.WARNING,
        hint=f"{_elsewhere(context)}, or leave 'gang' out if the pods are independent",
    )


def _elsewhere(context: CheckContext) -> str:
    whole = [pool.name for pool in context.capacity.pools.values() if _has_whole(pool)]
    return (
        f"use a pool of whole GPUs ({quoted(whole[:3], 'or')})"
        if whole
        else ("use a pool of whole GPUs")
    )


def _has_whole(pool: PoolCapacity) -> bool:
    return any(d.profile is None and d.sharing == "none" for d in pool.devices)
