"""Values of NVSentinel's chart.

Keys and meaning: NVIDIA/NVSentinel 1.x, docs/configuration/README.md and fault-quarantine.md, and
distros/kubernetes/nvsentinel/charts/fault-quarantine/values.yaml. Rules are CEL on the health event
(`event`) and the node. A node is cordoned and nothing more: work that runs on it may end or write
a checkpoint, and no taint keeps the operator's daemon sets off the sick node. Draining and repair
stay with people, by the runbook.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.manifest.key import Data
from gpupolicy.plan.model import Plan
from gpupolicy.plan.names import POOL_LABEL
from gpupolicy.plan.self_healing import SelfHealingPlan

# Nodes with it at "false" are left alone (skipNodeLabels of the chart).
_OPTED_OUT = {"key": "nvsentinel.dgxc.nvidia.com/managed", "value": "false"}
_GPU_NODES = "nvidia.com/gpu.present=true"
# Cordons of so long are counted together; the breaker then stays open until somebody closes it.
WINDOW = "24h"


def values(plan: Plan, healing: SelfHealingPlan) -> Data:
    """Give all values that follow from the policy."""
    return {
        "global": {
            "dryRun": healing.dry_run,
            "tolerations": list(_tolerations(plan)),
            "gpuHealthMonitor": {"enabled": True},
            "syslogHealthMonitor": {"enabled": True},
            "faultQuarantine": {"enabled": True},
            "nodeDrainer": {"enabled": False},
            "faultRemediation": {"enabled": False},
        },
        "fault-quarantine": {
            "gpuNodeLabel": _GPU_NODES,
            "circuitBreaker": {
                "enabled": True,
                "percentage": healing.percent,
                "duration": WINDOW,
            },
            "skipNodeLabels": [_OPTED_OUT],
            "ruleSets": list(_rule_sets(healing)),
        },
    }


def _tolerations(plan: Plan) -> Iterator[Data]:
    """Let the monitors onto the tainted nodes of the policy, each taint once."""
    taints = [t for p in plan.pools if p.gpu and p.gpu.nvidia for t in p.node.taints]
    for taint in dict.fromkeys(taints):
        how = {"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}
        yield {"key": taint.key, **how, "effect": taint.effect}


def _rule_sets(healing: SelfHealingPlan) -> Iterator[Data]:
    codes = ", ".join(f"'{code}'" for code in healing.codes)
    fatal = "event.isFatal == true"
    kernel = "event.agent == 'syslog-health-monitor'"
    rules = {
        # By our table of codes: faults of programs are in none of them.
        "gpupolicy fatal XID": f"{kernel} && event.checkName == "
        f"'SysLogsXIDError' && {fatal} && event.errorCode.exists(e, e in [{codes}])",
        "gpupolicy GPU off the bus": f"{kernel} && event.checkName == "
        f"'SysLogsGPUFallenOff' && {fatal}",
        "gpupolicy fatal NVSwitch fault": f"{kernel} && event.checkName == "
        f"'SysLogsSXIDError' && {fatal}",
        "gpupolicy fatal DCGM health": "event.agent == 'gpu-health-monitor' && "
        f"event.componentClass == 'GPU' && {fatal}",
    }
    for name, expression in rules.items():
        yield {
            "enabled": True,
            "version": "1",
            "name": name,
            "match": {
                "all": [
                    {"kind": "HealthEvent", "expression": expression},
                    {"kind": "Node", "expression": _in_pools(healing)},
                ]
            },
            "cordon": {"shouldCordon": True},
        }


def _in_pools(healing: SelfHealingPlan) -> str:
    label, pools = POOL_LABEL, ", ".join(f"'{pool}'" for pool in healing.pools)
    return f"'{label}' in node.metadata.labels && node.metadata.labels['{label}'] in [{pools}]"
