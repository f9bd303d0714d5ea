"""The XID table: complete, consistent, and in agreement with what the vendor's tools do."""

from __future__ import annotations

import re

import pytest

from gpupolicy.facts.catalog import facts
from gpupolicy.facts.read import yaml_of
from gpupolicy.facts.xids import xid_table

TABLE = xid_table()
ACTIONS = {
    "none",
    "restart-app",
    "reset-gpu",
    "reboot-node",
    "follow",
    "check-power",
    "update-software",
    "restart-vm",
    "investigate",
    "replace",
}


def test_the_catalogue_gives_the_codes() -> None:
    assert facts().xids() == TABLE.codes
    assert len(TABLE.codes) == 111
    assert TABLE.sources


def test_codes_are_sorted_and_none_is_also_unused() -> None:
    codes = [xid.code for xid in TABLE.codes]
    assert codes == sorted(set(codes))
    assert set(codes).isdisjoint(TABLE.unused)
    assert max(codes) <= TABLE.known_to_exporter_up_to


@pytest.mark.parametrize("xid", TABLE.codes, ids=lambda xid: str(xid.code))
def test_an_entry_is_consistent(xid: object) -> None:
    entry = next(each for each in TABLE.codes if each == xid)
    assert entry.severity in {"info", "warning", "critical"}
    assert entry.suspect in {"application", "hardware", "driver", "nvlink"}
    assert entry.action in ACTIONS
    assert entry.name == entry.name.strip()
    assert not entry.isolate or entry.severity == "critical"
    assert entry.action not in {"reset-gpu", "reboot-node"} or entry.severity != "info"
    assert TABLE.find(entry.code) == entry


def test_keys_of_the_rows() -> None:
    allowed = {"code", "name", "severity", "suspect", "action", "then", "generations", "isolate"}
    for row in yaml_of("xids.yaml")["xids"]:
        assert set(row) <= allowed | {"note", "confirmed"}, row


def test_what_is_isolated() -> None:
    """The list that NVIDIA's catalogue and DCGM's health watches agree to be fatal for the GPU."""
    isolated = [xid.code for xid in TABLE.codes if xid.isolate]
    assert isolated == [46, 48, 54, 62, 64, 74, 79, 95, 110, 119, 120, 136, 140, 143, 149, 158]
    assert set(TABLE.health_fail) <= set(isolated)
    assert set(TABLE.blinding) <= set(isolated)


def test_application_faults_do_not_touch_the_node() -> None:
    for code in (8, 11, 13, 31, 32, 43, 45, 68, 69, 80):
        xid = TABLE.find(code)
        assert xid is not None
        assert xid.suspect == "application"
        assert not xid.isolate


def test_an_unknown_code_has_a_rule() -> None:
    assert TABLE.find(999) is None
    assert yaml_of("xids.yaml")["unknown"]["action"] in ACTIONS


def test_no_note_runs_over_lines() -> None:
    assert not any(re.search(r"\s{2,}|\n", xid.note or "") for xid in TABLE.codes)
