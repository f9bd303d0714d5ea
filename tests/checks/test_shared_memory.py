"""What of the declared work can meet on a shared GPU."""

from __future__ import annotations

import pytest

from gpupolicy.compiler import check_policy
from gpupolicy.source.load import SourceText

POLICY = """\
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {name: p}
spec:
  platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}, kueue: {version: "0.19"}}
  nodePools:
    - {name: a, gpu: A10, nodes: 2, gpusPerNode: 1, allocatable: {cpu: "8", memory: 240Gi},
       sharing: {timeSlicing: 4}}
  tenants:
    - name: t
      namespaces: [t]
      quotas: [{pool: a, guaranteed: 8, cpu: "16"}]
      workloads: [{name: x, pool: a, pods: 2, gpuMemory: 12Gi, cpu: "CPU"}]
"""


@pytest.mark.parametrize(("cpu", "meets"), [("4", True), ("5", False), ("8", False)])
def test_pods_that_no_node_holds_together_never_meet(cpu: str, meets: bool) -> None:
    made = check_policy([SourceText("policy.yaml", POLICY.replace("CPU", cpu).encode())])
    assert ("GP322" in {one.code for one in made.diagnostics}) == meets
