"""The templates: what stands in them for every kind and holder, held to the real schemas."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.targets import workloads
from gpupolicy.targets.workloads.emit import objects
from tests import schema_check
from tests.blueprints import ALL
from tests.plan.policies import plan_of
from tests.targets.written import written

KINDS = ("Job", "JobSet", "TrainJob", "PyTorchJob", "vcjob", "Deployment", "StatefulSet")
KUEUE = 'kueue: {version: "0.19"}'
VOLCANO = 'volcano: {version: "1.15"}'
PLATFORMS = {"kueue": KUEUE, "volcano": VOLCANO, "both": f"{KUEUE}, {VOLCANO}", "none": ""}
POLICY = """
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {{name: small}}
spec:
  platform: {{kubernetes: "1.34", gpuOperator: {{version: "26.7"}}{platform}}}
  nodePools:
    - name: train
      gpu: H100-SXM5-80GB
      nodes: 16
      gpusPerNode: 8
      allocatable: {{cpu: "180", memory: 1900Gi, rdma/ib: 8, hugepages-2Mi: 8Gi}}
      taints: [{{key: nvidia.com/gpu, value: present, effect: NoSchedule}},
               {{key: soft, effect: PreferNoSchedule}}, {{key: bare, effect: NoExecute}}]
      topology:
        levels:
          - {{name: block, nodeLabel: topology.example.com/block, nodes: 16}}
          - {{name: rack, nodeLabel: topology.example.com/rack, nodes: 8}}
    - {{name: cpu, nodes: 2, allocatable: {{cpu: "60", memory: 240Gi}}}}
  priorityClasses: [{{name: training, value: 500}}]
  slas:
    - {{name: slow, queueWait: {{objective: 95%, within: 5h}}, maxRunTime: 72h}}
    - {{name: kept, preemptible: false}}
  tenants:
    - name: algorithm
      namespaces: [algo, algo-dev]
      priorityClasses: [training]
      quotas: [{{pool: train, guaranteed: 64}}, {{pool: cpu, cpu: "60", memory: 240Gi}}]
      workloads:
        - {{name: gang, kind: {kind}, pool: train, pods: 4, gpusPerPod: 8, gpuMemory: 70Gi,
            gang: {gang}{topology}, priorityClass: training, sla: {sla}}}
        - {{name: alone, kind: {kind}, pool: train, gpuMemory: 16Gi}}
        - {{name: plain, kind: {kind}, pool: cpu, pods: 2, cpu: "4", memory: 8Gi}}
"""
RACK = ", topology: {required: rack}"


def plan(
    holder: str, kind: str, gang: str = "true", topology: str = RACK, sla: str = "slow"
) -> Plan:
    platform = f", {PLATFORMS[holder]}" if PLATFORMS[holder] else ""
    topology = topology if holder != "none" else ""
    return plan_of(
        POLICY.format(platform=platform, kind=kind, gang=gang, topology=topology, sla=sla)
    )


def made(found: Plan, name: str = "gang") -> list[dict[str, Any]]:
    workload = next(one for one in found.workloads if one.name == name)
    return list(yaml.load_all(workloads.template(found, workload), Loader=yaml.CSafeLoader))


def pod_specs(data: Any) -> list[dict[str, Any]]:
    """Find the pod specs, and what stands for them in a TrainJob's patches."""
    if isinstance(data, dict):
        own = [data] if "containers" in data else []
        return own + [spec for value in data.values() for spec in pod_specs(value)]
    return [spec for item in data for spec in pod_specs(item)] if isinstance(data, list) else []


def templates(holder: str) -> dict[str, str]:
    return {
        f"{kind.lower()}-{name}": text
        for kind in KINDS
        for name, text in written(workloads.emit(plan(holder, kind))).items()
    }


@pytest.mark.parametrize("holder", PLATFORMS)
def test_snapshots(holder: str, snapshot: Any) -> None:
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    files = {f"{name}": text for name, text in templates(holder).items() if "gang" in name}
    assert files
    snapshot.assert_match_dir(files, holder)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("holder", PLATFORMS)
def test_every_template_is_known_to_its_api_server(holder: str, kind: str) -> None:
    found = plan(holder, kind)
    for workload in found.workloads:
        reason = workloads.reason_without(found, workload)
        if reason is None:
            for one in made(found, workload.name):
                assert schema_check.validate_object(one, {}) == [], workload.name
                assert (one["apiVersion"], one["kind"]) in workloads.APIS


@pytest.mark.parametrize("blueprint", ALL, ids=lambda one: one.name)
def test_templates_of_blueprints_are_known_to_their_api_servers(blueprint: Any) -> None:
    for path, text in blueprint.files().items():
        if path.startswith("files/workloads/"):
            for one in yaml.load_all(text, Loader=yaml.CSafeLoader):
                assert schema_check.validate_object(one, blueprint.versions()) == [], path


