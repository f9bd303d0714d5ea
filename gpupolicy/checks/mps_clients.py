"""MPS, and how many clients a card holds.

GP308 mps-clients-exceeded
    The MPS daemon of the device plugin takes at most 48 clients per GPU, and 16 on cards below
    compute capability 7.5 (k8s-device-plugin v0.20, cmd/mps-control-daemon/mps/device.go). With
    more it fails on the node, which then offers no GPU. Write fewer.

GP309 mps-unsupported
    On cards older than Volta MPS cannot hold a client to its share of the memory and of the
    compute, so that one client can take everything. Use `timeSlicing`, which promises nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import gpu_name
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.facts.model import GpuModel

# k8s-device-plugin v0.20 cmd/mps-control-daemon/mps/device.go, below compute capability 7.5.
_PLUGIN_LIMIT_BELOW_7_5 = 16


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find MPS on cards that cannot do it, and more clients than a card holds."""
    for pool in context.capacity.pools.values():
        clients = pool.spec.sharing.mps if pool.spec.sharing else None
        model = pool.gpu.model if pool.gpu else None
        if clients is None or clients < 2 or model is None:
            continue
        if not model.mps:
            yield _unsupported(pool, model, clients)
        elif clients > model.mps_max_replicas:
            yield _exceeded(pool, model, clients)


def _unsupported(pool: PoolCapacity, model: GpuModel, clients: int) -> Diagnostic:
    limit = _PLUGIN_LIMIT_BELOW_7_5
    more = f", and at most {limit} clients of the {clients} would start" if clients > limit else ""
    return Diagnostic(
        "GP309",
        f"pool '{pool.name}': on {gpu_name(pool)} (compute capability {_capability(model)}) MPS "
        f"cannot limit the memory of a client{more}",
        (*pool.path, "sharing", "mps"),
        "key",
        hint="use timeSlicing, or a card of compute capability 7.0 or newer",
        notes=model.notes,
    )


def _exceeded(pool: PoolCapacity, model: GpuModel, clients: int) -> Diagnostic:
    most = model.mps_max_replicas
    return Diagnostic(
        "GP308",
        f"pool '{pool.name}': {clients} MPS clients are more than the {most} per GPU that the "
        f"device plugin takes on {gpu_name(pool)} (compute capability {_capability(model)})",
        (*pool.path, "sharing", "mps"),
        hint=f"at most {most}",
    )


def _capability(model: GpuModel) -> str:
    return ".".join(map(str, model.compute_capability))
