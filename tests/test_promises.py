"""What the policy for 800 GPUs promises, and what keeps each promise: the table in README.

Every row names an object or a file of `output/`, or a code, and asks whether it does what the row
says. A promise that cannot be kept is written into the policy, and must be refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
import yaml

from gpupolicy.compiler import compile_policy
from gpupolicy.diagnostics.model import Severity
from gpupolicy.source.load import SourceText
from tests.blueprints import ALL
from tests.conftest import ROOT

(BLUEPRINT,) = [one for one in ALL if one.name == "field-800-a100"]
README = ROOT / "README.md"
_TABLE = re.compile(r"(<!-- promises of field-800-a100 -->\n).*?(<!-- end of promises -->\n)", re.S)


@cache
def files() -> dict[str, bytes]:
    return BLUEPRINT.files()


def read(path: str) -> Any:
    """Read a file by its path; `*` stands for the hash in a name."""
    (found,) = [
        each for each in files() if re.fullmatch(re.escape(path).replace(r"\*", ".*"), each)
    ]
    return yaml.safe_load(files()[found])


def quota(tenant: str, pool: str, resource: str) -> dict[str, str]:
    (group,) = read(f"kueue/clusterqueue-{tenant}.yaml")["spec"]["resourceGroups"]
    (flavor,) = [one for one in group["flavors"] if one["name"] == pool]
    (row,) = [one for one in flavor["resources"] if one["name"] == resource]
    return row


def alert(group: str, name: str, **labels: str) -> dict[str, Any]:
    """Give a rule; promtool has made it fire and stay silent (`test_alerts_in_output`)."""
    rules = read(f"prometheus/prometheusrule-monitoring-{group}.yaml")["spec"]["groups"][0]["rules"]
    found = [one for one in rules if one.get("alert") == name]
    return next(one for one in found if labels.items() <= one["labels"].items())


def template(path: str) -> list[Any]:
    return [one for one in yaml.safe_load_all(files()[f"files/workloads/{path}.yaml"]) if one]


def guard_rail(name: str, rule: str) -> dict[str, Any]:
    assert read(f"tenancy/validatingadmissionpolicybinding-gpupolicy-{name}.yaml")["spec"][
        "validationActions"
    ] == ["Deny"]
    rules = read(f"tenancy/validatingadmissionpolicy-gpupolicy-{name}.yaml")["spec"]["validations"]
    return next(one for one in rules if one["message"].startswith(f"{rule}:"))


def guarantee() -> bool:
    queue = read("kueue/clusterqueue-foundation.yaml")["spec"]
    assert quota("foundation", "train", "nvidia.com/gpu")["nominalQuota"] == "384"
    return queue["preemption"]["reclaimWithinCohort"] == "Any"


def lost_nodes() -> bool:
    """80 nodes of 8, two of them in reserve: all that is promised fits the rest."""
    promised = sum(
        int(quota(name, "train", "nvidia.com/gpu")["nominalQuota"])
        for name in ("foundation", "search", "research")
    )
    rule = alert("gpupolicy-pool-train", "GpuPolicyPoolBelowGuarantees")
    return f"< {promised}" in rule["expr"] and promised == 624 == (80 - 2) * 8


def objective(tenant: str, bound: str, budget: str) -> bool:
    rule = alert(f"gpupolicy-tenant-{tenant}", "GpuPolicyQueueWaitBurnSlow")
    assert budget in rule["expr"]
    text = files()[f"prometheus/prometheusrule-monitoring-gpupolicy-tenant-{tenant}.yaml"]
    return f'le=~"{bound}([.]0)?"' in text.decode()


def run_time() -> bool:
    space = read("tenancy/namespace-foundation-train.yaml")["metadata"]["annotations"]
    assert space["gpupolicy.dev/max-run-seconds"] == str(168 * 3600)
    return "max-exec-time-seconds" in str(guard_rail("workloads", "W5"))


def budget_of_services() -> bool:
    found = read("tenancy/poddisruptionbudget-search-serve-gpupolicy-ranker.yaml")["spec"]
    labels = found["selector"]["matchLabels"]
    (service,) = [one for one in template("search/ranker") if one["kind"] == "Deployment"]
    own = service["spec"]["template"]["metadata"]["labels"]
    return found["maxUnavailable"] == 1 and labels.items() <= own.items()


def shared_cards() -> bool:
    config = yaml.safe_load(read("device_plugin/configmap-*.yaml")["data"]["shared"])
    (resource,) = config["sharing"]["mps"]["resources"]
    return resource["replicas"] == 8 and config["sharing"]["mps"]["failRequestsGreaterThanOne"]


def gang() -> bool:
    (job,) = [one for one in template("foundation/pretrain-70b") if one["kind"] == "JobSet"]
    assert read("kueue/resourceflavor-train.yaml")["spec"]["topologyName"]
    return "kueue.x-k8s.io/podset-preferred-topology" in str(job)


def classes() -> bool:
    values = [
        read(f"priority/workloadpriorityclass-{name}.yaml")["value"]
        for name in ("production", "training", "exploration")
    ]
    return values == [1000000, 500000, 100000]


def low_use() -> bool:
    rule = alert("gpupolicy-tenant-foundation", "GpuPolicyLowUtilization")
    return "< 0.2" in rule["expr"] and rule["for"] == "1h"


def on_call() -> bool:
    spec = read("prometheus/alertmanagerconfig-monitoring-gpupolicy.yaml")["spec"]
    return spec["route"]["routes"][0]["receiver"] == "oncall"


def in_runbook(name: str) -> bool:
    return f"## {name}\n" in files()["files/runbook/alerts.md"].decode()


def broken_cards() -> bool:
    rule = alert("gpupolicy-pool-train", "GpuPolicyXidFatal", severity="critical")
    return "XID" in rule["annotations"]["summary"]


def fenced() -> bool:
    """10% of the 20 shared nodes is two, of 100."""
    healing = read("files/nvsentinel-values.yaml")
    breaker = healing["fault-quarantine"]["circuitBreaker"]
    assert breaker == {"enabled": True, "percentage": 2, "duration": "24h"}
    return healing["global"]["dryRun"] and healing["global"]["faultQuarantine"]["enabled"]


@dataclass(frozen=True, slots=True)
class Row:
    promise: str
    kept: str
    by: str
    proof: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Refused:
    """A promise that cannot be kept: what is written for what in the policy, and the code."""

    promise: str
    why: str
    before: str
    after: str
    code: str


ROWS = (
    Row(
        "`foundation` gets 384 training GPUs back at any time",
        "enforced",
        "ClusterQueue: quota, and reclaim from who borrowed it; alert `GpuPolicyGuaranteeUnmet`",
        lambda: (
            guarantee() and bool(alert("gpupolicy-tenant-foundation", "GpuPolicyGuaranteeUnmet"))
        ),
    ),
    Row(
        "it never has more than 560",
        "enforced",
        "ClusterQueue: borrowing limit",
        lambda: quota("foundation", "train", "nvidia.com/gpu")["borrowingLimit"] == str(560 - 384),
    ),
    Row(
        "`research` lends at most 160 of its 320 shares",
        "enforced",
        "ClusterQueue: lending limit",
        lambda: quota("research", "shared", "nvidia.com/gpu.shared")["lendingLimit"] == "160",
    ),
    Row(
        "all guarantees hold with two nodes lost",
        "enforced, watched",
        "their sum is checked against 78 nodes; the alert `GpuPolicyPoolBelowGuarantees`",
        lost_nodes,
    ),
    Row(
        "production goes before training, and that before experiments",
        "enforced",
        "WorkloadPriorityClass, inside a tenant; between tenants guarantees decide",
        classes,
    ),
    Row(
        "ten nodes start together, in one rack if they can",
        "enforced",
        "Topology and ResourceFlavor of Kueue, which lets all pods in or none; the template asks",
        gang,
    ),
    Row(
        "eight tasks share a card, each with an eighth of its memory",
        "enforced",
        "device plugin: MPS, which limits the memory of its clients",
        lambda: bool(shared_cards()),
    ),
    Row(
        "99% of the online work of `search` is let in within 40 s",
        "watched",
        "recordings and alerts on the burning of the budget; Kueue has no deadline for waiting",
        lambda: objective("search", "40", "0.01"),
    ),
    Row(
        "95% of the planned work of `foundation` is let in within 10240 s",
        "watched",
        "the same",
        lambda: objective("foundation", "10240", "0.05"),
    ),
    Row(
        "planned work ends after 168 hours",
        "enforced",
        "Kueue stops a job by its label; a guard rail refuses a job without it",
        run_time,
    ),
    Row(
        "online work is not preempted inside the guarantee",
        "enforced, watched",
        "checked: it fits the guarantee and nothing outranks it; "
        "the alert `GpuPolicyProtectedWorkloadPreempted`",
        lambda: bool(
            alert("gpupolicy-tenant-search", "GpuPolicyProtectedWorkloadPreempted", sla="online")
        ),
    ),
    Row(
        "a drain takes the pods of `ranker` one by one",
        "enforced",
        "PodDisruptionBudget",
        budget_of_services,
    ),
    Row(
        "no pod goes round its queue, or takes a pool or a class of others",
        "enforced",
        "ValidatingAdmissionPolicies that deny",
        lambda: all(bool(guard_rail("pods", rule)) for rule in ("P1", "P3", "P6", "P7", "P10")),
    ),
    Row(
        "a tenant that uses less than 20% of what it holds is known in an hour",
        "watched",
        "the alert `GpuPolicyLowUtilization`; not on shared cards, "
        "where nobody can tell whose use it is",
        low_use,
    ),
    Row(
        "a card that breaks is known at once, and somebody is called",
        "watched",
        "alerts by XID class, Alertmanager routes, a runbook with the commands",
        lambda: (
            broken_cards()
            and on_call()
            and b"GpuPolicyXidFatal" in files()["files/runbook/alerts.md"]
        ),
    ),
    Row(
        "its node gets no new work, and a fault that is everywhere fences two nodes a day at most",
        "enforced, dry at first",
        "values of NVSentinel: rules by XID class, circuit breaker; "
        "`dryRun: false` when its log is right",
        fenced,
    ),
)
REFUSED = (
    Refused(
        "the tenants together are promised more than the nodes less the reserve",
        "guarantees that add up to more are none",
        "{pool: train, guaranteed: 80, limit: 240}",
        "{pool: train, guaranteed: 96, limit: 240}",
        "GP431",
    ),
    Refused(
        "a gang of 11 nodes must stand in a rack of ten",
        "it would wait for ever",
        "          pods: 10\n          gpusPerPod: 8\n          gpuMemory: 72Gi\n"
        "          gang: true\n"
        "          topology: {preferred: rack}",
        "          pods: 11\n          gpusPerPod: 8\n          gpuMemory: 72Gi\n"
        "          gang: true\n"
        "          topology: {required: rack}",
        "GP638",
    ),
    Refused(
        "a task of 12 GiB on an eighth of a card",
        "MPS stops it at an eighth",
        "gpuMemory: 9Gi",
        "gpuMemory: 12Gi",
        "GP321",
    ),
    Refused(
        "online work is never preempted, and a class outranks it",
        "inside a tenant the lower class gives way",
        "          priorityClass: production\n          sla: online",
        "          priorityClass: training\n          sla: online",
        "GP601",
    ),
    Refused(
        "99% of the requests have their first token within 600 ms",
        "the histogram has bounds at 500 and 750 ms, and nothing tells what lies between",
        "      queueWait: {objective: 99%, within: 40s}\n",
        "      queueWait: {objective: 99%, within: 40s}\n"
        '      latency: {metric: "vllm:time_to_first_token_seconds", objective: 99%, '
        "within: 600ms}\n",
        "GP605",
    ),
    Refused(
        "one card serves 64 tasks by MPS",
        "the card takes 48 clients",
        "sharing: {mps: 8}",
        "sharing: {mps: 64}",
        "GP308",
    ),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.promise)
def test_a_promise_is_kept_by_what_the_table_says(row: Row) -> None:
    assert row.proof()


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.code)
def test_a_promise_that_cannot_be_kept_is_refused(row: Refused) -> None:
    text = (ROOT / BLUEPRINT.path).read_text()
    assert row.before in text
    changed = text.replace(row.before, row.after)
    found = compile_policy([SourceText("policy.yaml", changed.encode())])
    errors = {one.code for one in found.diagnostics if one.severity is Severity.ERROR}
    assert row.code in errors, errors
    assert found.bundle is None


def table() -> str:
    lines = ["| Promise | | By what, or why not |", "| --- | --- | --- |"]
    lines += [f"| {row.promise} | {row.kept} | {row.by} |" for row in ROWS]
    lines += [f"| {row.promise} | refused, {row.code} | {row.why} |" for row in REFUSED]
    return "\n".join(lines) + "\n"


def test_readme_shows_the_table(request: pytest.FixtureRequest) -> None:
    text = README.read_text()
    assert _TABLE.search(text)
    due = _TABLE.sub(lambda found: f"{found[1]}{table()}{found[2]}", text)
    if request.config.getoption("--golden-update", False):
        README.write_text(due)
    else:
        assert text == due
