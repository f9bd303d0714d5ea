from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from gpupolicy.manifest.canonical import dump
from gpupolicy.targets.mig_manager import emit
from gpupolicy.targets.mig_manager import unsupported
from tests.targets import plans
from tests.targets.written import objects
from tests.targets.written import written

LAYOUTS = {
    "version": "v1",
    "mig-configs": {
        "all-disabled": [{"devices": "all", "mig-enabled": False}],
        "infer-9b1f62d4": [
            {
                "device-filter": ["0x20B210DE"],
                "devices": "all",
                "mig-enabled": True,
                "mig-devices": {"1g.10gb": 2, "1g.10gb+me": 1, "3g.40gb": 1},
            }
        ],
    },
}
CONFIG = plans.config("gpupolicy-mig-9b1f62d4", **{"config.yaml": dump(LAYOUTS)})


def test_writes(snapshot: Any) -> None:
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    snapshot.assert_match_dir(written(emit(plans.plan(mig_parted=CONFIG))), "layouts")


def test_a_011_one_key_holds_all_layouts_and_reads_back_as_the_plan_says() -> None:
    (found,) = objects(emit(plans.plan(mig_parted=CONFIG)))
    read = yaml.safe_load(dump(found))
    assert read["metadata"] == {"name": "gpupolicy-mig-9b1f62d4", "namespace": "gpu-operator"}
    assert list(read["data"]) == ["config.yaml"]
    assert yaml.safe_load(read["data"]["config.yaml"]) == LAYOUTS


def test_writes_nothing_where_nothing_is_cut() -> None:
    assert list(emit(plans.plan())) == []


def test_nobody_cuts_without_the_operator() -> None:
    platform = plans.platform(components={"kueue": "0.19"})
    plan = plans.plan(
        platform=platform, pools=(plans.pool("infer", mig=plans.mig()),), mig_parted=CONFIG
    )
    assert list(emit(plan)) == []
    (found,) = unsupported(plan)
    assert found.code == "GP506"
    assert "pool 'infer'" in found.message
    assert list(unsupported(plans.plan(pools=plan.pools))) == []
