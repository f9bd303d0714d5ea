"""vGPU types: of this card, small enough, and licensed.

GP330 vgpu-type-foreign
    A type name says for which card it is, `A40-12Q` for the A40. This one is for another card, so
    the manager finds no such type on the node.

GP331 vgpu-type-unknown
    The name is not one of a vGPU type that the catalogue can read (`<card>-<GB><series>`, series
    A, B, C or Q), or its card is not in the catalogue, so memory and card are not checked. Compare
    it with what the host prints (`mdevctl types`).

GP332 vgpu-memory-exceeded
    The types on one GPU need more frame buffer than it has: 17 x T4-1Q are 17 GB, and a T4 has
    16. Frame buffers are counted in the card's nominal GB (NVIDIA vGPU Types Reference).

GP333 vgpu-licence
    A vGPU type needs a licence of its series: A vApps, B vPC, Q RTX vWS, C AI Enterprise. Without
    it the guest runs at a fraction of its speed. This is a reminder; suppress it when the
    licences are there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import gpu_name
from gpupolicy.capacity.wording import listed
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.facts.model import GpuModel

# NVIDIA vGPU documentation, "Virtual GPU Types": card, frame buffer in GB, series.
_TYPE = re.compile(r"(?P<card>[A-Za-z0-9-]*?[A-Za-z0-9])-(?P<gb>\d{1,3})(?P<series>[ABCQ])\Z")
_LICENCES = {"A": "NVIDIA vApps", "B": "NVIDIA vPC", "C": "NVIDIA AI Enterprise", "Q": "RTX vWS"}


class _Type(NamedTuple):
    name: str
    number: int
    card: str
    gb: int
    series: str


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find types of other cards, types that nobody knows, and too many of them."""
    for pool in context.capacity.pools.values():
        written = pool.spec.sharing.vgpu if pool.spec.sharing else None
        model = pool.gpu.model if pool.gpu else None
        if not written or model is None:
            continue
        known = []
        for name, count in written.items():
            read = _TYPE.match(name)
            if read is None:
                yield _unknown(pool, name, "its name is no <card>-<GB><series>")
                continue
            card, gb, series = read["card"], int(read["gb"]), read["series"]
            fault = _card(context, pool, model, name, card)
            if fault is None or fault.severity is not Severity.ERROR:
                known.append(_Type(name, max(count, 0), card, gb, series))
            if fault is not None:
                yield fault
        over = list(_memory(pool, model, known))
        yield from over or _licences(pool, known)


def _card(
    context: CheckContext, pool: PoolCapacity, model: GpuModel, name: str, card: str
) -> Diagnostic | None:
    own = model.merged_from or (model.id,)
    found = context.facts.find(card).models
    if any(other.id in own for other in found):
        return None
    if not found:
        return _unknown(pool, name, f"the catalogue has no card '{card}'")
    return Diagnostic(
        "GP330",
        f"pool '{pool.name}': the vGPU type '{name}' is for {listed(_names(found), 'or')}, and the "
        f"pool has {gpu_name(pool)}",
        (*pool.path, "sharing", "vgpu", name),
        "key",
        hint=_own_type(context, model, name),
        related=(Related("the card", (*pool.path, "gpu")),),
    )


def _own_type(context: CheckContext, model: GpuModel, name: str) -> str:
    """Propose the type of the pool's card that is nearest in size: sizes divide the memory."""
    read, total = _TYPE.match(name), model.marketing_gb
    card = model.display.partition("-")[0]
    own = context.facts.find(card).models
    if read is None or total is None or any(other.id != model.id for other in own) or not own:
        return f"write a type of {model.display} (mdevctl types on its host lists them)"
    size = max(n for n in range(1, total + 1) if not total % n and n <= max(int(read["gb"]), 1))
    return f"write a type of {model.display}, such as '{card}-{size}{read['series']}'"


def _names(models: tuple[GpuModel, ...]) -> list[str]:
    return [model.display for model in models]


def _unknown(pool: PoolCapacity, name: str, why: str) -> Diagnostic:
    return Diagnostic(
        "GP331",
        f"pool '{pool.name}': the vGPU type '{name}' is not checked: {why}",
        (*pool.path, "sharing", "vgpu", name),
        "key",
        severity=Severity.WARNING,
        hint="compare it with what the host offers (mdevctl types)",
    )


def _memory(pool: PoolCapacity, model: GpuModel, types: list[_Type]) -> Iterator[Diagnostic]:
    total = model.marketing_gb
    needed = sum(one.number * one.gb for one in types)
    if total is None or needed <= total:
        return
    sums = " + ".join(f"{one.number} x {one.gb} GB ('{one.name}')" for one in types)
    equals = f" = {needed} GB" if len(types) > 1 or types[0].number > 1 else ""
    hint = "write fewer"
    if len(types) == 1:
        most = total // max(types[0].gb, 1)
        hint = f"at most {most} of '{types[0].name}'" if most else "use a smaller type"
    yield Diagnostic(
        "GP332",
        f"pool '{pool.name}': vGPU types on one {gpu_name(pool)} need {sums}{equals} of "
        f"{total} GB, over by {needed - total} GB",
        (*pool.path, "sharing", "vgpu"),
        hint=hint,
    )


def _licences(pool: PoolCapacity, types: list[_Type]) -> Iterator[Diagnostic]:
    needed = dict.fromkeys(f"{_LICENCES[one.series]} for series {one.series}" for one in types)
    if needed:
        yield Diagnostic(
            "GP333",
            f"pool '{pool.name}': its vGPU types need a licence: {listed(needed)}",
            (*pool.path, "sharing", "vgpu"),
            "key",
            severity=Severity.WARNING,
            hint="suppress this when the licences are there",
        )
