"""Values for NVSentinel's chart: which faults fence a node, how many nodes at most."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.facts.xids import xids
from gpupolicy.source.load import SourceText
from tests.targets.tenancy.requests import custom
from tests.tools.cel_check import evaluate

POLICY = """\
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {name: lab}
spec:
  platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}, nvsentinel: SENTINEL}
  nodePools:
    - name: train
      gpu: H100-SXM5-80GB
      nodes: {count: 80, selector: {a: b}}
      gpusPerNode: 8
      taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]
    - name: dev
      gpu: A10
      nodes: NODES
      gpusPerNode: 2
      taints: [{key: a/dev, effect: NoSchedule}]
    - {name: other, gpu: {name: MI300X, resource: amd.com/gpu, memory: 192Gi}, nodes: {count: 2, selector: {a: d}}, gpusPerNode: 8}
    - {name: cpu, nodes: {count: 3, selector: {a: e}}}
"""  # noqa: E501


def compiled(sentinel: str = "{}", nodes: str = "20") -> Compiled:
    text = POLICY.replace("SENTINEL", sentinel).replace("NODES", nodes)
    found = compile_policy([SourceText("policy.yaml", text.encode())])
    assert found.bundle is not None, found.diagnostics
    return found


def values(made: Compiled) -> Any:
    assert made.bundle is not None
    (file,) = [one for one in made.bundle.files if one.path == "nvsentinel-values.yaml"]
    return yaml.safe_load(file.text)


def rules(made: Compiled) -> list[str]:
    found = values(made)["fault-quarantine"]["ruleSets"]
    return [rule["expression"] for each in found for rule in each["match"]["all"]]


def test_writes(snapshot: Any) -> None:
    made = compiled('{version: "1.26", dryRun: false}')
    assert made.bundle is not None
    (text,) = [one.text for one in made.bundle.files if one.path == "nvsentinel-values.yaml"]
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    snapshot.assert_match(text, "nvsentinel-values.yaml")


def test_it_starts_dry_and_says_so() -> None:
    made = compiled()
    assert values(made)["global"]["dryRun"] is True
    assert "GP591" in [one.code for one in made.diagnostics]
    live = compiled("{dryRun: false}")
    assert values(live)["global"]["dryRun"] is False
    assert "GP591" not in [one.code for one in live.diagnostics]


def test_it_cordons_and_does_nothing_else() -> None:
    """No taint, no drain, no repair: running work goes on, and daemon sets reach the node."""
    found = values(compiled("{dryRun: false}"))
    assert found["global"]["faultQuarantine"] == {"enabled": True}
    assert found["global"]["nodeDrainer"] == found["global"]["faultRemediation"]
    assert found["global"]["nodeDrainer"] == {"enabled": False}
    for each in found["fault-quarantine"]["ruleSets"]:
        assert each["cordon"] == {"shouldCordon": True}
        assert "taint" not in each
        assert each["match"].keys() == {"all"}


def test_only_codes_that_isolate_do() -> None:
    due = {str(xid.code) for xid in xids() if xid.isolate}
    (by_code,) = [rule for rule in rules(compiled()) if "SysLogsXIDError" in rule]
    assert set(re.findall(r"'(\d+)'", by_code)) == due
    assert not due & {"13", "31", "43", "45", "63", "68", "94"}
    for rule in rules(compiled()):
        assert "node." in rule or "event.isFatal == true" in rule


def test_only_nodes_of_pools_that_it_watches() -> None:
    nodes = {rule for rule in rules(compiled()) if "node." in rule}
    assert nodes == {
        "'gpupolicy.dev/pool' in node.metadata.labels && "
        "node.metadata.labels['gpupolicy.dev/pool'] in ['train', 'dev']"
    }
    assert values(compiled())["global"]["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"},
        {"key": "a/dev", "operator": "Exists", "effect": "NoSchedule"},
    ]


@pytest.mark.parametrize(
    ("sentinel", "nodes", "percent", "severity"),
    [
        # 10 % of 20 is two nodes, and 2 % of 100.
        ("{}", "20", 2, "note"),
        ("{maxIsolated: 50%}", "20", 10, "note"),
        ("{maxIsolated: 100%}", "20", 20, "note"),
        # Of three nodes a tenth is less than one, and one is 1.2 % of 83: 1 % stops at one.
        ("{}", "3", 1, "warning"),
        # A percent of 400 and more is more than one.
        ("{maxIsolated: 10%}", "10", 1, "note"),
        ("{}", "{min: 0, max: 4, selector: {x: y}}", 1, "warning"),
    ],
)
def test_no_more_of_the_smallest_pool_than_is_said(
    sentinel: str, nodes: str, percent: int, severity: str
) -> None:
    made = compiled(sentinel, nodes)
    breaker = values(made)["fault-quarantine"]["circuitBreaker"]
    assert breaker == {"enabled": True, "percentage": percent, "duration": "24h"}
    (cap,) = [one for one in made.diagnostics if one.code == "GP590"]
    assert cap.severity.value == severity
    plan = made.plan
    assert plan is not None
    assert plan.self_healing is not None
    healing = plan.self_healing
    # The breaker opens at the first node that reaches the part.
    fenced = next(n for n in range(1, 200) if 100 * n >= percent * healing.gpu_nodes)
    assert fenced == healing.most
    allowed = healing.share * healing.smallest_nodes
    assert (fenced <= allowed) == (severity == "note")


def test_nothing_without_it_or_without_cards() -> None:
    text = POLICY.replace(", nvsentinel: SENTINEL", "").replace("NODES", "20")
    found = compile_policy([SourceText("policy.yaml", text.encode())])
    assert found.plan is not None
    assert found.plan.self_healing is None
    assert found.bundle is not None
    assert "nvsentinel-values.yaml" not in {one.path for one in found.bundle.files}


def test_a_pool_without_nodes_is_not_the_smallest() -> None:
    plan = compiled(nodes="0").plan
    assert plan is not None
    assert plan.self_healing is not None
    assert (plan.self_healing.smallest, plan.self_healing.pools) == ("train", ("train",))


EVENT = {
    "agent": "syslog-health-monitor",
    "componentClass": "GPU",
    "checkName": "SysLogsXIDError",
    "isFatal": True,
    "errorCode": ["79"],
}
NODE = {"metadata": {"labels": {"gpupolicy.dev/pool": "train"}}}


def asked(event: Any, node: Any) -> Any:
    """Give a request whose object holds an event and a node, for the API server's own CEL."""
    made = custom("Case", "example.com/v1")
    made["object"] |= {"event": EVENT | event, "node": node}
    return made | {"policy": "rules"}


