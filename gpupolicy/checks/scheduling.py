"""The holders of quota and of gangs fit together and are installed.

GP405 holders-do-not-fit
    Two components would decide about the same work. Legal pairs are `quota` and `gang` equal,
    `quota: kueue` with any `gang`, and `quota: resourceQuota` with `gang: none`. Kueue hands
    admitted work to whoever places it; Volcano and KAI want to do both themselves.

GP406 holder-not-installed
    `scheduling` names a component that `platform` does not have, so that quota would be written
    for nobody. Add it under `platform`, or leave `scheduling` out: the default follows from what
    is installed.

GP407 holder-undecided
    Volcano and KAI are both installed, and both want to place gangs. Two schedulers on the same
    nodes book devices twice. Say under `scheduling` which of them does it.

GP408 component-idle
    A queueing component stands in `platform`, and neither holds quota nor places gangs. Nothing
    is emitted for it. If its own queues let work onto the same nodes, quota is held twice and no
    guarantee is safe. Take it out of `platform`, or give it a part under `scheduling`.

GP409 fractions-need-kai
    `sharing: {fractions: true}` lets KAI divide GPUs, so KAI must place the pods: no other
    scheduler knows what a fraction is. Install KAI, or share by `timeSlicing`, `mps` or `mig`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.capacity.scheduling import Holders
from gpupolicy.capacity.scheduling import holders
from gpupolicy.check_base import CheckContext
from gpupolicy.check_base import listed
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.spec.v1alpha1.platform import Platform

_SCHEDULING: Path = ("spec", "scheduling")
_QUEUEING = ("kueue", "volcano", "kai")
_GANGS = {
    "kueue": ("kueue", "volcano", "kai", "none"),
    "volcano": ("volcano",),
    "kai": ("kai",),
    "resourceQuota": ("none",),
}


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check the pair of holders, and each against what is installed."""
    said = context.policy.spec.scheduling
    platform = context.policy.spec.platform
    held = holders(context.policy)
    undecided = _is_undecided(held, said.gang or said.quota, platform)
    if not held.is_legal:
        yield _no_pair(held, (*_SCHEDULING, "gang" if said.gang else "quota"))
    else:
        yield from _not_installed(context, held)
    if undecided:
        yield Diagnostic(
            "GP407",
            "Volcano and KAI are both installed, and nothing says which of them places gangs",
            ("spec", "platform", "kai"),
            part="key",
            hint="write 'scheduling: {gang: volcano}' or 'scheduling: {gang: kai}'",
        )
    else:
        yield from _idle(platform, held)
    yield from _fractions(context, held)


def _is_undecided(held: Holders, said: str | None, platform: Platform) -> bool:
    both = platform.volcano is not None and platform.kai is not None
    return both and said in (None, "kueue") and held.gang == "volcano"


def _no_pair(held: Holders, path: Path) -> Diagnostic:
    legal = _GANGS[held.quota]
    return Diagnostic(
        "GP405",
        f"quota '{held.quota}' and gang '{held.gang}' do not go together",
        path,
        hint=f"with 'quota: {held.quota}' legal for 'gang' is {listed(legal)}",
    )


def _not_installed(context: CheckContext, held: Holders) -> Iterator[Diagnostic]:
    said = context.policy.spec.scheduling
    platform = context.policy.spec.platform
    asked = ((said.quota, "quota"), (said.gang if said.gang != said.quota else None, "gang"))
    for name, key in asked:
        if name in _QUEUEING and getattr(platform, name) is None:
            yield Diagnostic(
                "GP406",
                f"'{key}: {name}', but {name} is not installed",
                (*_SCHEDULING, key),
                hint=f"add '{name}: {{}}' to 'platform', or leave out '{key}'",
            )


def _idle(platform: Platform, held: Holders) -> Iterator[Diagnostic]:
    for name in _QUEUEING:
        if getattr(platform, name) is not None and name not in held:
            yield Diagnostic(
                "GP408",
                f"{name} is installed and has no part: {held.quota} holds quota, "
                f"{held.gang if held.gang != 'none' else 'nobody'} places gangs",
                ("spec", "platform", name),
                part="key",
                severity=Severity.WARNING,
                hint="take it out of 'platform' if its queues let no work onto these nodes",
            )


def _fractions(context: CheckContext, held: Holders) -> Iterator[Diagnostic]:
    for index, pool in enumerate(context.policy.spec.node_pools):
        if pool.sharing is not None and pool.sharing.fractions and held.gang != "kai":
            yield Diagnostic(
                "GP409",
                f"pool '{pool.name}' divides GPUs by KAI, but "
                f"{held.gang if held.gang != 'none' else 'nobody'} places its pods",
                ("spec", "nodePools", index, "sharing", "fractions"),
                hint="install KAI and let it place gangs, or share by 'timeSlicing' or 'mps'",
            )
