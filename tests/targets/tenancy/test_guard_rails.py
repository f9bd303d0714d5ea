"""The guard rails, evaluated by the API server's own code: what each rule refuses and lets pass."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import pytest

from gpupolicy.manifest.key import Data
from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import TaintPlan
from gpupolicy.targets.tenancy.guard_rails import guard_rails
from tests.targets import plans
from tests.targets.tenancy.requests import CPU
from tests.targets.tenancy.requests import GPU
from tests.targets.tenancy.requests import JOB_CONTROLLER
from tests.targets.tenancy.requests import KUEUE
from tests.targets.tenancy.requests import QUEUED
from tests.targets.tenancy.requests import container
from tests.targets.tenancy.requests import custom
from tests.targets.tenancy.requests import ephemeral
from tests.targets.tenancy.requests import owner
from tests.targets.tenancy.requests import pod
from tests.targets.tenancy.requests import with_namespaces
from tests.targets.tenancy.requests import workload
from tests.tools.cel_check import evaluate

NOTEBOOK = TaintPlan("notebook", "true", "NoSchedule")
OURS = TaintPlan("ours", "", "NoExecute")
SHARED = "nvidia.com/mig-1g.10gb.shared"
POOL = "gpupolicy.dev/pool"
FOREIGN = {f"{KUEUE}queue-name": "vision"}
MAX_RUN = f"{KUEUE}max-exec-time-seconds"
PRIORITY = f"{KUEUE}priority-class"
VOLCANO_QUEUE = "scheduling.volcano.sh/queue-name"
VOLCANO = "system:serviceaccount:volcano-system:volcano-controllers"
KAI_QUEUE = {"kai.scheduler/queue": "product"}


def policy() -> Plan:
    """Two tenants: `product` on train and infer, `vision` on dev and a CPU pool."""
    infer = plans.node("infer", taints=[OURS])
    pools = (
        plans.pool("train", node=plans.node("train", taints=[plans.TAINT, OURS])),
        plans.pool("infer", 1, mig=plans.mig(), node=infer),
        plans.pool("dev", 2, node=plans.node("dev", taints=[NOTEBOOK, OURS])),
        plans.pool("amd", 3, gpu=plans.amd(), node=plans.node("amd", way="script", names=["a"])),
        plans.cpu_pool("cpu", 4),
    )
    product = plans.tenant(
        "product",
        namespaces=("product-serving",),
        priority_classes=("realtime", "batch"),
        max_run_time=259_200 * 10**9,
        lines=(plans.line("train"), plans.line("infer", "1g.10gb", SHARED)),
    )
    lines = (plans.line("dev", "gpu", "nvidia.com/gpu.shared"), plans.line("cpu", None, None))
    vision = plans.tenant("vision", 1, priority_classes=("batch",), queues_cpu=True, lines=lines)
    return plans.plan(
        pools=pools,
        tenants=(product, vision),
        priorities=(
            plans.priority("realtime", 3),
            plans.priority("training", 2, global_default=True),
            plans.priority("batch", 1),
        ),
        accelerators=("amd.com/gpu", "nvidia.com/gpu", "nvidia.com/gpu.shared", SHARED),
    )


PLANS = {
    "kueue": policy(),
    "kueue+volcano": replace(policy(), gang_holder="volcano"),
    "volcano": replace(
        policy(),
        quota_holder="volcano",
        gang_holder="volcano",
        platform=plans.platform(components={"volcano": "1.15"}),
    ),
    "kai": replace(policy(), quota_holder="kai", gang_holder="kai"),
    "resourceQuota": replace(policy(), quota_holder="resourceQuota", gang_holder="none"),
}


def required(operator: str, *values: str) -> Data:
    term = {"matchExpressions": [{"key": POOL, "operator": operator, "values": list(values)}]}
    return _affinity("required", {"nodeSelectorTerms": [term]})


def preferred(value: str) -> Data:
    wanted = {"matchExpressions": [{"key": POOL, "operator": "In", "values": [value]}]}
    return _affinity("preferred", [{"weight": 1, "preference": wanted}])


def _affinity(how: str, what: Any) -> Data:
    return {"nodeAffinity": {f"{how}DuringSchedulingIgnoredDuringExecution": what}}


def tolerating(**toleration: str) -> Data:
    return pod(tolerations=[toleration])


def visible(**env: Any) -> Data:
    return pod(containers=[container(env=[{"name": "NVIDIA_VISIBLE_DEVICES", **env}])])


def vision(limits: Any, **fields: Any) -> Data:
    return pod(limits, namespace="vision", **fields)


def by_job(**fields: Any) -> Data:
    return pod(labels={}, user=JOB_CONTROLLER, owner=owner(), **fields)


def job(labels: Any = None, **fields: Any) -> Data:
    """Ask for a Job that ends in time, so that rule W5 has nothing to say."""
    return workload(labels=QUEUED | {MAX_RUN: "60"} | (labels or {}), **fields)


def kubeflow(**labels: str) -> Data:
    return custom("PyTorchJob", "kubeflow.org/v1", labels=labels)


# plan, name of the case, request, rules that refuse it
POD_CASES: list[tuple[str, str, Data, set[str]]] = [
    ("kueue", "P1 queued", pod(), set()),
    ("kueue", "P1 no queue", pod(labels={}), {"P1"}),
    ("kueue", "P1 cpu work needs none", pod({}, labels={}), set()),
    ("kueue", "P1 from a Job", by_job(), set()),
    (
        "kueue",
        "P1 from a StatefulSet",
        pod(
            labels={},
            user="system:serviceaccount:kube-system:statefulset-controller",
            owner=owner("StatefulSet", "apps/v1"),
        ),
        set(),
    ),
    (
        "kueue",
        "P1 one identity for all controllers",
        pod(labels={}, user="system:kube-controller-manager", owner=owner()),
        set(),
    ),
    ("kueue", "P1 forged owner", pod(labels={}, owner=owner()), {"P1"}),
    ("kueue", "P1 controller without owner", pod(labels={}, user=JOB_CONTROLLER), {"P1"}),
    (
        "kueue",
        "P1 owner that does not control",
        pod(labels={}, user=JOB_CONTROLLER, owner=owner(controller=False)),
        {"P1"},
    ),
    (
        "kueue",
        "P1 from a ReplicaSet without queue",
        pod(labels={}, user=JOB_CONTROLLER, owner=owner("ReplicaSet", "apps/v1")),
        {"P1"},
    ),
    (
        "kueue",
        "P1 from an operator",
        pod(labels={}, user="system:serviceaccount:mpi-operator:mpi-operator"),
        set(),
    ),
    ("kueue", "P1 cpu work of a tenant with a CPU pool", vision({}, labels={}), {"P1"}),
    ("kueue", "P1 the same, queued", vision({}, labels=FOREIGN), set()),
    (
        "kueue",
        "P1 nothing is said of the namespace",
        pod(labels={}, namespace="bare"),
        {"P1", "P3"},
    ),
    (
        "kueue",
        "P1 empty queue, nothing said of the namespace",
        pod(labels={f"{KUEUE}queue-name": ""}, namespace="bare"),
        {"P1", "P3"},
    ),
    ("kueue", "P2 another tenant's queue", pod({}, labels=FOREIGN), {"P2"}),
    ("kueue", "P2 its own queue", pod({}), set()),
    ("kueue", "P1 and P2", pod(labels=FOREIGN), {"P1", "P2"}),
    ("kueue", "P2 from a Job", pod(labels=FOREIGN, user=JOB_CONTROLLER, owner=owner()), {"P2"}),
    ("kueue", "P3 no quota", pod({"nvidia.com/mig-3g.40gb": "1"}), {"P3"}),
    ("kueue", "P3 described GPU", pod({"amd.com/gpu": "1"}), {"P3"}),
    (
        "kueue",
        "P3 init container",
        pod({}, initContainers=[container({"amd.com/gpu": "1"})]),
        {"P3"},
    ),
    ("kueue", "P3 another resource", pod({"example.com/foo": "1"}, labels={}), set()),
    ("kueue", "P3 one of two", pod(GPU | {"nvidia.com/gpu.shared": "1"}), {"P3"}),
    ("kueue", "P4 one replica", pod({SHARED: "1"}), set()),
    ("kueue", "P4 two replicas", pod({SHARED: "2"}), {"P4"}),
    ("kueue", "P4 eight whole GPUs", pod({"nvidia.com/gpu": "8"}), set()),
    ("kueue", "P5 a key", tolerating(key="a", operator="Exists"), set()),
    ("kueue", "P5 everything", tolerating(operator="Exists"), {"P5"}),
    (
        "kueue",
        "P5 everything of an effect",
        tolerating(operator="Exists", effect="NoSchedule"),
        {"P5"},
    ),
    ("kueue", "P6 own taint", tolerating(key="nvidia.com/gpu", operator="Exists"), set()),
    ("kueue", "P6 foreign", tolerating(key="notebook", value="true", effect="NoSchedule"), {"P6"}),
    ("kueue", "P6 foreign by Exists", tolerating(key="notebook", operator="Exists"), {"P6"}),
    ("kueue", "P6 foreign for any effect", tolerating(key="notebook", value="true"), {"P6"}),
    ("kueue", "P6 another value", tolerating(key="notebook", value="no"), set()),
    (
        "kueue",
        "P6 another effect",
        tolerating(key="notebook", value="true", effect="NoExecute"),
        set(),
    ),
    ("kueue", "P6 foreign and own share it", tolerating(key="ours", operator="Exists"), set()),
    ("kueue", "P6 nobody's", tolerating(key="example.com/other", operator="Exists"), set()),
    ("kueue", "P7 own pool", pod(nodeSelector={POOL: "train"}), set()),
    ("kueue", "P7 foreign pool", pod(nodeSelector={POOL: "dev"}), {"P7"}),
    (
        "kueue",
        "P7 cpu work on a foreign pool",
        pod({}, labels={}, nodeSelector={POOL: "cpu"}),
        {"P7"},
    ),
    ("kueue", "P7 another label", pod(nodeSelector={"a": "b"}), set()),
    ("kueue", "P8 own pools", pod(affinity=required("In", "train", "infer")), set()),
    ("kueue", "P8 one foreign", pod(affinity=required("In", "train", "dev")), {"P8"}),
    ("kueue", "P8 not in", pod(affinity=required("NotIn", "dev")), {"P8"}),
    ("kueue", "P8 only preferred", pod(affinity=preferred("dev")), set()),
    ("kueue", "P9 a node", pod(nodeName="gpu-1"), {"P9"}),
    ("kueue", "P9 no node", pod(nodeName=""), set()),
    ("kueue", "P10 own class", pod(priorityClassName="realtime"), set()),
    ("kueue", "P10 filled in by default", pod(priorityClassName="training"), set()),
    ("kueue", "P10 foreign", pod(priorityClassName="system-node-critical"), {"P10"}),
    ("kueue", "P11 another scheduler", pod(schedulerName="volcano"), {"P11"}),
    ("kueue", "P11 cpu work", pod({}, labels={}, schedulerName="mine"), set()),
    ("kueue+volcano", "P11 not the gang holder", pod(), {"P11"}),
    ("kueue+volcano", "P11 the gang holder", pod(schedulerName="volcano"), set()),
    ("kueue", "P12 all GPUs", visible(value="all"), {"P12"}),
    ("kueue", "P12 none", visible(value="void"), set()),
    (
        "kueue",
        "P12 from elsewhere",
        visible(valueFrom={"fieldRef": {"fieldPath": "metadata.name"}}),
        {"P12"},
    ),
    ("kueue", "P12 debugging container", ephemeral("all"), {"P12"}),
    ("kueue", "P12 debugging container, none", ephemeral("none"), set()),
    ("kueue", "P12 debugging what would be refused now", ephemeral("none", labels={}), set()),
    ("kueue", "P13", pod({}, labels={}, containers=[container({}, {})]), {"P13"}),
    (
        "kueue",
        "P13 for the pod",
        pod({}, labels={}, containers=[container({}, {})], resources={"requests": CPU}),
        set(),
    ),
    (
        "volcano",
        "P1 annotation",
        pod(labels={}, annotations={VOLCANO_QUEUE: "product"}, schedulerName="volcano"),
        set(),
    ),
    ("volcano", "P1 Kueue's label", pod(schedulerName="volcano"), {"P1"}),
    ("volcano", "P1 from a Job", by_job(schedulerName="volcano"), {"P1"}),
    (
        "volcano",
        "P1 from a Volcano Job",
        pod(
            labels={},
            user=VOLCANO,
            owner=owner("Job", "batch.volcano.sh/v1alpha1"),
            schedulerName="volcano",
        ),
        set(),
    ),
    (
        "volcano",
        "P2",
        pod({}, labels={}, annotations={VOLCANO_QUEUE: "vision"}),
        {"P2"},
    ),
    (
        "volcano",
        "P11 work on CPU pools counts only there",
        vision({}, labels={}, annotations={VOLCANO_QUEUE: "vision"}),
        {"P11"},
    ),
    ("kai", "P1 label", pod(labels=KAI_QUEUE, schedulerName="kai-scheduler"), set()),
    ("kai", "P1 Kueue's label", pod(schedulerName="kai-scheduler"), {"P1"}),
    ("resourceQuota", "no queues", pod(labels={}), set()),
    ("resourceQuota", "no queues for cpu work either", vision({}, labels={}), set()),
    ("resourceQuota", "P3", pod({"amd.com/gpu": "1"}, labels={}), {"P3"}),
    ("resourceQuota", "P11", pod(labels={}, schedulerName="volcano"), {"P11"}),
]
WORKLOAD_CASES: list[tuple[str, str, Data, set[str]]] = [
    ("kueue", "W1 queued", job(), set()),
    ("kueue", "W1 no queue", workload(labels={MAX_RUN: "60"}), {"W1"}),
    ("kueue", "W1 another tenant's", job(FOREIGN), {"W1"}),
    ("kueue", "W1 changed later", job(FOREIGN, operation="UPDATE"), {"W1"}),
    ("kueue", "W1 cpu work", workload(limits={}, labels={}), set()),
    ("kueue", "W1 cpu work in another's queue", workload(limits={}, labels=FOREIGN), {"W1"}),
    (
        "kueue",
        "W1 cpu work with a CPU pool",
        workload(limits={}, labels={}, namespace="vision"),
        {"W1"},
    ),
    (
        "kueue",
        "W1 GPU in an init container",
        workload(
            limits={}, labels={MAX_RUN: "1"}, pod_spec_fields={"initContainers": [container(GPU)]}
        ),
        {"W1"},
    ),
    ("kueue", "W1 Deployment", workload("Deployment", "apps/v1", labels={}), {"W1"}),
    ("kueue", "W1 StatefulSet", workload("StatefulSet", "apps/v1"), set()),
    (
        "kueue",
        "W1 JobSet",
        custom("JobSet", "jobset.x-k8s.io/v1alpha2", labels={MAX_RUN: "1"}),
        {"W1"},
    ),
    ("kueue", "W1 training job", kubeflow(**{MAX_RUN: "1"}), {"W1"}),
    (
        "kueue",
        "W1 made by CronJob",
        workload(
            labels={MAX_RUN: "1"}, user="system:serviceaccount:kube-system:cronjob-controller"
        ),
        {"W1"},
    ),
    (
        "kueue",
        "W1 child of a JobSet",
        workload(labels={}, user="system:serviceaccount:jobset-system:jobset-controller-manager"),
        set(),
    ),
    (
        "kueue",
        "W4 child of a Deployment",
        workload(
            "ReplicaSet",
            "apps/v1",
            labels={},
            user="system:serviceaccount:kube-system:deployment-controller",
        ),
        set(),
    ),
    (
        "kueue",
        "W1 Kueue itself",
        workload(labels={}, user="system:serviceaccount:kueue-system:kueue-controller-manager"),
        set(),
    ),
    ("kueue", "W2 own class", job({PRIORITY: "batch"}), set()),
    ("kueue", "W2 foreign class", job({PRIORITY: "training"}), {"W2"}),
    ("kueue", "W3 own class", job(pod_spec_fields={"priorityClassName": "batch"}), set()),
    ("kueue", "W3 foreign class", job(pod_spec_fields={"priorityClassName": "training"}), {"W3"}),
    ("kueue", "W4 ReplicaSet", workload("ReplicaSet", "apps/v1"), {"W4"}),
    ("kueue", "W4 DaemonSet", workload("DaemonSet", "apps/v1", labels={}), {"W4"}),
    ("kueue", "W4 DaemonSet without GPU", workload("DaemonSet", "apps/v1", {}, labels={}), set()),
    ("kueue", "W5 endless", workload(), {"W5"}),
    ("kueue", "W5 at the maximum", job({MAX_RUN: "259200"}), set()),
    ("kueue", "W5 above it", job({MAX_RUN: "259201"}), {"W5"}),
    ("kueue", "W5 nothing", job({MAX_RUN: "0"}), {"W5"}),
    ("kueue", "W5 no number", job({MAX_RUN: "1h"}), {"W5"}),
    ("kueue", "W5 too many digits", job({MAX_RUN: "99999999999999999999"}), {"W5"}),
    ("kueue", "W5 by the Job's own deadline", workload(activeDeadlineSeconds=60), set()),
    ("kueue", "W5 too long a deadline", workload(activeDeadlineSeconds=259201), {"W5"}),
    ("kueue", "W5 serves", workload("Deployment", "apps/v1"), set()),
    ("kueue", "W5 cpu work", workload(limits={}), set()),
    ("kueue", "W5 training job", kubeflow(**QUEUED), {"W5"}),
    ("kueue", "W5 cluster", custom("RayCluster", "ray.io/v1"), set()),
    (
        "kueue",
        "W5 a tenant without bound",
        workload(namespace="vision", labels=FOREIGN, limits={"nvidia.com/gpu.shared": "1"}),
        set(),
    ),
    (
        "volcano",
        "W1 on the template",
        workload(template={"annotations": {VOLCANO_QUEUE: "product"}}),
        set(),
    ),
    ("volcano", "W1 not on the template", workload(labels={VOLCANO_QUEUE: "product"}), {"W1"}),
    ("volcano", "W1 cpu work", workload(limits={}, labels={}), set()),
    (
        "volcano",
        "W4 is Kueue's",
        workload("DaemonSet", "apps/v1", template={"annotations": {VOLCANO_QUEUE: "product"}}),
        set(),
    ),
    (
        "volcano",
        "W1 Volcano Job",
        custom("Job", "batch.volcano.sh/v1alpha1", {"queue": "product"}),
        set(),
    ),
    (
        "volcano",
        "W1 another's",
        custom("Job", "batch.volcano.sh/v1alpha1", {"queue": "vision"}),
        {"W1"},
    ),
    ("volcano", "W1 default queue", custom("Job", "batch.volcano.sh/v1alpha1", {}), {"W1"}),
    (
        "volcano",
        "W1 PodGroup",
        custom("PodGroup", "scheduling.volcano.sh/v1beta1", {"queue": "vision"}),
        {"W1"},
    ),
    (
        "volcano",
        "W1 PodGroup of the controller",
        custom("PodGroup", "scheduling.volcano.sh/v1beta1", {"queue": "vision"}, user=VOLCANO),
        set(),
    ),
    ("kai", "W1 label", workload(labels=KAI_QUEUE), set()),
    ("kai", "W1 Kueue's label", workload(), {"W1"}),
    ("resourceQuota", "no queues", workload(labels={}), set()),
    (
        "resourceQuota",
        "W3",
        workload(labels={}, pod_spec_fields={"priorityClassName": "x"}),
        {"W3"},
    ),
]
CASES = POD_CASES + WORKLOAD_CASES


@functools.cache
def answers(name: str) -> dict[str, Any]:
    """Ask all requests of one plan at once."""
    plan = PLANS[name]
    policies = [d for d in guard_rails(plan) if d["kind"] == "ValidatingAdmissionPolicy"]
    requests = [case[2] for case in CASES if case[0] == name]
    return evaluate(policies, with_namespaces(plan, requests))


@pytest.mark.tools
@pytest.mark.parametrize("name", PLANS)
def test_every_expression_compiles_on_the_oldest_kubernetes(name: str) -> None:
    assert answers(name)["compile"] == []


@pytest.mark.tools
@pytest.mark.parametrize(
    ("name", "case", "rules"),
    [(name, case, rules) for name, case, _, rules in CASES],
    ids=[f"{name}: {case}" for name, case, _, _ in CASES],
)
def test_rule(name: str, case: str, rules: set[str]) -> None:
    place = [c[1] for c in CASES if c[0] == name].index(case)
    refused = answers(name)["results"][place]
    assert not [r for r in refused if r["error"]]
    assert {r["message"].partition(":")[0] for r in refused} == rules


def message(name: str, case: str) -> str:
    place = [c[1] for c in CASES if c[0] == name].index(case)
    (refused,) = answers(name)["results"][place]
    text: str = refused["message"]
    return text


@pytest.mark.tools
@pytest.mark.parametrize(
    ("case", "text"),
    [
        (
            "P1 no queue",
            "P1: tenant product: this pod must come from a queued workload or carry the label "
            "kueue.x-k8s.io/queue-name with one of: product",
        ),
        (
            "P1 cpu work of a tenant with a CPU pool",
            "P1: tenant vision: this pod must come from a queued workload or carry the label "
            "kueue.x-k8s.io/queue-name with one of: vision (pods without GPU are queued as well, "
            "since the tenant has a quota on a CPU pool: select it with gpupolicy.dev/pool, or "
            "they may take the cpu of a GPU pool)",
        ),
        (
            "P2 another tenant's queue",
            "P2: queue vision does not belong to tenant product, whose queues are: product",
        ),
        ("P3 one of two", "P3: tenant product has no quota on nvidia.com/gpu.shared"),
        (
            "P6 foreign",
            "P6: tenant product has no quota on the pool whose taint is tolerated by key notebook",
        ),
        (
            "P7 foreign pool",
            "P7: tenant product has no quota on the pool that is named by gpupolicy.dev/pool in "
            "the node selector, its pools are: infer, train",
        ),
        (
            "P10 foreign",
            "P10: tenant product may not use priority class system-node-critical, only: batch, "
            "realtime",
        ),
        (
            "W5 above it",
            "W5: tenant product: the label kueue.x-k8s.io/max-exec-time-seconds must say a number "
            "of seconds from 1 to 259200",
        ),
    ],
)
def test_a_refusal_names_tenant_and_cure(case: str, text: str) -> None:
    assert message("kueue", case) == text


def test_every_rule_has_a_case_that_it_refuses_and_one_that_it_lets_pass() -> None:
    """The census: no rule without a test of either kind."""
    for name in PLANS:
        made = [d for d in guard_rails(PLANS[name]) if d["kind"] == "ValidatingAdmissionPolicy"]
        rules = {v["message"].partition(":")[0] for d in made for v in d["spec"]["validations"]}
        refused = {rule for plan, _, _, found in CASES if plan == name for rule in found}
        assert refused <= rules
        if name == "kueue":
            assert rules == refused
            passed = {case.partition(" ")[0] for _, case, _, found in CASES if not found}
            assert rules <= passed


@pytest.mark.tools
def test_a_cluster_of_two_hundred_pools_stays_below_the_cost_limit() -> None:
    """A rule that costs too much fails, and one that fails refuses every pod."""
    pools = tuple(
        plans.pool(
            f"pool-with-name-{i}",
            i,
            node=plans.node(
                taints=[plans.TAINT, TaintPlan("dedicated", f"value-{i}", "NoSchedule")]
            ),
        )
        for i in range(200)
    )
    lines = tuple(plans.line(pool.name) for pool in pools[:100])
    tenant = plans.tenant("product", namespaces=("product-serving",), lines=lines)
    plan = plans.plan(pools=pools, tenants=(tenant,))
    tolerations = [
        {"key": "dedicated", "value": f"value-{i}", "effect": "NoSchedule"} for i in range(40)
    ]
    asked = pod(tolerations=tolerations, containers=[container() for _ in range(30)])
    policies = [d for d in guard_rails(plan) if d["kind"] == "ValidatingAdmissionPolicy"]
    assert evaluate(policies, with_namespaces(plan, [asked])) == {"compile": [], "results": [[]]}
