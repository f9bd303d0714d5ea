"""The registry of targets: a literal dict, in the order in which they are emitted."""

from __future__ import annotations

from gpupolicy.target_base import Target
from gpupolicy.targets import device_plugin
from gpupolicy.targets import gpu_operator
from gpupolicy.targets import kueue
from gpupolicy.targets import mig_manager
from gpupolicy.targets import nodes
from gpupolicy.targets import nvsentinel
from gpupolicy.targets import priority
from gpupolicy.targets import prometheus
from gpupolicy.targets import tenancy
from gpupolicy.targets import volcano
from gpupolicy.targets import workloads

TARGETS: dict[str, Target] = {
    gpu_operator.NAME: gpu_operator,
    device_plugin.NAME: device_plugin,
    mig_manager.NAME: mig_manager,
    nodes.NAME: nodes,
    priority.NAME: priority,
    tenancy.NAME: tenancy,
    kueue.NAME: kueue,
    volcano.NAME: volcano,
    prometheus.NAME: prometheus,
    nvsentinel.NAME: nvsentinel,
    workloads.NAME: workloads,
}
