"""The GPU of a pool is known and is one model, and the node says how many it has.

GP440 gpu-unknown
    The catalogue has no GPU of this name. Names are those that `gpupolicy catalog` lists, the
    product names, or the node label `nvidia.com/gpu.product`; case does not matter. A GPU that
    the catalogue lacks, or another vendor's, is described instead:

        gpu: {name: MI300X, resource: amd.com/gpu, memory: 192Gi}

GP441 gpu-ambiguous
    The name fits several models, and facts that matter differ between them: memory, MIG profiles
    or limits. `A100` is a card of 40 GB or of 80 GB, and their MIG profiles have different names.
    Write the exact model. A name whose models agree (`H100-80GB`) is accepted.

GP442 gpu-description-incomplete
    A GPU that is described needs both: `resource`, the name under which pods request it (with a
    domain, `amd.com/gpu`), and `memory`, what one GPU has. Without them there is no quota and no
    check of memory. For a GPU of the catalogue write its name alone.

GP443 gpus-per-node-wrong
    `gpu` and `gpusPerNode` belong together: a pool with a GPU says how many a node has, from 1,
    and a CPU pool has neither. Capacity is nodes times GPUs, so nothing can be guessed here.

GP444 gpus-per-node-unusual
    More GPUs in one node than any server has (16 in the largest, HGX-2). Perhaps the number is
    that of the whole pool: `gpusPerNode` counts the GPUs of one node. If the nodes are composed
    over a fabric, suppress this warning with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import listed
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.facts.catalog import Facts
from gpupolicy.facts.catalog import Found
from gpupolicy.spec.v1alpha1.pools import Gpu

# NVIDIA HGX-2 and DGX-2, the largest servers sold.
_LARGEST_SERVER = 16
# A name that stands in a flow map of YAML without quotes.
_PLAIN = re.compile(r"[A-Za-z][-A-Za-z0-9_.]{,62}\Z")
_MIB = 1024 * 1024


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find GPUs that are unknown, ambiguous or half described, and wrong numbers of them."""
    for pool in context.capacity.pools.values():
        gpu = pool.spec.gpu
        if gpu is not None and (gpu.resource is not None or gpu.memory is not None):
            yield from _described(pool, gpu, context.facts)
        elif gpu is not None:
            yield from _named(pool, gpu, context.facts)
        yield from _per_node(pool)


def _named(pool: PoolCapacity, gpu: Gpu, facts: Facts) -> Iterator[Diagnostic]:
    found = facts.find(gpu.name)
    if not found.models:
        yield _unknown(pool, gpu, facts)
    elif found.model() is None:
        yield _ambiguous(pool, gpu, found)


def _unknown(pool: PoolCapacity, gpu: Gpu, facts: Facts) -> Diagnostic:
    near = facts.suggest(gpu.name)
    name = gpu.name if _PLAIN.match(gpu.name) else "<name>"
    describe = f"describe it: gpu: {{name: {name}, resource: <vendor>/gpu, memory: <n>Gi}}"
    hint = f"did you mean {listed(near, 'or')}? If it is none of them, {describe}"
    return Diagnostic(
        "GP440",
        f"pool '{pool.name}': the catalogue has no GPU '{gpu.name}'",
        (*pool.path, "gpu"),
        hint=hint if near else f"see 'gpupolicy catalog', or {describe}",
    )


def _ambiguous(pool: PoolCapacity, gpu: Gpu, found: Found) -> Diagnostic:
    return Diagnostic(
        "GP441",
        f"pool '{pool.name}': '{gpu.name}' fits {len(found.models)} models that differ: "
        + "; ".join(found.differences()),
        (*pool.path, "gpu"),
        hint=f"write {listed((model.display for model in found.models), 'or')}",
    )


def _described(pool: PoolCapacity, gpu: Gpu, facts: Facts) -> Iterator[Diagnostic]:
    missing = [key for key in ("resource", "memory") if getattr(gpu, key) is None]
    if missing:
        known = facts.find(gpu.name).model()
        hint = f"'{gpu.name}' is in the catalogue: write gpu: {gpu.name}" if known else None
        yield Diagnostic(
            "GP442",
            f"pool '{pool.name}': the description of '{gpu.name}' lacks '{missing[0]}'",
            (*pool.path, "gpu"),
            hint=hint or "write all three: {name: ..., resource: <vendor>/gpu, memory: <n>Gi}",
        )
    elif gpu.memory is not None and gpu.memory.value < _MIB:
        yield Diagnostic(
            "GP442",
            f"pool '{pool.name}': one '{gpu.name}' has {gpu.memory.text} of memory, less than 1Mi",
            (*pool.path, "gpu", "memory"),
            hint="write what one GPU has, such as 192Gi",
        )
    elif not _is_extended(gpu.resource or ""):
        yield Diagnostic(
            "GP442",
            f"pool '{pool.name}': '{gpu.resource}' is no extended resource: it needs a domain "
            "that is neither kubernetes.io nor starts with 'requests.'",
            (*pool.path, "gpu", "resource"),
            hint="write what the vendor's device plugin announces, such as amd.com/gpu",
        )


def _is_extended(resource: str) -> bool:
    domain, slash, _ = resource.partition("/")
    # kubernetes pkg/apis/core/v1/helper: IsExtendedResourceName.
    native = domain == "kubernetes.io" or domain.endswith(".kubernetes.io")
    return bool(slash) and not native and not domain.startswith("requests.")


def _per_node(pool: PoolCapacity) -> Iterator[Diagnostic]:
    written = pool.spec.gpus_per_node
    path = (*pool.path, "gpusPerNode")
    if pool.is_cpu:
        if written:
            message = f"pool '{pool.name}' has gpusPerNode {written} but no 'gpu'"
            yield Diagnostic("GP443", message, path, hint="add 'gpu', or leave out 'gpusPerNode'")
    elif written is None:
        message = f"pool '{pool.name}' has a GPU but no 'gpusPerNode'"
        yield Diagnostic("GP443", message, path, hint="say how many GPUs one node has, from 1")
    elif written < 1:
        message = f"pool '{pool.name}': gpusPerNode {written} is below 1"
        yield Diagnostic("GP443", message, path, hint="for a CPU pool leave out 'gpu' as well")
    elif written > _LARGEST_SERVER:
        yield Diagnostic(
            "GP444",
            f"pool '{pool.name}': {written} GPUs in one node are more than the "
            f"{_LARGEST_SERVER} of the largest server",
            path,
            severity=Severity.WARNING,
            hint="gpusPerNode counts the GPUs of one node, not of the pool",
        )
