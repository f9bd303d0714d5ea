"""A policy is for one cluster, and a cluster has only so many namespaces.

GP469 too-many-namespaces
    All tenants together have more namespaces than Kubernetes is tested and supported with: its
    published threshold is 10,000 in a cluster. Beyond it the promises on response times fall, and
    every namespace here brings a queue, quotas and permissions with it. Divide the tenants among
    several clusters with a policy each, or give tenants fewer namespaces.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path

# kubernetes/community, sig-scalability/configs-and-limits/thresholds.md, #Namespaces of a cluster.
NAMESPACES = 10_000


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Count what all tenants bring into the cluster; told where the threshold is passed."""
    count = 0
    passed: Path | None = None
    for index, tenant in enumerate(context.policy.spec.tenants):
        over = NAMESPACES - count
        count += len(tenant.namespaces)
        if count > NAMESPACES and passed is None:
            passed = ("spec", "tenants", index, "namespaces", over)
    if passed is not None:
        yield Diagnostic(
            "GP469",
            f"{count:,} namespaces > {NAMESPACES:,} that Kubernetes supports in a cluster, "
            f"over by {count - NAMESPACES:,}",
            passed,
            hint="from this one on, move namespaces to the policy of another cluster",
        )
