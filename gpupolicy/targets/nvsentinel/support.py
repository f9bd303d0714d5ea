"""What self-healing does not do, or not as meant.

GP590 isolation-cap-approximated
    `maxIsolated` is the part of a pool that may be fenced, so that a fault of a driver, which
    comes on all nodes at once, does not empty it. NVSentinel counts whole percents of all GPU nodes
    together, and those that were cordoned within a window, here a day. The percentage is chosen
    so that even if all of them are in the smallest pool no more of it is fenced; where a
    percent, or a single node, is already more, that is said as a warning. *Approximated.*

GP591 isolation-dry-run
    NVSentinel starts in a dry run: it writes into its log which nodes it would cordon, and
    cordons none. Look at that for some days, and then write `dryRun: false`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.plan.model import Plan
from gpupolicy.plan.self_healing import SelfHealingPlan
from gpupolicy.targets.nvsentinel.values import WINDOW

_PATH: Path = ("spec", "platform", "nvsentinel")


def unsupported(plan: Plan) -> Iterator[Diagnostic]:
    """Say how the cap is counted, and that a dry run fences nothing."""
    healing = plan.self_healing
    if healing is None:
        return
    yield _cap(healing)
    if healing.dry_run:
        yield Diagnostic(
            "GP591",
            "NVSentinel runs dry: it says which nodes it would cordon, and cordons none",
            _PATH,
            part="key",
            severity=Severity.NOTE,
            hint="when its log is right, write 'dryRun: false'",
        )


def _cap(healing: SelfHealingPlan) -> Diagnostic:
    allowed = healing.share * healing.smallest_nodes
    over = healing.most > allowed
    part = min(ceil(100 * healing.most / healing.smallest_nodes), 100)
    nodes = f"{healing.most} {'node' if healing.most == 1 else 'nodes'}"
    return Diagnostic(
        "GP590",
        f"at most {nodes} of {healing.gpu_nodes} are cordoned in {WINDOW} ({healing.percent}%): "
        f"approximated, all pools are counted together, and {float(healing.share):.0%} of the "
        f"smallest, '{healing.smallest}', is {float(allowed):g} of {healing.smallest_nodes}",
        _PATH,
        part="key",
        severity=Severity.WARNING if over else Severity.NOTE,
        hint=f"raise 'maxIsolated' to {part}% if so much of '{healing.smallest}' may go"
        if over
        else None,
    )