def test_blueprints_show_more_than_one_kind() -> None:
    texts = [
        text.decode()
        for one in ALL
        for path, text in one.files().items()
        if path.startswith("files/workloads/")
    ]
    kinds = {kind for text in texts for kind in re.findall(r"^kind: (\w+)", text, re.M)}
    assert {"Job", "JobSet", "Deployment", "StatefulSet"} <= kinds


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("holder", PLATFORMS)
def test_comments_change_nothing(holder: str, kind: str) -> None:
    found = plan(holder, kind)
    for workload in found.workloads:
        if workloads.reason_without(found, workload) is None:
            assert made(found, workload.name) == objects(found, workload)


@given(st.text(min_size=1))
@settings(max_examples=200, deadline=None)
def test_no_name_leaves_its_place(hostile: str) -> None:
    """Names are checked long before; the writer does not rely on it."""
    found = plan("kueue", "Job")
    workload: WorkloadPlan = replace(
        found.workloads[0], priority_class=hostile, requests={hostile: 1, "cpu": 1000}
    )
    try:
        hostile.encode()
    except UnicodeEncodeError:
        return
    text = workloads.template(found, workload)
    assert list(yaml.load_all(text, Loader=yaml.CSafeLoader)) == objects(found, workload)


@pytest.mark.parametrize("kind", ["Job", "JobSet", "PyTorchJob", "Deployment", "StatefulSet"])
@pytest.mark.parametrize("holder", PLATFORMS)
def test_pods_are_restricted_but_for_rdma(holder: str, kind: str) -> None:
    found = plan(holder, kind, topology="")
    for workload in found.workloads:
        if workloads.reason_without(found, workload):
            continue
        specs = [spec for one in made(found, workload.name) for spec in pod_specs(one)]
        assert specs
        for spec in specs:
            assert spec["securityContext"]["runAsNonRoot"] is True
            assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
            for container in spec["containers"]:
                security = container["securityContext"]
                rdma = "rdma/ib" in container["resources"]["requests"]
                assert security["allowPrivilegeEscalation"] is False
                assert security["capabilities"]["drop"] == ["ALL"]
                assert security["capabilities"].get("add", []) == (["IPC_LOCK"] if rdma else [])


@pytest.mark.parametrize("holder", PLATFORMS)
@pytest.mark.parametrize("kind", ["Job", "JobSet", "Deployment", "StatefulSet"])
def test_gpu_pods_are_placed_by_the_gang_holder_on_their_pool(holder: str, kind: str) -> None:
    found = plan(holder, kind)
    for name, pool in (("gang", "train"), ("plain", "cpu")):
        for spec in (spec for one in made(found, name) for spec in pod_specs(one)):
            assert spec["nodeSelector"] == {"gpupolicy.dev/pool": pool}
            volcano = found.gang_holder == "volcano" and pool == "train"
            assert spec.get("schedulerName") == ("volcano" if volcano else None)
            tolerated = [one["key"] for one in spec.get("tolerations", ())]
            by_us = found.quota_holder != "kueue" and pool == "train"
            assert tolerated == (["nvidia.com/gpu", "bare"] if by_us else [])


def test_a_gang_of_kueue_names_its_place() -> None:
    template = made(plan("kueue", "Job"))[-1]["spec"]["template"]
    assert template["metadata"]["annotations"] == {
        "kueue.x-k8s.io/podset-required-topology": "topology.example.com/rack"
    }


def test_a_gang_of_kueue_without_a_level_prefers_the_widest() -> None:
    template = made(plan("kueue", "Job", topology=""))[-1]["spec"]["template"]
    assert template["metadata"]["annotations"] == {
        "kueue.x-k8s.io/podset-preferred-topology": "topology.example.com/block"
    }


def test_kueue_starts_fewer_pods_of_a_job_only() -> None:
    job = made(plan("kueue", "Job", gang="3"))[-1]
    assert job["metadata"]["annotations"] == {"kueue.x-k8s.io/job-min-parallelism": "3"}
    [found] = list(workloads.unsupported(plan("kueue", "JobSet", gang="3")))
    assert (found.code, "all 4 pods" in found.message) == ("GP581", True)


def test_master_and_workers_share_their_place() -> None:
    specs = made(plan("kueue", "PyTorchJob"))[-1]["spec"]["pytorchReplicaSpecs"]
    assert {role: one["replicas"] for role, one in specs.items()} == {"Master": 1, "Worker": 3}
    for one in specs.values():
        assert one["template"]["metadata"]["annotations"] == {
            "kueue.x-k8s.io/podset-group-name": "all",
            "kueue.x-k8s.io/podset-required-topology": "topology.example.com/rack",
        }


