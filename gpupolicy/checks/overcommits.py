"""`overcommit`: how much of the memory of a shared GPU may be promised twice.

GP313 overcommit-wrong
    `overcommit: 2` accepts that the workloads on one GPU need twice its memory together. Below 1
    it would take memory away, and a percentage is not a number of times. Write a number from 1.

GP314 overcommit-unused
    `overcommit` speaks of memory that is not divided, with `timeSlicing` and `fractions`. Whole
    cards and MIG slices have one user, and an MPS client is held to its share, so that nothing can
    be promised twice. Leave it out.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gpupolicy.capacity.wording import gpu_name
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find numbers below 1, and an overcommit of what is not shared."""
    for pool in context.capacity.pools.values():
        sharing = pool.spec.sharing
        if sharing is None or sharing.overcommit is None:
            continue
        path = (*pool.path, "sharing", "overcommit")
        written = sharing.overcommit
        if not isinstance(written, int | Fraction):
            message = f"pool '{pool.name}': overcommit {written.text} is a percentage"
            yield Diagnostic("GP313", message, path, hint="write a number from 1, such as 1.5")
        elif written < 1:
            message = f"pool '{pool.name}': overcommit {float(written):g} is below 1"
            yield Diagnostic("GP313", message, path, hint="write a number from 1, such as 1.5")
        elif sharing.time_slicing is None and not sharing.fractions:
            yield Diagnostic(
                "GP314",
                f"pool '{pool.name}': overcommit stands without timeSlicing or fractions, and the "
                f"memory of {gpu_name(pool)} is not shared otherwise",
                path,
                severity=Severity.WARNING,
                hint="leave it out",
            )
