"""Two plans -> what going from one to the other does to work that runs.

Rules, each with what is known of the components: MIG is laid out anew only on a GPU that nobody
uses, and draining is the caller's task (mig-parted, gpu-operator#262); the device plugin reads its
configuration again by a restart, which leaves running pods alone; Kueue and Volcano admit by what a
quota says now and do not evict for a lower one, but what is above a guarantee is borrowed and may
be reclaimed; a ClusterQueue keeps its finalizer while workloads hold quota in it (kueue#249);
`value` and `preemptionPolicy` of a PriorityClass are immutable (Kubernetes 1.34, validation of
PriorityClass); `NoExecute` evicts, `NoSchedule` does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from typing import Literal
from typing import NamedTuple

if TYPE_CHECKING:
    from gpupolicy.plan.model import Plan
    from gpupolicy.plan.model import PriorityPlan
    from gpupolicy.plan.model import QuotaLinePlan
    from gpupolicy.plan.pool_model import PoolPlan

Level = Literal["low", "medium", "high"]
LEVELS = ("low", "medium", "high")


class Risk(NamedTuple):
    """What one change does to running work: how bad, of what, what happens, what to do first."""

    level: Level
    subject: str
    effect: str
    advice: str


def risks(before: Plan, after: Plan) -> list[Risk]:
    """Find the risks of a change of policy, the worst first."""
    found = [*_pools(before, after), *_tenants(before, after), *_priorities(before, after)]
    return sorted(found, key=lambda one: -LEVELS.index(one.level))


def above(found: list[Risk], level: str) -> list[Risk]:
    """Give the risks that are higher than a level."""
    return [one for one in found if LEVELS.index(one.level) > LEVELS.index(level)]


def _pools(before: Plan, after: Plan) -> Iterator[Risk]:
    now = {pool.name: pool for pool in after.pools}
    for pool in before.pools:
        if pool.name in now:
            yield from _pool(pool, now[pool.name])
        else:
            effect = f"{_nodes(pool)} belong to no pool: quota, labels and taints of it go"
            yield Risk("high", f"pool {pool.name}", effect, "stop and drain its queues first")


def _pool(old: PoolPlan, new: PoolPlan) -> Iterator[Risk]:
    subject = f"pool {new.name}"
    if _layout(old) != _layout(new):
        effect = f"MIG layout of {_nodes(new)} changes: every GPU pod on them has to go"
        yield Risk(
            "high", subject, effect, "cordon and drain node by node before the label changes"
        )
    elif old.sharing != new.sharing:
        effect = f"the device plugin restarts on {_nodes(new)}; running pods keep their devices"
        yield Risk("medium", subject, effect, "roll out when few pods start")
    kept = {device.resource for device in new.devices}
    for resource in sorted({device.resource for device in old.devices} - kept):
        effect = f"'{resource}' is no longer offered: pods that ask for it pend"
        advice = f"change them to {' or '.join(sorted(kept)) or 'another pool'} first"
        yield Risk("high", subject, effect, advice)
    if new.nodes < old.nodes:
        effect = f"{old.nodes - new.nodes} of {old.nodes} nodes are no longer counted as capacity"
        yield Risk("medium", subject, effect, "drain the nodes that leave")
    yield from _taints(subject, old, new)


def _layout(pool: PoolPlan) -> object:
    if pool.mig is None:
        return None
    groups = sorted((one.gpus, sorted(one.profiles.items())) for one in pool.mig.groups)
    return pool.mig.strategy, groups


def _taints(subject: str, old: PoolPlan, new: PoolPlan) -> Iterator[Risk]:
    for taint in new.node.taints:
        if taint not in old.node.taints:
            name = f"{taint.key}={taint.value}:{taint.effect}".replace("=:", ":")
            evicts = taint.effect == "NoExecute"
            what = "evicts running pods" if evicts else "keeps new pods out, running ones stay,"
            advice = "add the toleration to workloads and daemonsets first"
            effect = f"taint {name} {what} where they do not tolerate it"
            yield Risk("high" if evicts else "medium", subject, effect, advice)
    for taint in old.node.taints:
        if taint not in new.node.taints:
            effect = f"taint {taint.key}:{taint.effect} goes: pods without GPUs may land there"
            yield Risk("low", subject, effect, "nothing is evicted")


def _tenants(before: Plan, after: Plan) -> Iterator[Risk]:
    now = {tenant.name: tenant for tenant in after.tenants}
    for old in before.tenants:
        subject = f"tenant {old.name}"
        new = now.get(old.name)
        if new is None or (new.is_parent and not old.is_parent):
            effect = "its queue goes: deleting it hangs while workloads hold quota in it"
            advice = "hold and drain the queue, wait until it is empty, then remove it"
            yield Risk("high", subject, effect, advice)
            continue
        for name in old.namespaces:
            if name not in new.namespaces:
                effect = f"namespace {name} loses its queue: jobs that name it are not admitted"
                yield Risk("high", subject, effect, "the namespace itself is not deleted")
        lines = {(line.pool, line.device): line for line in new.lines}
        for line in old.lines:
            found = lines.get((line.pool, line.device))
            yield from _line(subject, line, found, before.quota_holder != "resourceQuota")


def _line(
    subject: str, old: QuotaLinePlan, new: QuotaLinePlan | None, lends: bool
) -> Iterator[Risk]:
    where = f"{old.device or 'cpu'} of pool {old.pool}"
    if new is None:
        effect = f"no quota on {where} any more: running work stays, new work is not admitted"
        yield Risk("high", subject, effect, "move or end its work there first")
        return
    change = f"guarantee on {where} {old.guaranteed} -> {new.guaranteed}"
    if new.guaranteed < old.guaranteed and lends:
        effect = (
            f"{change}: nothing is evicted, what is above it counts as borrowed and the next "
            "reclaim may evict it"
        )
        yield Risk("medium", subject, effect, "tell the tenant; end or move what is above it")
    if new.guaranteed > old.guaranteed and lends:
        effect = f"{change}: others that borrow there may be evicted when it asks for them"
        yield Risk("medium", subject, effect, "look who borrows there")
    if new.reach < old.reach:
        effect = (
            f"ceiling on {where} {old.reach} -> {new.reach}: nothing is evicted, "
            "new work waits while the tenant is above it"
        )
        yield Risk("medium", subject, effect, "tell the tenant")


def _priorities(before: Plan, after: Plan) -> Iterator[Risk]:
    now = {one.name: one for one in after.priorities}
    for old in before.priorities:
        subject, users = f"priority class {old.name}", _users(before, old)
        new = now.get(old.name)
        if new is None:
            effect = f"pods that name it are refused{users}"
            yield Risk("high", subject, effect, "change the workloads first")
        elif old.value != new.value:
            effect = (
                f"value {old.value} -> {new.value} is immutable: the class is deleted and made "
                f"anew, running pods keep the old value{users}"
            )
            yield Risk("high", subject, effect, "add a class of another name and move work to it")
        elif old.preempts != new.preempts and after.quota_holder != "kueue":
            effect = f"preemptionPolicy is immutable: the class is deleted and made anew{users}"
            yield Risk("high", subject, effect, "add a class of another name and move work to it")


def _users(plan: Plan, priority: PriorityPlan) -> str:
    holders = (one for one in plan.workloads if one.priority_class == priority.name)
    names = [f"{one.tenant}/{one.name}" for one in holders]
    return f"; declared with it: {', '.join(names)}" if names else ""


def _nodes(pool: PoolPlan) -> str:
    return f"{pool.nodes} node{'' if pool.nodes == 1 else 's'} of pool {pool.name}"
