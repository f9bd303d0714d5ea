"""What became of work: read from the API server, as an administrator would."""

from __future__ import annotations

from collections import Counter

from tests.testbed.api import Api
from tests.testbed.api import Data
from tests.testbed.work import Work

_KUEUE = ("kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1")


def states(api: Api, group: str, work: Work, namespace: str) -> Counter[str]:
    """Count the pieces of a group of work by their states."""
    counted: Counter[str] = Counter()
    if work.kind == "Job":
        for job in _of_group(api.list("batch/v1", "Job", namespace), group):
            counted[_job_state(job)] += 1
    else:
        for pod in _of_group(api.list("v1", "Pod", namespace), group):
            counted[_pod_state(pod)] += 1
    counted["evicted"] = sum(map(_was_evicted, workloads(api, group, namespace)))
    return counted


def _of_group(found: list[Data], group: str) -> list[Data]:
    return [one for one in found if one["metadata"]["name"].startswith(f"{group}-")]


def _job_state(job: Data) -> str:
    status = job.get("status", {})
    if any(one["type"] == "Complete" and one["status"] == "True" for one in _conditions(job)):
        return "done"
    if job["spec"].get("suspend") or (_of_volcano(job) and not status.get("ready")):
        return "waiting"
    return "running" if status.get("ready") == job["spec"]["parallelism"] else "hanging"


def _of_volcano(job: Data) -> bool:
    return bool(job["spec"]["template"]["spec"].get("schedulerName") == "volcano")


def _pod_state(pod: Data) -> str:
    if pod["status"].get("phase") == "Succeeded":
        return "done"
    if pod["spec"].get("schedulingGates"):
        return "waiting"
    return "running" if pod["status"].get("phase") == "Running" else "hanging"


def workloads(api: Api, group: str, namespace: str) -> list[Data]:
    """Give Kueue's Workloads of a group; none where it is not installed."""
    version = _version(api)
    if version is None:
        return []
    return [
        one
        for one in api.list(version, "Workload", namespace)
        if any(
            owner["name"].startswith(f"{group}-")
            for owner in one["metadata"].get("ownerReferences", ())
        )
    ]


def _version(api: Api) -> str | None:
    """Give the newest API of Kueue that is served; None where it is not installed."""
    return next((one for one in _KUEUE if api.knows(one, "Workload")), None)


def _was_evicted(workload: Data) -> bool:
    return bool(workload.get("status", {}).get("schedulingStats", {}).get("evictions"))


def _conditions(one: Data) -> list[Data]:
    found: list[Data] = one.get("status", {}).get("conditions") or []
    return found


def reasons(api: Api, group: str, namespace: str) -> list[str]:
    """Give why the workloads of a group have no quota, in Kueue's words."""
    return [
        str(condition.get("message", ""))
        for one in workloads(api, group, namespace)
        for condition in _conditions(one)
        if condition["type"] == "QuotaReserved" and condition["status"] == "False"
    ]


def reserved(api: Api, tenant: str, key: str) -> dict[str, int]:
    """Give what a queue of Kueue has reserved, `total` or `borrowed`, by pool and resource."""
    found: dict[str, int] = {}
    version = _version(api)
    assert version is not None
    status = api.get(version, "ClusterQueue", tenant).get("status", {})
    for flavor in status.get("flavorsReservation", ()):
        for resource in flavor["resources"]:
            found[f"{flavor['name']}/{resource['name']}"] = int_of(str(resource.get(key, "0")))
    return found


def allocated(api: Api, tenant: str) -> dict[str, int]:
    """Give what a queue of Volcano has allocated, by resource."""
    status = api.get("scheduling.volcano.sh/v1beta1", "Queue", tenant).get("status", {})
    return {name: int_of(str(amount)) for name, amount in (status.get("allocated") or {}).items()}


def int_of(text: str) -> int:
    """Read a whole quantity of devices."""
    return int(text) if text.isdigit() else -1


def nodes(api: Api, group: str, namespace: str) -> list[Data]:
    """Give the node of every bound pod of a group."""
    known = {node["metadata"]["name"]: node for node in api.list("v1", "Node")}
    return [
        known[pod["spec"]["nodeName"]]
        for pod in _of_group(api.list("v1", "Pod", namespace), group)
        if pod["spec"].get("nodeName") in known and "deletionTimestamp" not in pod["metadata"]
    ]


def pools(api: Api, group: str, namespace: str) -> Counter[str]:
    """Count the running pods of a group by the pools of their nodes."""
    labels = (node["metadata"]["labels"] for node in nodes(api, group, namespace))
    return Counter(one.get("gpupolicy.dev/pool", "") for one in labels)
