"""How many namespaces the tenants of one cluster may have."""

from __future__ import annotations

from gpupolicy.checks.cluster_size import NAMESPACES
from gpupolicy.compiler import check_policy
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.source.load import SourceText

HEAD = """\
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {name: big}
spec:
  platform: {kubernetes: "1.36", kueue: {version: "0.19"}}
  nodePools: [{name: p, gpu: A10, nodes: 1, gpusPerNode: 1}]
  tenants:
"""


def _found(sizes: list[int]) -> list[Diagnostic]:
    lines = [HEAD]
    for tenant, size in enumerate(sizes):
        names = ", ".join(f"n{tenant}-{number}" for number in range(size))
        lines.append(f"    - {{name: t{tenant}, quotas: [{{pool: p, guaranteed: 0, limit: 1}}],\n")
        lines.append(f"       namespaces: [{names}]}}\n")
    made = check_policy([SourceText("policy.yaml", "".join(lines).encode())])
    return [one for one in made.diagnostics if one.code == "GP469"]


def test_as_many_as_a_cluster_has_pass() -> None:
    assert _found([NAMESPACES - 1, 1]) == []


def test_one_more_is_pointed_at_with_the_numbers() -> None:
    (found,) = _found([NAMESPACES - 1, 2, 3])
    assert found.path == ("spec", "tenants", 1, "namespaces", 1)
    assert found.message == (
        "10,004 namespaces > 10,000 that Kubernetes supports in a cluster, over by 4"
    )