def as_policy(made: Compiled) -> Any:
    """Write the rule sets as an admission policy that refuses what they would cordon for."""
    validations = []
    for each in values(made)["fault-quarantine"]["ruleSets"]:
        both = " && ".join(f"({rule['expression']})" for rule in each["match"]["all"])
        expression = re.sub(r"\b(event|node)\.", r"object.\1.", both)
        validations.append({"expression": f"!({expression})", "message": f"{each['name']}: x"})
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "rules"},
        "spec": {"failurePolicy": "Fail", "validations": validations},
    }


CASES: tuple[tuple[str, Any, Any, set[str]], ...] = (
    ("lost card", {}, NODE, {"gpupolicy fatal XID"}),
    ("double bit", {"errorCode": ["48"]}, NODE, {"gpupolicy fatal XID"}),
    ("fault of a program", {"errorCode": ["31"]}, NODE, set()),
    ("contained error", {"errorCode": ["94"]}, NODE, set()),
    ("no fatal one", {"isFatal": False}, NODE, set()),
    ("no code", {"errorCode": []}, NODE, set()),
    ("cpu node", {}, {"metadata": {"labels": {"gpupolicy.dev/pool": "cpu"}}}, set()),
    ("node of nobody", {}, {"metadata": {"labels": {"a": "b"}}}, set()),
    (
        "off the bus",
        {"checkName": "SysLogsGPUFallenOff", "errorCode": []},
        NODE,
        {"gpupolicy GPU off the bus"},
    ),
    (
        "switch",
        {"checkName": "SysLogsSXIDError", "errorCode": ["20034"]},
        NODE,
        {"gpupolicy fatal NVSwitch fault"},
    ),
    (
        "by DCGM",
        {"agent": "gpu-health-monitor", "checkName": "GpuMemWatch", "errorCode": ["DCGM_FR_X"]},
        NODE,
        {"gpupolicy fatal DCGM health"},
    ),
    ("another's agent", {"agent": "csp-health-monitor"}, NODE, set()),
)


@pytest.mark.tools
def test_every_rule_fences_for_what_it_says_and_for_nothing_else() -> None:
    answer = evaluate([as_policy(compiled())], [asked(event, node) for _, event, node, _ in CASES])
    assert answer["compile"] == []
    for (name, _, _, due), refused in zip(CASES, answer["results"], strict=True):
        assert [one["error"] for one in refused if one["error"]] == [], name
        assert {one["message"].partition(":")[0] for one in refused} == due, name
    fenced = {rule for *_, due in CASES for rule in due}
    assert fenced == {one["name"] for one in values(compiled())["fault-quarantine"]["ruleSets"]}
