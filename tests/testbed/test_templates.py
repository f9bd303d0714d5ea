"""The templates as they are printed: accepted by the API server, let in by the real queue, running.

Guard rails are `deny`, so whatever they object to is refused. The controllers of JobSet, Trainer
and the training operator do not run here: their jobs are accepted by their CRDs, and Kueue, which
knows them, lets them in by lifting `suspend`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpupolicy.compiler import Compiled
from gpupolicy.plan.model import WorkloadPlan
from gpupolicy.targets import workloads
from tests.blueprints import ALL
from tests.blueprints import Blueprint
from tests.conftest import ROOT
from tests.testbed import upstream
from tests.testbed.api import RefusedError
from tests.testbed.bed import Bed
from tests.testbed.bed import compiled
from tests.testbed.nodes import create_nodes
from tests.testbed.test_accepted import compiled as compiled_blueprint

Data = dict[str, Any]
KUEUE = 'kueue: {version: "0.19"}'
VOLCANO = 'volcano: {version: "1.15"}'
PLATFORMS = {"kueue": KUEUE, "volcano": VOLCANO, "both": f"{KUEUE}, {VOLCANO}", "none": ""}
POLICY = """
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {{name: templates}}
spec:
  platform: {{kubernetes: "1.36", gpuOperator: {{version: "25.10"}}{platform}}}
  guardRails: deny
  nodePools:
    - name: train
      gpu: H100-SXM5-80GB
      nodes: {{count: 6, selector: {{cloud.example.com/pool: train}}}}
      gpusPerNode: 8
      allocatable: {{cpu: "180", memory: 1900Gi, rdma/ib: 8, ephemeral-storage: 2Ti}}
      taints: [{{key: nvidia.com/gpu, value: present, effect: NoSchedule}}]
      topology:
        levels: [{{name: rack, nodeLabel: topology.example.com/rack, nodes: 3}}]
    - name: dev
      gpu: A10
      nodes: {{count: 1, selector: {{cloud.example.com/pool: dev}}}}
      gpusPerNode: 2
      allocatable: {{cpu: "60", memory: 240Gi, ephemeral-storage: 1Ti}}
      taints: [{{key: notebook, value: "true", effect: NoSchedule}}]
      sharing: {{timeSlicing: 4}}
  priorityClasses: [{{name: high, value: 1000}}, {{name: low, value: 100}}]
  slas: [{{name: online, preemptible: false}}]
  tenants:
    - name: research
      namespaces: [research]
      priorityClasses: [high, low]
      quotas: [{{pool: train, guaranteed: 48}}, {{pool: dev, guaranteed: 8}}]
      workloads:
        - {{name: pretrain, kind: {kind}, pool: train, pods: 3, gpusPerPod: 8, gpuMemory: 70Gi,
            gang: {gang}{topology}, priorityClass: high}}
        - {{name: sweep, kind: {kind}, pool: dev, pods: 2, gpuMemory: 4Gi, priorityClass: low}}
"""
RACK = ", topology: {required: rack}"
# Kinds whose controllers run on the bed: their pods must come to run.
_OWN = ("Job", "Deployment", "StatefulSet", "VolcanoJob")
_JOBS = ("JobSet", "PyTorchJob", "TrainJob")
_CASES = [
    *(("kueue", kind) for kind in (*_OWN[:3], *_JOBS)),
    *(("volcano", kind) for kind in _OWN),
    ("both", "Job"),
    ("both", "JobSet"),
    ("both", "Deployment"),
    ("none", "Job"),
    ("none", "Deployment"),
    ("none", "StatefulSet"),
]


def policy(holder: str, kind: str) -> Compiled:
    platform = f", {PLATFORMS[holder]}" if PLATFORMS[holder] else ""
    topology = RACK if holder != "none" and kind != "Deployment" else ""
    gang = "false" if kind == "Deployment" or holder == "none" else "true"
    return compiled(POLICY.format(platform=platform, kind=kind, gang=gang, topology=topology))


def printed(made: Compiled, workload: WorkloadPlan) -> list[Data]:
    assert made.plan is not None
    text = workloads.template(made.plan, workload)
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


@pytest.fixture
def kinds(bed: Bed, tmp_path: Path) -> Bed:
    """Give the bed with the CRDs of training jobs, and Trainer's runtime for PyTorch."""
    for name, version in (("training-operator", "1.9"), ("trainer", "2.2")):
        scratch = tmp_path / name
        scratch.mkdir()
        found = list(upstream.crds(name, version, scratch))
        for crd in found:
            bed.api.apply(crd, force=True)
        for crd in found:
            path = bed.api.path_to(crd)
            bed.eventually(lambda path=path: _says(bed, path, "Established"), 60, path)
    return bed


