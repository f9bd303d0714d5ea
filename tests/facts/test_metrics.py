"""Metric tables: gates by exporter version, MIG, default lists, histogram bounds."""

from __future__ import annotations

from fractions import Fraction

import pytest

from gpupolicy.facts.components import component
from gpupolicy.facts.components import component_names
from gpupolicy.facts.metrics import Histogram
from gpupolicy.facts.metrics import Metric
from gpupolicy.facts.metrics import metrics
from gpupolicy.facts.metrics import version_key
from gpupolicy.facts.read import sources
from gpupolicy.facts.read import yaml_of

TABLES = metrics()
FIELDS = list(TABLES.fields.values())
EXPORTERS = [
    tags["dcgmExporter"]
    for line in component("dcgmExporter").lines
    for tags in line.releases.values()
]


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_a_field_is_consistent(field: Metric) -> None:
    assert field.type in {"gauge", "counter", "label"}
    assert field.mig in {"instance", "parent", "absent", "unknown"}
    assert field.name.startswith(("DCGM_FI_", "DCGM_EXP_"))
    assert field.profiling == field.name.startswith("DCGM_FI_PROF_")
    assert field.type == "counter" or not field.name.endswith("ERRORS_TOTAL")
    # The counters file has three columns: a comma in the help would end the exporter's process.
    assert "," not in field.help
    assert version_key(field.default_since) >= version_key(field.since)


def test_the_default_list_by_version() -> None:
    """NVIDIA/dcgm-exporter, etc/dcp-metrics-included.csv: 25 lines, 26 from 4.3.1-4.4.0 on."""
    older = [field.name for field in TABLES.default_fields("3.3.9-3.6.1")]
    newer = [field.name for field in TABLES.default_fields("4.3.1-4.4.0")]
    assert len(older) == 25
    assert set(newer) - set(older) == {"DCGM_FI_DEV_FB_RESERVED"}
    assert len(TABLES.default_fields("4.6.0-4.8.3")) == 26
    assert older[0] == "DCGM_FI_DEV_SM_CLOCK"


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_every_known_exporter_knows_its_default_list(exporter: str) -> None:
    assert all(field.known_to(exporter) for field in TABLES.default_fields(exporter))


def test_a_field_is_gated_by_the_exporter() -> None:
    action = TABLES.fields["DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION"]
    assert not action.known_to("4.4.2-4.7.1")
    assert action.known_to("4.5.1-4.8.0")
    assert action.known_to("4.8.0")
    old = TABLES.fields["DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"]
    assert [old.known_to(tag) for tag in ("4.4.2-4.7.0", "4.5.1-4.8.0", "4.5.3-4.8.2")] == [
        True,
        False,
        True,
    ]


def test_a_type_that_changed() -> None:
    links = TABLES.fields["DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"]
    assert links.type_at("4.5.3-4.8.2") == "counter"
    assert links.type_at("4.6.0-4.8.3") == "gauge"


def test_a_061_utilisation_is_gone_with_mig() -> None:
    assert TABLES.fields["DCGM_FI_DEV_GPU_UTIL"].mig == "absent"
    busy = TABLES.fields["DCGM_FI_PROF_GR_ENGINE_ACTIVE"]
    assert (busy.mig, busy.unit, busy.profiling) == ("instance", "ratio", True)
    assert TABLES.fields["DCGM_FI_DEV_GPU_UTIL"].unit == "percent"


def test_mistaken_names_are_not_names() -> None:
    known = {*TABLES.fields, *(series.name for series in TABLES.series.values())}
    assert known.isdisjoint(TABLES.mistaken)
    assert set(TABLES.mistaken.values()) <= known


@pytest.mark.parametrize("series", list(TABLES.series.values()), ids=lambda series: series.id)
def test_a_series_is_consistent(series: object) -> None:
    entry = next(each for each in TABLES.series.values() if each == series)
    assert entry.type in {"gauge", "counter"}
    assert (entry.type == "counter") == entry.name.endswith("_total")
    assert entry.component in {*component_names(), "kubeStateMetrics", "vllm"}
    assert len(set(entry.labels)) == len(entry.labels)


def test_a_series_is_gated_by_its_component() -> None:
    pending = TABLES.series["kueue.queuePending"]
    assert not pending.known_to("0.17")
    assert pending.known_to("0.19")


@pytest.mark.parametrize("histogram", TABLES.histograms, ids=lambda h: f"{h.name}-{h.since}")
def test_bounds_ascend(histogram: Histogram) -> None:
    assert list(histogram.bounds) == sorted(set(histogram.bounds))
    assert histogram.bounds[0] > 0
    assert set(histogram.source_ids) <= set(sources())


def test_bounds_of_the_queue_wait() -> None:
    """kubernetes-sigs/kueue, pkg/metrics: 1, then 2.5 doubling; 14 bounds, 16 from 0.15 on."""
    name = "kueue_admission_wait_time_seconds"
    generated = [Fraction(1)] + [Fraction(5, 2) * 2**power for power in range(15)]
    newest, older = TABLES.histogram(name), TABLES.histogram(name, "0.14")
    assert newest is not None
    assert older is not None
    assert list(newest.bounds) == generated
    assert list(older.bounds) == generated[:14]
    assert TABLES.histogram(name, "0.15.3") == newest
    assert "priority_class" in older.labels
    oldest = TABLES.histogram(name, "0.13")
    assert oldest is not None
    assert "priority_class" not in oldest.labels


def test_the_bounds_around_a_value() -> None:
    wait = TABLES.histogram("kueue_admission_wait_time_seconds")
    assert wait is not None
    assert wait.around(Fraction(40)) == (Fraction(40), Fraction(40))
    assert wait.around(Fraction(18000)) == (Fraction(10240), Fraction(20480))
    assert wait.around(Fraction(1, 2)) == (None, Fraction(1))
    assert wait.around(Fraction(50000)) == (Fraction(40960), None)


def test_first_token_has_half_a_second_and_not_two() -> None:
    first = TABLES.histogram("vllm:time_to_first_token_seconds")
    assert first is not None
    assert Fraction(1, 2) in first.bounds
    assert first.around(Fraction(2)) == (Fraction(1), Fraction(5, 2))


def test_an_unknown_histogram() -> None:
    assert TABLES.histogram("my_latency_seconds") is None


def test_keys_of_the_rows() -> None:
    rows = yaml_of("metrics_data/fields.yaml")["fields"]
    required = {"name", "type", "unit", "mig", "help"}
    optional = {"default", "default_since", "since", "gaps", "profiling", "newer"}
    assert all(required <= set(row) <= required | optional for row in rows)
    assert len({row["name"] for row in rows}) == len(rows)
    rows = yaml_of("metrics_data/series.yaml")["series"]
    required = {"id", "name", "component", "type", "labels", "help"}
    assert all(required <= set(row) <= required | {"since", "needs"} for row in rows)
    assert len({row["id"] for row in rows}) == len(rows)
