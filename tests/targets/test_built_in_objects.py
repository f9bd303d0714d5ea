"""Objects of Kubernetes' own kinds, against the schemas of the API servers they are written for."""

from __future__ import annotations

import kubernetes_validate
import pytest

from gpupolicy.manifest.labels import assemble
from gpupolicy.plan.model import Plan
from gpupolicy.targets import device_plugin
from gpupolicy.targets import mig_manager
from gpupolicy.targets import priority
from gpupolicy.targets import tenancy
from tests.targets import plans
from tests.targets.tenancy.test_emit import tenants
from tests.targets.tenancy.test_emit import without_queues
from tests.targets.tenancy.test_guard_rails import PLANS

CONFIGURED = plans.plan(
    device_plugin=plans.config("gpupolicy-device-plugin-58e0a7c1", default="version: v1\n"),
    mig_parted=plans.config("gpupolicy-mig-9b1f62d4", **{"config.yaml": "version: v1\n"}),
    priorities=(plans.priority("realtime", 3), plans.priority("batch", -1, preempts=False)),
)
ALL = {**PLANS, "tenants": tenants(), "without queues": without_queues(), "configured": CONFIGURED}


@pytest.mark.parametrize("version", ["1.30", "1.34", "1.36"])
@pytest.mark.parametrize("plan", ALL.values(), ids=ALL)
def test_is_what_the_api_server_knows(plan: Plan, version: str) -> None:
    rooms = (device_plugin, mig_manager, priority, tenancy)
    made = assemble((item for room in rooms for item in room.emit(plan)), plan.name)
    known = [m.data for m in made.manifests if m.key.group not in ("kueue.x-k8s.io",)]
    assert known
    for data in known:
        kubernetes_validate.validate(data, version, strict=True)