@pytest.fixture
def submitted(kinds: Bed) -> Iterator[list[Data]]:
    """Give a list for what a test submits; all of it is taken out at the end."""
    found: list[Data] = []
    yield found
    paths = [kinds.api.path_to(one) for one in reversed(found)]
    for path in paths:
        kinds.api.delete(path)
    kinds._delete_work()
    claims = kinds.api.list("v1", "PersistentVolumeClaim")
    left = [kinds.api.path_to({**one, **_CLAIM}) for one in claims]
    for path in left:
        kinds.api.delete(path)
    for path in paths + left:
        kinds.eventually(lambda path=path: not _is_there(kinds, path), 60, f"{path} is gone")
    for one in kinds.api.list("v1", "PersistentVolume"):
        kinds.api.delete(kinds.api.path_of("v1", "PersistentVolume", name=one["metadata"]["name"]))


_CLAIM = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}


def _is_there(bed: Bed, path: str) -> bool:
    from tests.testbed.bed import _is_there

    return _is_there(bed.api, path)


def _says(bed: Bed, path: str, condition: str) -> bool:
    status = bed.api.call("GET", path).data.get("status", {})
    found = status.get("conditions") or ()
    return any(one["type"] == condition and one["status"] == "True" for one in found)


def submit(bed: Bed, objects: list[Data], submitted: list[Data]) -> None:
    """Create a template's objects as they are, and the volumes that its claims ask for."""
    for one in objects:
        bed.api.create(one)
        submitted.append(one)
        for name, claim in _claims(one):
            bed.api.apply(_volume(one["metadata"]["namespace"], name, claim["spec"]))


def _claims(one: Data) -> Iterator[tuple[str, Data]]:
    if one["kind"] == "PersistentVolumeClaim":
        yield one["metadata"]["name"], one
    for claim in one["spec"].get("volumeClaimTemplates", ()):
        for index in range(one["spec"]["replicas"]):
            yield f"{claim['metadata']['name']}-{one['metadata']['name']}-{index}", claim


def _volume(namespace: str, name: str, wanted: Data) -> Data:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"{namespace}-{name}"},
        "spec": {
            "accessModes": wanted["accessModes"],
            "capacity": {"storage": wanted["resources"]["requests"]["storage"]},
            "claimRef": {"namespace": namespace, "name": name},
            "hostPath": {"path": f"/data/{name}"},
            "persistentVolumeReclaimPolicy": "Retain",
        },
    }


def pods_of(bed: Bed, workload: WorkloadPlan, namespace: str) -> list[Data]:
    selector = f"gpupolicy.dev/workload={workload.name}"
    return bed.api.list("v1", "Pod", namespace, labelSelector=selector)


def all_run(bed: Bed, workload: WorkloadPlan, namespace: str) -> bool:
    found = pods_of(bed, workload, namespace)
    running = [one for one in found if one["status"].get("phase") == "Running"]
    return len(running) == workload.pods


def admitted(bed: Bed, namespace: str) -> list[Data]:
    found = bed.api.list("kueue.x-k8s.io/v1beta2", "Workload", namespace)
    return [
        one
        for one in found
        if any(
            c["type"] == "Admitted" and c["status"] == "True"
            for c in one.get("status", {}).get("conditions") or ()
        )
    ]


def _suspended(one: Data) -> bool:
    spec = one["spec"]
    return bool(spec.get("runPolicy", spec).get("suspend"))


@pytest.mark.parametrize(("holder", "kind"), _CASES)
def test_a_template_is_accepted_and_let_in(
    holder: str, kind: str, kinds: Bed, submitted: list[Data]
) -> None:
    bed, made = kinds, policy(holder, kind)
    assert made.plan is not None
    bed.lay(made)
    create_nodes(bed.api, made.plan)
    if made.plan.quota_holder == "kueue":
        bed.wait_for_queues()
    wait_for_guard_rails(bed, "research")
    if kind == "TrainJob":
        _add_runtime(bed)
    for workload in made.plan.workloads:
        submit(bed, printed(made, workload), submitted)
    for workload in made.plan.workloads:
        if kind in _OWN:
            bed.eventually(
                lambda workload=workload: all_run(bed, workload, "research"),
                60,
                f"all pods of {workload.name} run",
            )
            _stand_where_they_belong(bed, workload)
    if made.plan.quota_holder == "kueue":
        wanted = {"Deployment": sum(one.pods for one in made.plan.workloads)}.get(kind, 2)
        bed.eventually(lambda: len(admitted(bed, "research")) == wanted, 60, "Kueue lets all in")
        for one in submitted if kind in (*_JOBS, "Job") else ():
            if one["kind"] == kind:
                path = bed.api.path_to(one)
                bed.eventually(
                    lambda path=path: not _suspended(bed.api.call("GET", path).data), 30, path
                )


def _add_runtime(bed: Bed) -> None:
    folder = upstream.module("kueue", "github.com/kubeflow/trainer/v2") / "manifests" / "base"
    text = (folder / "runtimes" / "torch_distributed.yaml").read_text(encoding="utf-8")
    for one in upstream.documents(text):
        bed.api.apply(one, force=True)


