"""`allocatable`: what pods may request on one node, besides GPUs.

GP458 allocatable-wrong
    The GPUs of a pool are not written here: their resource names and numbers follow from `gpu`,
    `gpusPerNode` and `sharing`. Every other amount is above zero, cpu in millicores, memory in
    MiB at the finest, what is counted (`rdma/ib: 8`) in whole numbers. A resource that a node does
    not have is left out, and so is a name that no pod can request: without a domain Kubernetes
    knows `cpu`, `memory`, `ephemeral-storage`, `pods` and `hugepages-<size>` only, with a page size
    as the kubelet spells it (`hugepages-2Mi`, `hugepages-1Gi`), of which the amount is a multiple
    (Kubernetes v1.34 pkg/apis/core/v1/helper and pkg/apis/core/validation).

GP459 allocatable-missing
    With Kueue a pod that requests a resource which no quota covers is never admitted. `cpu` and
    `memory` are unlimited where they are missing, and `ephemeral-storage` is excluded from quota
    by the compiled configuration as long as no pool declares it. Once one pool does, work that
    requests it waits for ever on every pool without it. Declare what a node has (`kubectl get node
    -o jsonpath={.status.allocatable}`) in all pools or in none. If only one of `cpu` and `memory`
    is there, the other is not limited, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy import quantity
from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.scheduling import holders
from gpupolicy.capacity.wording import number
from gpupolicy.capacity.wording import quoted
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import nearest
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity

_STORAGE = "ephemeral-storage"
_NATIVE = ("cpu", "memory", "ephemeral-storage", "pods")
_MOST = 2**63 - 1
_HUGE, _PAGES = "hugepages-", "hugepages-2Mi, hugepages-1Gi"


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find devices and empty amounts in `allocatable`, and what Kueue would miss there."""
    covered = holders(context.policy).quota == "kueue"
    for pool in context.capacity.pools.values():
        for resource in pool.spec.allocatable:
            yield from _wrong(pool, resource)
    if covered:
        written = [p for p in context.capacity.pools.values() if p.spec.allocatable]
        bare = [p for p in written if _STORAGE not in p.spec.allocatable]
        yield from _no_storage(bare if len(bare) < len(written) else [])
        for pool in written:
            yield from _unlimited(pool)


def _wrong(pool: PoolCapacity, resource: str) -> Iterator[Diagnostic]:
    path = (*pool.path, "allocatable", resource)
    amount = pool.spec.allocatable[resource]
    if _is_device(pool, resource):
        message = f"pool '{pool.name}': '{resource}' is a device, and follows from the pool itself"
        yield Diagnostic("GP458", message, path, "key", hint="leave it out of 'allocatable'")
    elif not _is_requestable(resource):
        message = f"pool '{pool.name}': no pod can request '{resource}'"
        yield Diagnostic("GP458", message, path, "key", hint=_meant(resource))
    elif amount.value == 0:
        message = f"pool '{pool.name}' has no '{resource}'"
        yield Diagnostic("GP458", message, path, hint="leave out what a node does not have")
    elif (why := _no_amount(resource, amount.text)) is not None:
        fault, colon, advice = why.rpartition(": write ")
        message = f"pool '{pool.name}': {resource} {fault if colon else why}"
        yield Diagnostic("GP458", message, path, hint=f"write {advice}" if colon else None)
    elif pool.allocatable[resource] == 0:
        message = f"pool '{pool.name}': {resource} {amount.text} is less than 1Mi"
        number_alone = amount.text.isdecimal()
        meant = f"{amount.text}Mi or {amount.text}Gi" if number_alone else "1Mi or more"
        yield Diagnostic("GP458", message, path, hint=f"write {meant}")
    elif (total := _base(resource, pool)) > _MOST:
        what = f"{resource} {amount.text} on {number(pool.nodes, 'node')}"
        message = f"pool '{pool.name}': {what} is {total} in Kubernetes' unit, more than 2^63-1"
        yield Diagnostic("GP458", message, path, hint="write what one node has")


