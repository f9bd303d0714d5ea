"""Who holds quota and who places gangs: what the policy says, and the defaults.

One queueing component does both. Kueue beside Volcano or KAI holds quota, and the other places
gangs. Without any of them there is a ResourceQuota per tenant, and nobody places gangs.
"""

from __future__ import annotations

from typing import Literal
from typing import NamedTuple

from gpupolicy.facts.versions import version_key
from gpupolicy.spec.v1alpha1.platform import Platform
from gpupolicy.spec.v1alpha1.platform import Scheduling
from gpupolicy.spec.v1alpha1.policy import Policy

QuotaHolder = Literal["kueue", "volcano", "kai", "resourceQuota"]
GangHolder = Literal["kueue", "volcano", "kai", "none"]


class Holders(NamedTuple):
    """The quota holder and the gang holder."""

    quota: QuotaHolder
    gang: GangHolder

    @property
    def is_legal(self) -> bool:
        """Tell whether the pair works: equal, `kueue` with any, `resourceQuota` with `none`."""
        if self.quota == "resourceQuota":
            return self.gang == "none"
        return self.quota in ("kueue", self.gang)


def holders(policy: Policy) -> Holders:
    """Give the holders of a policy; what it says counts, legal and installed or not."""
    said = policy.spec.scheduling
    platform = policy.spec.platform
    quota = said.quota or _default_quota(said, platform)
    return Holders(quota, said.gang or _default_gang(quota, platform))


def _default_quota(said: Scheduling, platform: Platform) -> QuotaHolder:
    if platform.kueue:
        return "kueue"
    if said.gang is not None:
        return "resourceQuota" if said.gang == "none" else said.gang
    return "volcano" if platform.volcano else "kai" if platform.kai else "resourceQuota"


def _default_gang(quota: QuotaHolder, platform: Platform) -> GangHolder:
    if quota == "resourceQuota":
        return "none"
    if quota != "kueue":
        return quota
    return "volcano" if platform.volcano else "kai" if platform.kai else "kueue"


def reserve_is_lent(policy: Policy) -> bool:
    """Tell whether the nodes of a pool's `reserve` can be borrowed while they are there.

    Volcano and KAI schedule on the live nodes and reclaim from them. Kueue evicts a borrower for
    a lost node only where it places too, which was tested from 0.19 on; with another placer, and
    with ResourceQuota, the reserve is kept idle.
    """
    quota, gang = holders(policy)
    if quota != "kueue":
        return quota != "resourceQuota"
    kueue = policy.spec.platform.kueue
    tested = kueue is None or kueue.version is None or version_key(kueue.version) >= (0, 19)
    return gang == "kueue" and tested