def _stand_where_they_belong(bed: Bed, workload: WorkloadPlan) -> None:
    """Check the pool of every pod, and the rack of those that need one together."""
    nodes = {
        bed.api.get("v1", "Node", one["spec"]["nodeName"])["metadata"]["name"]
        for one in pods_of(bed, workload, "research")
    }
    labels = [bed.api.get("v1", "Node", name)["metadata"]["labels"] for name in nodes]
    assert {one["gpupolicy.dev/pool"] for one in labels} == {workload.pool}
    if workload.topology_required:
        assert len({one["topology.example.com/rack"] for one in labels}) == 1


@pytest.mark.parametrize("blueprint", ALL, ids=lambda one: one.name)
def test_templates_of_blueprints_pass_webhooks_and_guard_rails(
    blueprint: Blueprint, kinds: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tried one by one, their pods too; what a blueprint only warns of counts as refused."""
    monkeypatch.chdir(ROOT)
    made = compiled_blueprint(blueprint)
    assert made.plan is not None
    kinds.lay(made)
    said = []
    for workload in made.plan.workloads:
        namespace = made.plan.tenant(workload.tenant).namespaces[0]
        wait_for_guard_rails(kinds, namespace)
        for one in printed(made, workload):
            for tried in (one, *bare_pods(one, made, workload)):
                said += kinds.api.create(tried, dry_run=True).warnings
    assert [one for one in said if _RAIL in one] == []


def wait_for_guard_rails(bed: Bed, namespace: str) -> None:
    """Wait until a pod is objected to that names its node and requests nothing."""
    container = {"name": "work", "image": "registry.example.com/work:1"}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "probe", "namespace": namespace},
        "spec": {"containers": [container], "nodeName": "nowhere"},
    }

    def objected() -> bool:
        try:
            return any(_RAIL in one for one in bed.api.create(pod, dry_run=True).warnings)
        except RefusedError as error:
            return _RAIL in error.message

    bed.eventually(objected, 30, f"guard rails hold in {namespace}")


_RAIL = "ValidatingAdmissionPolicy 'gpupolicy-"


def bare_pods(one: Data, made: Compiled, workload: WorkloadPlan) -> Iterator[Data]:
    """Give the pods of an object as their controller would make them, each with its queue."""
    assert made.plan is not None
    for place, template in enumerate(_pod_templates(one.get("spec", {}))):
        spec = template["spec"] | {"volumes": list(template["spec"].get("volumes", ()))}
        for claim in one["spec"].get("volumeClaimTemplates", ()):
            spec["volumes"].append({"name": claim["metadata"]["name"], "emptyDir": {}})
        labels = dict(template["metadata"]["labels"])
        if made.plan.quota_holder == "kueue":
            labels["kueue.x-k8s.io/queue-name"] = workload.tenant
        metadata = template["metadata"] | {
            "name": f"{workload.name}-{place}",
            "namespace": one["metadata"]["namespace"],
            "labels": labels,
        }
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _pod_templates(data: Any) -> Iterator[Data]:
    """Find what has the spec of a pod that could be made: its containers have images."""
    if isinstance(data, dict):
        spec = data.get("spec")
        if isinstance(spec, dict) and all("image" in c for c in spec.get("containers", [{}])):
            yield data
        for value in data.values():
            yield from _pod_templates(value)
    elif isinstance(data, list):
        for item in data:
            yield from _pod_templates(item)


@pytest.mark.parametrize("kind", ["Job", "JobSet", "PyTorchJob", "Deployment", "StatefulSet"])
def test_pod_security_lets_templates_in_where_it_is_strictest(kind: str, kinds: Bed) -> None:
    """RDMA alone needs more: the pods that ask for it are refused for IPC_LOCK, and only for it."""
    made = policy("none", kind)
    assert made.plan is not None
    level = {"pod-security.kubernetes.io/enforce": "restricted"}
    namespace = {"name": "strictest", "labels": level}
    kinds.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": namespace})
    for one in (high_and_low := [priority(name) for name in ("high", "low")]):
        kinds.api.apply(one)
    tried = 0
    for workload in made.plan.workloads:
        for one in printed(made, workload):
            one["metadata"]["namespace"] = "strictest"
            for pod in bare_pods(one, made, workload):
                tried += 1
                if workload.pool == "dev":
                    kinds.api.create(pod, dry_run=True)
                    continue
                with pytest.raises(RefusedError, match="violates PodSecurity") as refused:
                    kinds.api.create(pod, dry_run=True)
                assert "IPC_LOCK" in refused.value.message
                for container in pod["spec"]["containers"]:
                    del container["securityContext"]["capabilities"]["add"]
                kinds.api.create(pod, dry_run=True)
    for one in high_and_low:
        kinds.api.delete(kinds.api.path_to(one))
    assert tried >= 2


def priority(name: str) -> Data:
    metadata = {"name": name}
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": metadata,
        "value": 100,
    }