def _is_requestable(resource: str) -> bool:
    """Apply what Kubernetes asks of names in `requests` (pkg/apis/core/validation), and `pods`."""
    if "/" in resource:
        return not resource.startswith("requests.")
    return resource in _NATIVE or _page_size(resource) is not None


def _meant(resource: str) -> str:
    """Say what to write for a name that no pod can request."""
    if resource.lower().startswith("hugepages"):
        size = _spelt(resource.lower().removeprefix("hugepages").lstrip("-_."))
        return f"did you mean 'hugepages-{size}'?" if size else f"write {_PAGES} or the like"
    near = nearest(resource.lower(), _NATIVE)
    return f"did you mean '{near}'?" if near else "write its whole name, such as rdma/ib"


def _page_size(resource: str) -> int | None:
    """Give the bytes of one page; None for a size that no kubelet spells so."""
    size = resource.removeprefix(_HUGE)
    return quantity.memory_bytes(size) if size != resource and _spelt(size) == size else None


def _spelt(size: str) -> str | None:
    """Spell a page size as the kubelet does: `2048ki` is 2Mi. None if it is no size of pages."""
    from gpupolicy import respell  # only a policy with huge pages needs it

    try:
        pages = quantity.memory_bytes(respell.nearest(size) or size)
    except quantity.QuantityError:
        return None
    is_power = pages >= 1024 and not pages & (pages - 1)
    return quantity.format_bytes(pages) if is_power else None


def _base(resource: str, pool: PoolCapacity) -> int:
    """Count what all nodes have as schedulers do: in millicores, bytes, pieces."""
    unit = 1024 * 1024 if quantity.is_bytes(resource) else 1
    return pool.allocatable[resource] * pool.nodes * unit


def _no_amount(resource: str, text: str) -> str | None:
    """Say why a quantity is none of this resource: half a byte, a part of an adapter."""
    if resource == "cpu" and text.endswith("i"):
        return f"'{text}' is an amount of memory: write a number of cores"
    read = quantity.cpu_millis if resource == "cpu" else quantity.count
    try:
        amount = (quantity.memory_bytes if quantity.is_bytes(resource) else read)(text)
    except quantity.QuantityError as error:
        return str(error)
    page = _page_size(resource)
    if page and amount % page:
        whole = quantity.format_bytes(-(-amount // page) * page)
        return f"'{text}' is no whole number of pages: write {whole}"
    return None


def _is_device(pool: PoolCapacity, resource: str) -> bool:
    own = {name for device in pool.devices for name in (device.resource, device.base_resource)}
    if pool.gpu is not None:
        own.add(pool.gpu.resource)
    return resource in own or resource.startswith(("nvidia.com/gpu", "nvidia.com/mig-"))


def _no_storage(pools: list[PoolCapacity]) -> Iterator[Diagnostic]:
    """Say once what is missing in several pools: the cure is the same for all."""
    if not pools:
        return
    lack = "pool" if len(pools) == 1 else "pools"
    yield Diagnostic(
        "GP459",
        f"{lack} {quoted(pool.name for pool in pools)}: 'allocatable' lacks '{_STORAGE}', so work "
        "that requests it is never admitted",
        (*pools[0].path, "allocatable"),
        "key",
        severity=Severity.WARNING,
        hint=f"add {_STORAGE}, or leave it out of all pools",
    )


def _unlimited(pool: PoolCapacity) -> Iterator[Diagnostic]:
    written = pool.spec.allocatable
    for one, other in (("cpu", "memory"), ("memory", "cpu")):
        if one in written and other not in written:
            text = f"pool '{pool.name}': 'allocatable' lacks '{other}', which is then not limited"
            path = (*pool.path, "allocatable")
            yield Diagnostic("GP459", text, path, "key", severity=Severity.NOTE)
