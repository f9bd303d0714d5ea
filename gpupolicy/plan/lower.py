"""Policy + facts + capacity -> `Plan`: every decision made, once, for all targets.

A checked policy lowers; an exception here is our bug.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpupolicy.capacity import cells
from gpupolicy.capacity.model import Capacity
from gpupolicy.capacity.reach import reaches
from gpupolicy.capacity.scheduling import holders
from gpupolicy.capacity.scheduling import reserve_is_lent
from gpupolicy.diagnostics.model import Path
from gpupolicy.facts.catalog import Facts
from gpupolicy.plan import configs
from gpupolicy.plan import pools
from gpupolicy.plan import tenants
from gpupolicy.plan.model import LatencyPlan
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import PlatformPlan
from gpupolicy.plan.model import PriorityPlan
from gpupolicy.plan.model import SlaPlan
from gpupolicy.plan.monitoring import lower_monitoring
from gpupolicy.plan.operator import lower_operator
from gpupolicy.plan.platform import lower_platform
from gpupolicy.plan.self_healing import lower_self_healing
from gpupolicy.plan.workloads import lower_workloads
from gpupolicy.spec.v1alpha1.policy import Policy
from gpupolicy.spec.v1alpha1.priorities import Sla


def lower(policy: Policy, facts: Facts, capacity: Capacity) -> Plan:
    """Make all decisions. The policy must have passed the checks."""
    name = policy.metadata.name
    quota, gang = holders(policy)
    lends = reserve_is_lent(policy)
    platform = lower_platform(policy.spec.platform, facts)
    pool_plans, strategy = pools.lower_pools(capacity, platform, name, gang, lends=lends)
    accelerators = sorted({device.resource for pool in pool_plans for device in pool.devices})
    priorities = _priorities(policy)
    slas: dict[str | None, SlaPlan] = {sla.name: _sla(sla) for sla in policy.spec.slas}
    tree = tenants.lower_tree(capacity)
    offered = [(capacity.pools[pool.name], pool.quota_nodes) for pool in pool_plans]
    spare_resources, spare = cells.spare(offered, tree.used, tree.taken)
    reach = reaches(capacity, reserve_lent=lends, held=quota == "resourceQuota")
    plan = Plan(
        name=name,
        platform=platform,
        quota_holder=quota,
        gang_holder=gang,
        guard_rails=policy.spec.guard_rails,
        pools=pool_plans,
        tenants=tenants.lower_tenants(capacity, tree, priorities, slas, accelerators, reach),
        priorities=priorities,
        slas=tuple(slas.values()),
        workloads=lower_workloads(capacity, reach),
        spare_resources=spare_resources,
        spare=spare,
        accelerators=tuple(accelerators),
        mig_strategy=strategy,
        device_plugin=configs.device_plugin(pool_plans, strategy, _operator_namespace(platform)),
        mig_parted=configs.mig_parted(pool_plans, _operator_namespace(platform)),
        topologies=pools.topologies(pool_plans),
        monitoring=None,
        later=tuple(_later(policy)),
        gpu_operator=lower_operator(platform, facts),
        self_healing=lower_self_healing(policy.spec.platform.nvsentinel, pool_plans, facts),
    )
    return replace(plan, monitoring=lower_monitoring(policy.spec, plan, facts))


def _operator_namespace(platform: PlatformPlan) -> str:
    operator = platform.component("gpuOperator")
    return operator.namespace if operator else "gpu-operator"


def _priorities(policy: Policy) -> tuple[PriorityPlan, ...]:
    return tuple(
        PriorityPlan(
            name=cls.name,
            value=cls.value,
            description=cls.description,
            global_default=cls.global_default,
            preempts=cls.preemption_policy != "Never",
            source=f"priorityClasses[{cls.name}]",
        )
        for cls in policy.spec.priority_classes
    )


def _sla(sla: Sla) -> SlaPlan:
    wait = sla.queue_wait
    return SlaPlan(
        name=sla.name,
        preemptible=sla.preemptible,
        wait_objective=wait.objective.fraction if wait else None,
        wait_within=wait.within if wait else None,
        latency=tuple(LatencyPlan(x.metric, x.objective.fraction, x.within) for x in sla.latency),
        max_run_time=sla.max_run_time,
        source=f"slas[{sla.name}]",
    )


def _later(policy: Policy) -> Iterator[tuple[Path, str]]:
    """Name what the language can say and no target compiles yet."""
    platform = policy.spec.platform
    if platform.kai is not None:
        yield ("spec", "platform", "kai"), "'kai' is compiled in a later version"
    for index, pool in enumerate(policy.spec.node_pools):
        sharing = pool.sharing
        for key in ("vgpu", "passthrough", "fractions"):
            if sharing is not None and getattr(sharing, key):
                yield (
                    ("spec", "nodePools", index, "sharing", key),
                    f"'{key}' in pool '{pool.name}' is checked, and compiled in a later version",
                )
