"""What a namespace says of its tenant, for the guard rails to read.

It stands on the Namespace because the built-in roles `edit` and `admin` cannot write those, so
that one pair of policies serves all tenants, and a new tenant changes no object of another.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import TenantPlan

TENANT_LABEL = "gpupolicy.dev/tenant"
QUEUES = "gpupolicy.dev/queues"
PRIORITY_CLASSES = "gpupolicy.dev/priority-classes"
POOLS = "gpupolicy.dev/pools"
DEVICES = "gpupolicy.dev/devices"
MAX_RUN_SECONDS = "gpupolicy.dev/max-run-seconds"
QUEUE_CPU = "gpupolicy.dev/queue-cpu"
_SECOND = 10**9


def namespace_annotations(plan: Plan, tenant: TenantPlan) -> dict[str, str]:
    """Give the annotations of the tenant's namespaces; lists are sorted, with commas."""
    queued = plan.quota_holder != "resourceQuota"
    found = {
        QUEUES: tenant.name if queued else "",
        PRIORITY_CLASSES: _listed(tenant.priority_classes),
        POOLS: _listed(line.pool for line in tenant.lines),
        DEVICES: _listed(line.resource for line in tenant.lines if line.resource),
    }
    if tenant.max_run_time is not None:
        found[MAX_RUN_SECONDS] = str(tenant.max_run_time // _SECOND)
    if tenant.queues_cpu and queued:
        found[QUEUE_CPU] = "true"
    return {key: value for key, value in found.items() if value}


def _listed(names: Iterable[str]) -> str:
    return ",".join(sorted(set(names)))
