"""The work of a scenario: jobs, pods and deployments as a tenant's people would write them."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field
from typing import Any
from typing import Literal

from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import PoolPlan
from tests.testbed.nodes import quantity

Data = dict[str, Any]
_QUEUE = "kueue.x-k8s.io/queue-name"
_CLASS = "kueue.x-k8s.io/priority-class"
_VOLCANO_QUEUE = "scheduling.volcano.sh/queue-name"
_VOLCANO_GANG = "scheduling.volcano.sh/group-min-member"
_VOLCANO_TOPOLOGY = "volcano.sh/network-topology"
_TOPOLOGY = "kueue.x-k8s.io/podset-{}-topology"


@dataclass(frozen=True, slots=True)
class Work:
    """`count` equal pieces of work, each of `pods` pods with `devices` devices of a pool.

    What goes with the devices (cpu, memory, other resources) is the pool's share of them, unless
    `requests` says otherwise. `named` writes the pool into the node selector. `queue` is the
    tenant's unless it is said, and `""` is none; `namespace` is the tenant's first.
    """

    tenant: str
    pool: str
    count: int = 1
    pods: int = 1
    devices: int = 1
    device: str = ""
    kind: Literal["Job", "Pod", "Deployment"] = "Job"
    priority: str = ""
    named: bool = True
    queue: str | None = None
    namespace: str = ""
    required: str = ""
    preferred: str = ""
    requests: dict[str, str] = field(default_factory=dict)
    # More labels, laid over those that follow from the rest.
    labels: dict[str, str] = field(default_factory=dict)
    # Laid over the pod's spec as it is.
    pod: dict[str, Any] = field(default_factory=dict)


def namespace_of(work: Work, plan: Plan) -> str:
    """Give the namespace in which work is."""
    return work.namespace or plan.tenant(work.tenant).namespaces[0]


def objects(group: str, work: Work, plan: Plan) -> list[Data]:
    """Give the objects of a group of work, called after it."""
    if work.kind == "Deployment":
        return [_deployment(group, work, plan)]
    make = _job if work.kind == "Job" else _pod
    return [make(f"{group}-{index}", work, plan) for index in range(work.count)]


def _labels(work: Work, plan: Plan) -> dict[str, str]:
    if plan.quota_holder != "kueue":
        return dict(work.labels)
    tenant = plan.tenant(work.tenant)
    queue = tenant.name if work.queue is None else work.queue
    labels = {_QUEUE: queue} if queue else {}
    if queue and work.priority:
        labels[_CLASS] = work.priority
    if queue and tenant.max_run_time is not None:
        labels["kueue.x-k8s.io/max-exec-time-seconds"] = str(tenant.max_run_time // 10**9)
    return labels | work.labels


def _meta(name: str, work: Work, plan: Plan, labels: dict[str, str]) -> Data:
    return {"name": name, "namespace": namespace_of(work, plan), "labels": labels}


def _job(name: str, work: Work, plan: Plan) -> Data:
    meta = _meta(name, work, plan, _labels(work, plan))
    if plan.gang_holder == "volcano" and work.pods > 1:
        meta["annotations"] = {_VOLCANO_GANG: str(work.pods)}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta,
        "spec": {
            "suspend": plan.quota_holder == "kueue",
            "backoffLimit": 1000,
            "parallelism": work.pods,
            "completions": work.pods,
            "completionMode": "Indexed",
            "template": _template(work, plan, {}),
        },
    }


def _deployment(name: str, work: Work, plan: Plan) -> Data:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _meta(name, work, plan, _labels(work, plan)),
        "spec": {
            "replicas": work.count,
            "selector": {"matchLabels": {"app": name}},
            "template": _template(work, plan, {"app": name}, "Always"),
        },
    }


def _pod(name: str, work: Work, plan: Plan) -> Data:
    template = _template(work, plan, {})
    meta = _meta(name, work, plan, _labels(work, plan))
    meta["annotations"] = template["metadata"]["annotations"]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": template["spec"]}


def _template(work: Work, plan: Plan, labels: dict[str, str], restart: str = "Never") -> Data:
    pool = plan.pool(work.pool)
    resources = requests(work, pool)
    limits = {key: value for key, value in resources.items() if key != "cpu"}
    spec: Data = {
        "restartPolicy": restart,
        "terminationGracePeriodSeconds": 0,
        "containers": [
            {
                "name": "work",
                "image": "registry.example.com/work:1",
                "resources": {"requests": resources, "limits": limits},
            }
        ],
    }
    if work.named:
        spec["nodeSelector"] = {"gpupolicy.dev/pool": pool.name}
    if work.priority:
        spec["priorityClassName"] = work.priority
    if plan.gang_holder == "volcano" and work.devices:
        spec["schedulerName"] = "volcano"
    return {
        "metadata": {"labels": labels, "annotations": _annotations(work, plan)},
        "spec": spec | work.pod,
    }


def _annotations(work: Work, plan: Plan) -> dict[str, str]:
    pool = plan.pool(work.pool)
    found: dict[str, str] = {}
    if plan.quota_holder == "volcano":
        queue = work.tenant if work.queue is None else work.queue
        found |= {_VOLCANO_QUEUE: queue} if queue else {}
    for word, level in (("required", work.required), ("preferred", work.preferred)):
        if level:
            found |= _topology(word, level, pool, plan)
    return found


def _topology(word: str, level: str, pool: PoolPlan, plan: Plan) -> dict[str, str]:
    names = [one.name for one in pool.levels]
    if plan.gang_holder == "volcano":
        # Tiers count from the narrowest level above the host.
        tier = len(names) - 1 - names.index(level)
        mode = {"required": "hard", "preferred": "soft"}[word]
        return {f"{_VOLCANO_TOPOLOGY}-mode": mode, f"{_VOLCANO_TOPOLOGY}-highest-tier": str(tier)}
    return {_TOPOLOGY.format(word): pool.levels[names.index(level)].node_label}


def requests(work: Work, pool: PoolPlan) -> dict[str, str]:
    """Give what one pod requests."""
    made: dict[str, str] = {}
    if pool.devices and work.devices:
        device = pool.device(work.device) if work.device else pool.devices[0]
        made = {
            key: quantity(key, int(share * work.devices)) for key, share in device.share.items()
        }
        made[device.resource] = str(work.devices)
    made |= work.requests
    return {key: value for key, value in made.items() if value not in ("0", "0m", "0Mi")}
