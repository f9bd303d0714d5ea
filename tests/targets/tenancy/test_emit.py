from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.canonical import dump_all
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.targets.tenancy import emit
from gpupolicy.targets.tenancy import unsupported
from tests.schema_check import validate_object
from tests.targets import plans
from tests.targets.tenancy.test_guard_rails import PLANS
from tests.targets.written import objects
from tests.targets.written import written

MIG = "nvidia.com/mig-1g.10gb"
MEMBERS = {"groups": ("engineers",), "users": ("mia", "no")}


def tenants() -> Plan:
    """A parent, a child with everything, one with a CPU pool in two namespaces."""
    full = plans.tenant(
        "product",
        1,
        parent="org",
        labels={"cost-centre": "0042", "country": "no"},
        priority_classes=("realtime", "batch"),
        max_run_time=90 * 10**9,
        lines=(plans.line("train"), plans.line("infer", "1g.10gb", MIG)),
        **MEMBERS,
    )
    cpu = plans.tenant(
        "web",
        2,
        namespaces=("web-a", "web-b"),
        lines=(plans.line("cpu", None, None),),
        denied=("nvidia.com/gpu", MIG),
        queues_cpu=True,
    )
    return plans.plan(
        tenants=(plans.tenant("org", children=("product",), namespaces=()), full, cpu),
        priorities=(plans.priority("realtime", 2), plans.priority("batch", 1)),
        accelerators=("nvidia.com/gpu", MIG),
        guard_rails="off",
    )


def without_queues() -> Plan:
    cells = (
        plans.cells("cpu", cpu=200_000, memory=819_200),
        plans.cells("train", cpu=180_500, memory=1024),
    )
    lines = (
        plans.line("cpu", None, None, guaranteed=0, own=("cpu", "memory")),
        plans.line("train", guaranteed=1000),
        plans.line("other", guaranteed=24),
        plans.line("infer", "1g.10gb", MIG, guaranteed=0),
    )
    tenant = plans.tenant(pools=cells, lines=lines, denied=("amd.com/gpu",), queues_cpu=True)
    return plans.plan(
        quota_holder="resourceQuota",
        gang_holder="none",
        platform=plans.platform(components={}),
        tenants=(tenant,),
        guard_rails="off",
    )


@pytest.mark.parametrize("make", [tenants, without_queues])
def test_writes(make: Any, snapshot: Any) -> None:
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    snapshot.assert_match_dir(written(emit(make())), make.__name__)


@pytest.mark.parametrize("name", ["kueue", "volcano", "resourceQuota"])
def test_writes_guard_rails(name: str, snapshot: Any) -> None:
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    files = {file: text for file, text in written(emit(PLANS[name])).items() if "admission" in file}
    snapshot.assert_match_dir(files, f"guard-rails-{name}")


@pytest.mark.parametrize(
    ("said", "actions"), [("warn", ["Warn", "Audit"]), ("deny", ["Deny"]), ("off", None)]
)
def test_the_binding_does_what_the_policy_says(said: Any, actions: Any) -> None:
    bindings = objects(emit(plans.plan(guard_rails=said)), "ValidatingAdmissionPolicyBinding")
    assert [b["spec"]["validationActions"] for b in bindings] == ([actions] * 2 if actions else [])


def test_guard_rails_need_the_api_and_somebody_to_guard() -> None:
    old = plans.plan(platform=plans.platform("1.29"))
    assert objects(emit(old), "ValidatingAdmissionPolicy") == []
    assert objects(emit(plans.plan(tenants=())), "ValidatingAdmissionPolicy") == []
    first = plans.plan(platform=plans.platform("1.30"))
    assert len(objects(emit(first), "ValidatingAdmissionPolicy")) == 2


def test_every_policy_has_its_binding_and_refuses_when_it_fails() -> None:
    for plan in PLANS.values():
        made = objects(emit(plan), "ValidatingAdmissionPolicy")
        bound = objects(emit(plan), "ValidatingAdmissionPolicyBinding")
        names = [data["metadata"]["name"] for data in made]
        assert [data["spec"]["policyName"] for data in bound] == names
        assert {data["spec"]["failurePolicy"] for data in made} == {"Fail"}


def test_no_message_has_a_line_break_and_every_rule_has_one() -> None:
    # A message is required where an expression has line breaks, and may have none itself.
    for plan in PLANS.values():
        for data in objects(emit(plan), "ValidatingAdmissionPolicy"):
            for validation in data["spec"]["validations"]:
                assert validation["message"].strip()
                assert "\n" not in validation["message"]


def test_a_policy_without_classes_says_nothing_of_them() -> None:
    texts = dump_all(objects(emit(plans.plan()), "ValidatingAdmissionPolicy"))
    assert "P9:" in texts
    assert "P10:" not in texts
    assert "W3:" not in texts


