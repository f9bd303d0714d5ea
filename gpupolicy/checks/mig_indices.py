"""Layouts by GPU index: every GPU of a node stands once.

GP207 mig-index-out-of-range
    A layout is for a GPU that the nodes do not have. Indices count from 0: a node of eight GPUs
    has 0 to 7. mig-parted would apply the layout to nothing and report success.

GP208 mig-index-missing
    Layouts are given by index, and a GPU is in none of them. It would keep whatever state it has,
    and mig-manager's state would never settle. Name every GPU; an empty layout is MIG off:

        mig:
          - {gpus: [0, 1, 2, 3], layout: {3g.40gb: 2}}
          - {gpus: [4, 5, 6, 7], layout: {}}

GP209 mig-index-twice
    A GPU is in two layouts, or twice in one list. It can have one layout only.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import listed
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.spec.v1alpha1.sharing import GpuLayout

# More than this many indices are told as a number.
_FEW = 8


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find GPUs that stand in no layout or in two, and indices that no GPU has."""
    for pool in context.capacity.pools.values():
        mig = pool.spec.sharing.mig if pool.spec.sharing else None
        if mig is None or pool.gpus_per_node < 1:
            continue
        if any(entry.gpus is not None for entry in mig.entries):
            yield from _indices(pool, mig.entries)


def _indices(pool: PoolCapacity, entries: list[GpuLayout]) -> Iterator[Diagnostic]:
    path = (*pool.path, "sharing", "mig")
    seen: dict[int, Path] = {}
    outside: list[tuple[int, Path]] = []
    for index, entry in enumerate(entries):
        if entry.gpus is None:
            numbers, where = list(range(pool.gpus_per_node)), (*path, index)
        else:
            numbers, where = entry.gpus, (*path, index, "gpus")
        for at, gpu in enumerate(numbers):
            place = where if entry.gpus is None else (*where, at)
            if not 0 <= gpu < pool.gpus_per_node:
                outside.append((gpu, place))
            elif gpu in seen:
                yield _twice(pool, gpu, place, seen[gpu])
                if entry.gpus is None:
                    break  # One finding says it of all.
            seen.setdefault(gpu, place)
    missing = [gpu for gpu in range(pool.gpus_per_node) if gpu not in seen]
    if missing and not outside:
        yield _missing(pool, missing)
    for gpu, place in outside:
        yield _out_of_range(pool, gpu, place, missing)


def _out_of_range(pool: PoolCapacity, gpu: int, path: Path, missing: list[int]) -> Diagnostic:
    last = pool.gpus_per_node - 1
    have = f"GPUs 0 to {last}" if last else "GPU 0 only"
    return Diagnostic(
        "GP207",
        f"pool '{pool.name}': a layout is for GPU {gpu}, and its nodes have {have}",
        path,
        hint="indices count from 0"
        + (f"; {_stand(missing)} in no layout, and may be meant" if missing else ""),
        related=(Related("the number of GPUs", (*pool.path, "gpusPerNode")),),
    )


def _twice(pool: PoolCapacity, gpu: int, path: Path, first: Path) -> Diagnostic:
    return Diagnostic(
        "GP209",
        f"pool '{pool.name}': GPU {gpu} stands twice in the layouts",
        path,
        hint="a GPU has one layout",
        related=(Related("first here", first),),
    )


def _stand(missing: list[int]) -> str:
    if len(missing) == 1:
        return f"GPU {missing[0]} stands"
    shown = f"GPUs {listed(missing)}" if len(missing) <= _FEW else f"{len(missing)} of the GPUs"
    return f"{shown} stand"


def _missing(pool: PoolCapacity, missing: list[int]) -> Diagnostic:
    indices = ", ".join(map(str, missing[:_FEW])) + (", ..." if len(missing) > _FEW else "")
    return Diagnostic(
        "GP208",
        f"pool '{pool.name}': {_stand(missing)} in no layout, and would keep any state",
        (*pool.path, "sharing", "mig"),
        hint=f"add {{gpus: [{indices}], layout: {{}}}} for MIG off, or another layout",
        related=(Related("the number of GPUs", (*pool.path, "gpusPerNode")),),
    )
