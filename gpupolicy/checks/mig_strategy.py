"""`migStrategy`: what the device plugin calls the slices.

GP206 mig-single-mixed
    With `single` pods ask for slices as `nvidia.com/gpu`, so every GPU of a node must be cut, and
    all slices must have one profile. Otherwise the device plugin fails on the node, which then
    offers no GPU, and its product label reads MIG-INVALID (k8s-device-plugin v0.20). Leave
    `migStrategy` out, which is `mixed`, or make the layout uniform.

GP211 mig-strategy-unused
    `migStrategy` says how slices are named, and this pool has none. Without `mig` it means
    nothing; leave it out.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.capacity.wording import layout_text
from gpupolicy.capacity.wording import listed
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Find the single strategy over slices of several kinds, and a strategy without slices."""
    for pool in context.capacity.pools.values():
        sharing = pool.spec.sharing
        if sharing is None or sharing.mig_strategy is None:
            continue
        path = (*pool.path, "sharing", "migStrategy")
        if sharing.mig is None:
            message = f"pool '{pool.name}': migStrategy stands without 'mig'"
            hint = "leave it out"
            yield Diagnostic("GP211", message, path, severity=Severity.WARNING, hint=hint)
        elif sharing.mig_strategy == "single" and not any(g.unknown for g in pool.layouts):
            yield from _single(pool)


def _single(pool: PoolCapacity) -> Iterator[Diagnostic]:
    profiles = list(dict.fromkeys(name for group in pool.layouts for name in group.profiles))
    whole = [gpu for group in pool.layouts if not group.profiles for gpu in group.gpus]
    if len(profiles) > 1:
        why = f"the layout has {len(profiles)} ({listed(profiles)})"
    elif profiles and whole:
        whose = f"GPU {whole[0]} stays" if len(whole) == 1 else f"GPUs {listed(whole)} stay"
        why = f"{whose} whole"
    else:
        return
    uniform = _uniform(pool)
    ways = "write 'mixed'" + (f", or a uniform layout such as {uniform}" if uniform else "")
    yield Diagnostic(
        "GP206",
        f"pool '{pool.name}': migStrategy single needs one profile on every GPU, and {why}",
        (*pool.path, "sharing", "migStrategy"),
        hint=ways,
        related=(Related("the layout", (*pool.path, "sharing", "mig")),),
    )


def _uniform(pool: PoolCapacity) -> str | None:
    """Propose the profile asked for most, as many as a GPU holds."""
    counts: dict[str, int] = {}
    for group in pool.layouts:
        for name, count in group.profiles.items():
            counts[name] = counts.get(name, 0) + count * len(group.gpus)
    mig = pool.gpu.model.mig if pool.gpu and pool.gpu.model else None
    profile = mig.profile(max(counts, key=lambda name: counts[name])) if mig and counts else None
    return layout_text({profile.name: profile.max_instances}) if profile else None
