from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from gpupolicy.manifest.canonical import dump
from gpupolicy.targets.device_plugin import emit
from gpupolicy.targets.device_plugin import unsupported
from tests.targets import plans
from tests.targets.written import objects
from tests.targets.written import written

SHARED = {
    "version": "v1",
    "sharing": {
        "timeSlicing": {
            "renameByDefault": True,
            "failRequestsGreaterThanOne": True,
            "resources": [{"name": "nvidia.com/gpu", "replicas": 4}],
        }
    },
}
CONFIG = plans.config("gpupolicy-device-plugin-58e0a7c1", default="version: v1\n", dev=dump(SHARED))
SLICED = plans.pool(
    "dev",
    sharing=plans.sharing(),
    devices=(plans.device("gpu", "nvidia.com/gpu.shared", per_node=32),),
)


def test_writes(snapshot: Any) -> None:
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    snapshot.assert_match_dir(written(emit(plans.plan(device_plugin=CONFIG))), "shared")


def test_a_018_the_files_are_read_back_as_the_plan_says() -> None:
    (found,) = objects(emit(plans.plan(device_plugin=CONFIG)))
    read = yaml.safe_load(dump(found))["data"]
    assert read == dict(CONFIG.files)
    assert yaml.safe_load(read["dev"]) == SHARED


def test_a_019_lies_in_the_operators_namespace_with_the_default_key() -> None:
    config = plans.config("c", "nvidia", default="version: v1\n")
    (found,) = objects(emit(plans.plan(device_plugin=config)))
    assert found["metadata"] == {"name": "c", "namespace": "nvidia"}
    assert yaml.safe_load(found["data"]["default"]) == {"version": "v1"}


def test_writes_nothing_where_gpus_are_whole() -> None:
    assert list(emit(plans.plan())) == []
    assert list(unsupported(plans.plan(pools=(SLICED,)))) == []


def test_nobody_reads_a_configuration_without_the_operator() -> None:
    platform = plans.platform(components={"kueue": "0.19"})
    plan = plans.plan(platform=platform, pools=(SLICED,), device_plugin=CONFIG)
    assert list(emit(plan)) == []
    (found,) = unsupported(plan)
    assert found.code == "GP505"
    assert "32 x nvidia.com/gpu.shared" in found.message
    assert found.path == ("spec", "nodePools", 0, "sharing")