def test_a_policy_without_taints_has_none_to_compare_with() -> None:
    assert "P6:" not in dump_all(objects(emit(plans.plan()), "ValidatingAdmissionPolicy"))


def test_a_new_tenant_changes_no_object_of_another() -> None:
    plan = PLANS["kueue"]
    before = written(emit(plan))
    more = replace(plan, tenants=(*plan.tenants, plans.tenant("new", 2, **MEMBERS)))
    after = written(emit(more))
    assert {name: after[name] for name in before} == before
    assert all("new" in name for name in set(after) - set(before))


def test_a_052_only_requests_of_an_extended_resource_count() -> None:
    for plan in (tenants(), without_queues()):
        for quota in objects(emit(plan), "ResourceQuota"):
            assert all(key.startswith("requests.") for key in quota["spec"]["hard"])


def test_a_052_sums_by_resource_name_in_canonical_quantities() -> None:
    quotas = objects(emit(without_queues()), "ResourceQuota")
    hard = {data["metadata"]["name"]: data["spec"]["hard"] for data in quotas}
    assert hard["gpupolicy"] == {
        "requests.cpu": "380500m",
        "requests.memory": "801Gi",
        "requests.nvidia.com/gpu": "1024",
        f"requests.{MIG}": "0",
    }
    assert hard["gpupolicy-no-quota"] == {"requests.amd.com/gpu": "0"}


def test_a_057_vendors_are_kept_apart() -> None:
    product = plans.tenant(lines=(plans.line(), plans.line("mi", "gpu", "amd.com/gpu")))
    (space,) = objects(emit(plans.plan(tenants=(product,))), "Namespace")
    devices = space["metadata"]["annotations"]["gpupolicy.dev/devices"]
    assert devices == "amd.com/gpu,nvidia.com/gpu"


@pytest.mark.parametrize("value", ["NO", "on", "No", "12345", "007", "2024-01-01", "true", "1e3"])
def test_a_070_a_075_labels_stay_the_text_that_was_written(value: str) -> None:
    plan = plans.plan(tenants=(plans.tenant(labels={"cost-centre": value}),))
    (space,) = objects(emit(plan), "Namespace")
    assert yaml.safe_load(dump(space))["metadata"]["labels"]["cost-centre"] == value


def test_members_get_no_queue_role_without_kueue() -> None:
    plan = replace(tenants(), quota_holder="volcano")
    roles = [data["roleRef"]["name"] for data in objects(emit(plan), "RoleBinding")]
    assert roles == ["edit"]


def test_names_of_several_namespaces_are_objects_of_their_own() -> None:
    spaces = objects(emit(tenants()), "Namespace")
    assert [data["metadata"]["name"] for data in spaces] == ["product", "web-a", "web-b"]
    assert spaces[1]["metadata"]["annotations"] == {
        "gpupolicy.dev/queues": "web",
        "gpupolicy.dev/pools": "cpu",
        "gpupolicy.dev/queue-cpu": "true",
    }


def workload(name: str, kind: str, pods: int) -> WorkloadPlan:
    return WorkloadPlan(
        name=name,
        path=("spec", "tenants", 0, "workloads", 0),
        source=f"tenants[web].workloads[{name}]",
        tenant="web",
        kind=kind,
        pool="train",
        device="gpu",
        resource="nvidia.com/gpu",
        pods=pods,
        gpus_per_pod=1,
        gpu_memory_mib=None,
        requests={},
        gang=None,
        topology_required=None,
        topology_preferred=None,
        priority_class=None,
        sla=None,
    )


def test_services_have_a_budget_in_every_namespace_of_their_tenant() -> None:
    """Of a single pod it would forbid every drain; a Job has no replicas that it could count."""
    works = (
        workload("chat", "Deployment", 2),
        workload("lone", "Deployment", 1),
        workload("notebook", "StatefulSet", 3),
        workload("train", "Job", 8),
    )
    plan = plans.plan(
        tenants=(plans.tenant("web", namespaces=("web-a", "web-b")),), workloads=works
    )
    found = objects(emit(plan), "PodDisruptionBudget")
    assert sorted((b["metadata"]["namespace"], b["metadata"]["name"]) for b in found) == [
        (namespace, f"gpupolicy-{name}")
        for namespace in ("web-a", "web-b")
        for name in ("chat", "notebook")
    ]
    for budget in found:
        assert budget["spec"] == {
            "maxUnavailable": 1,
            "selector": {
                "matchLabels": {
                    "gpupolicy.dev/workload": budget["metadata"]["name"].removeprefix("gpupolicy-")
                }
            },
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        }
        assert validate_object(budget, {"kubernetes": "1.29"}) == []
    (said,) = [one for one in unsupported(plan) if one.code == "GP519"]
    assert "'chat', 'notebook'" in said.message