@pytest.mark.parametrize("holder", ["volcano", "both"])
def test_volcano_reads_a_gang_from_the_owner(holder: str) -> None:
    owners = {
        "Job": made(plan(holder, "Job", gang="3"))[-1],
        "StatefulSet": made(plan(holder, "StatefulSet", gang="3"))[-1],
        "JobSet": made(plan(holder, "JobSet", gang="3"))[-1]["spec"]["replicatedJobs"][0][
            "template"
        ],
    }
    for one in owners.values():
        assert one["metadata"]["annotations"]["scheduling.volcano.sh/group-min-member"] == "3"


def test_a_job_of_volcano_is_a_gang_by_itself() -> None:
    spec = made(plan("volcano", "vcjob", gang="3"))[-1]["spec"]
    assert (spec["queue"], spec["minAvailable"], spec["tasks"][0]["replicas"]) == (
        "algorithm",
        3,
        4,
    )
    assert spec["networkTopology"] == {"mode": "hard", "highestTierAllowed": 1}
    assert {one["action"] for one in spec["policies"]} == {"RestartJob"}


def test_slas_bind_the_templates() -> None:
    labels = made(plan("kueue", "Job"))[-1]["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/max-exec-time-seconds"] == "259200"
    job = made(plan("volcano", "Job"))[-1]
    assert job["metadata"]["annotations"]["volcano.sh/sla-waiting-time"] == "5h"
    for sla, word in (("slow", "true"), ("kept", "false")):
        pod = made(plan("volcano", "Job", sla=sla))[-1]["spec"]["template"]["metadata"]
        assert pod["annotations"]["volcano.sh/preemptable"] == word


def test_a_start_lasts_as_long_as_the_model_takes_to_load() -> None:
    container = made(plan("kueue", "Deployment"))[-1]["spec"]["template"]["spec"]["containers"][0]
    # 8 x 70 GiB at 200 MiB a second, and two minutes: 2987.2 s.
    assert container["startupProbe"]["failureThreshold"] * 10 == 2990


def test_a_deployment_surges_only_where_there_is_room() -> None:
    found = plan("kueue", "Deployment")
    assert made(found)[-1]["spec"]["strategy"]["rollingUpdate"]["maxSurge"] == 1
    full = replace(found.workloads[0], pods=16)
    rolling = objects(found, full)[-1]["spec"]["strategy"]["rollingUpdate"]
    assert rolling == {"maxSurge": 0, "maxUnavailable": 1}


@pytest.mark.parametrize(
    ("holder", "kind", "reason"),
    [
        ("kueue", "vcjob", "only Volcano as holder of the quota queues a VolcanoJob"),
        ("both", "TrainJob", "cannot name Volcano as its scheduler"),
        ("volcano", "PyTorchJob", "by a setting of its own"),
        ("kueue", "RayJob", "not of 'RayJob'"),
    ],
)
def test_what_has_no_template_says_why(holder: str, kind: str, reason: str) -> None:
    found = plan(holder, kind)
    said = [one for one in workloads.unsupported(found) if one.code == "GP580"]
    assert said
    assert reason in said[0].message
    names = {file.path for file in workloads.emit(found)}
    assert "workloads/algorithm/gang.yaml" not in names


def test_an_older_kueue_does_not_start_train_jobs() -> None:
    platform = ', kueue: {version: "0.15"}'
    found = plan_of(
        POLICY.format(platform=platform, kind="TrainJob", gang="true", topology="", sla="slow")
    )
    reason = str(workloads.reason_without(found, found.workloads[0]))
    assert reason.startswith("Kueue 0.15 starts a TrainJob by fields")


@pytest.mark.parametrize(
    ("version", "kind", "has"),
    [
        ("1.11", "Job", False),
        ("1.12", "Job", True),
        ("1.11", "vcjob", True),
        ("1.11", "Deployment", False),
    ],
)
def test_an_older_volcano_makes_gangs_of_its_own_jobs_only(
    version: str, kind: str, has: bool
) -> None:
    platform = f', volcano: {{version: "{version}"}}'
    found = plan_of(
        POLICY.format(platform=platform, kind=kind, gang="true", topology="", sla="slow")
    )
    reason = workloads.reason_without(found, found.workloads[0])
    assert (reason is None) == has
    assert has or f"Volcano {version} makes no gang of a {kind}" in str(reason)


def test_a_name_from_which_no_pod_can_be_named() -> None:
    found = plan("kueue", "JobSet")
    long = replace(found.workloads[0], name="a" * 52)
    assert "52 characters > 51" in str(workloads.reason_without(found, long))
    assert workloads.reason_without(found, replace(long, name="a" * 51)) is None


def test_topology_that_a_template_cannot_say() -> None:
    found = list(workloads.unsupported(plan("kueue", "Deployment")))
    assert [one.code for one in found] == ["GP581"]
    host = plan("volcano", "Job", topology=", topology: {required: host}")
    assert [one.code for one in workloads.unsupported(host)] == ["GP581"]
