"""The tables of alerts: every expression reads what exists, and every alert has its cases."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from gpupolicy.facts.alerts import AlertFact
from gpupolicy.facts.alerts import FormFact
from gpupolicy.facts.alerts import alert_names
from gpupolicy.facts.alerts import alerts
from gpupolicy.facts.alerts import inhibitions
from gpupolicy.facts.alerts import recordings
from gpupolicy.facts.alerts import sources
from gpupolicy.facts.metrics import metrics
from gpupolicy.facts.read import yaml_of
from gpupolicy.facts.xids import Xid
from gpupolicy.facts.xids import xids
from gpupolicy.plan import names

ALERTS = list(alerts().values())
FORMS = [(alert, form) for alert in ALERTS for form in alert.forms]
RECORDED = {recording.name for recording in recordings()}
FIELDS = metrics().fields
SERIES = {series.name: series for series in metrics().series.values()}
HISTOGRAMS = {histogram.name for histogram in metrics().histograms}
# Functions, operators and keywords of PromQL that the tables use.
LANGUAGE = {
    "absent",
    "avg",
    "avg_over_time",
    "bool",
    "by",
    "and",
    "count",
    "floor",
    "increase",
    "label_replace",
    "max",
    "min",
    "offset",
    "on",
    "or",
    "rate",
    "sum",
    "unless",
    "vector",
}


def form_id(pair: tuple[AlertFact, FormFact]) -> str:
    alert, form = pair
    return f"{alert.name}-{form.scope}-{alert.forms.index(form)}"


def read_by(expr: str) -> set[str]:
    """Give the metrics of an expression: words that are no label, text, duration or function."""
    plain = re.sub(r'"(?:\\.|[^"\\])*"', "", expr)
    plain = re.sub(r"%\{metric\}_(bucket|count)", "", plain)
    plain = re.sub(r"%\{window\}", "", plain)
    plain = re.sub(r"%\{\w+\}", " ", plain)
    plain = re.sub(r"\b(by|on)\s*\([^)]*\)", " ", plain)
    plain = re.sub(r"\{[^}]*\}", " ", plain)
    plain = re.sub(r"\[[^\]]*\]", " ", plain)
    return set(re.findall(r"[A-Za-z_:][A-Za-z0-9_:]*", plain)) - LANGUAGE


def without_suffix(name: str) -> str:
    return re.sub(r"_(bucket|count|sum)$", "", name)


def test_names_are_distinct_in_prometheus_too() -> None:
    assert len({names.alert(name) for name in alert_names()}) == len(alert_names())
    assert alert_names() == tuple(alerts())
    assert names.alert("gpu-low-utilization") == "GpuPolicyLowUtilization"
    assert names.alert("queue-starved") == "GpuPolicyQueueStarved"


def test_the_sources_are_known() -> None:
    assert len(sources()) >= 8


@pytest.mark.parametrize("pair", FORMS, ids=form_id)
def test_every_form_has_a_case_that_fires_and_one_that_is_silent(
    pair: tuple[AlertFact, FormFact],
) -> None:
    fires = [case.fires is not None for case in pair[1].cases]
    assert True in fires
    assert False in fires


@pytest.mark.parametrize("pair", FORMS, ids=form_id)
def test_an_expression_reads_what_exists(pair: tuple[AlertFact, FormFact]) -> None:
    for name in read_by(pair[1].expr):
        base = without_suffix(name)
        assert (
            name in FIELDS
            or name in SERIES
            or name in RECORDED
            or base in HISTOGRAMS
            or (name == "up")
        ), name
    assert not metrics().mistaken.keys() & read_by(pair[1].expr)


@pytest.mark.parametrize("recording", recordings(), ids=lambda recording: recording.name)
def test_a_recording_reads_what_exists(recording: object) -> None:
    for form in recording.forms:  # type: ignore[attr-defined]
        for name in read_by(form.expr):
            known = name in FIELDS or name in SERIES or name in RECORDED
            assert known or without_suffix(name) in HISTOGRAMS, name


EVERY_FORM = [form for alert in ALERTS for form in alert.forms]
EVERY_FORM += [form for recording in recordings() for form in recording.forms]


@pytest.mark.parametrize("form", EVERY_FORM, ids=lambda form: form.expr[:60])
def test_fields_that_mig_lacks_are_not_read_where_all_is_cut(form: FormFact) -> None:
    lacking = [name for name in form.fields if FIELDS[name].mig == "absent"]
    assert not lacking or "!cut" in form.when


@pytest.mark.parametrize("form", EVERY_FORM, ids=lambda form: form.expr[:60])
def test_fields_need_an_exporter_and_profiling_fields_a_card(form: FormFact) -> None:
    if form.fields:
        assert "dcgm" in form.when
    if any(FIELDS[name].profiling for name in form.fields):
        assert "profiling" in form.when


@pytest.mark.parametrize("form", EVERY_FORM, ids=lambda form: form.expr[:60])
def test_only_counters_have_a_rate(form: FormFact) -> None:
    """A window counter or a gauge under rate() or increase() says nothing, or lies."""
    for name in re.findall(r"(?:rate|increase)\(([A-Za-z_:][\w:]*)", form.expr):
        counter = name.endswith(("_bucket", "_count")) or (
            (FIELDS.get(name) or SERIES[name]).type == "counter"
        )
        assert counter, name


@pytest.mark.parametrize("form", EVERY_FORM, ids=lambda form: form.expr[:60])
def test_gauges_of_kueue_are_one_value_before_they_are_summed(form: FormFact) -> None:
    """Every replica of the manager reports, so that a sum would count twice."""
    for series in SERIES.values():
        if series.component == "kueue" and series.type == "gauge" and series.name in form.expr:
            assert re.search(rf"max by \([^)]*\)\s*\({series.name}\{{", form.expr)


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_an_alert_is_complete(alert: AlertFact) -> None:
    assert alert.severity in {"critical", "warning", "info"}
    assert alert.labels["component"].startswith("gpu-")
    assert all(form.summary and form.description for form in alert.forms)
    has_threshold = any("%{threshold}" in form.expr for form in alert.forms)
    assert has_threshold == (alert.threshold is not None)
    assert all("%{threshold}" in form.expr for form in alert.forms) == has_threshold


def chosen(name: str) -> set[int]:
    (code,) = {re.search(r'xid=~"([\d|]+)"', form.expr)[1] for form in alerts()[name].forms}  # type: ignore[index]
    return set(map(int, code.split("|")))


XID_ALERTS = [alert.name for alert in ALERTS if "{xid=~" in alert.forms[0].expr]


def test_every_xid_is_of_one_class() -> None:
    classes = {name: chosen(name) for name in XID_ALERTS}
    assert len(classes) == 7
    for (one, first), (other, second) in (
        (a, b) for a in classes.items() for b in classes.items() if a[0] < b[0]
    ):
        assert not first & second, (one, other)
    watched = set().union(*classes.values())
    assert {x.code for x in xids() if x.severity != "info"} <= watched


@pytest.mark.parametrize("xid", [x for x in xids() if x.isolate], ids=lambda x: str(x.code))
def test_what_isolates_a_node_is_critical(xid: Xid) -> None:
    (name,) = [name for name in XID_ALERTS if xid.code in chosen(name)]
    assert alerts()[name].severity == "critical"


def test_faults_of_programs_touch_no_node() -> None:
    assert {13, 31, 43} <= chosen("gpu-xid-application")
    assert alerts()["gpu-xid-application"].severity == "info"
    # 63 records a remap, 94 kills one program: neither is fatal.
    assert not {63, 94} & (chosen("gpu-xid-fatal") | chosen("gpu-xid-reset"))
    assert chosen("gpu-fell-off-bus") == {79}


def test_window_metrics_keep_their_alerts_up() -> None:
    for name in XID_ALERTS:
        critical = alerts()[name].severity != "info"
        assert bool(alerts()[name].keep_firing_for) == critical


def test_inhibitions_name_alerts_with_all_the_labels() -> None:
    for rule in inhibitions():
        for name in (rule.by, *rule.alerts):
            alert = alerts()[name]
            assert "gpupolicy" in rule.equal
            wanted = set(rule.equal) - {"gpupolicy", alert.forms[0].scope}
            for form in alert.forms:
                fires = [set(case.fires) for case in form.cases if case.fires is not None]
                assert all(wanted <= labels for labels in fires), (name, wanted)


def test_recordings_stand_behind_what_they_read() -> None:
    order = [recording.name for recording in recordings()]
    for before, after in pairwise(range(len(order))):
        for form in recordings()[before].forms:
            later = set(order[after:]) - {order[before]}
            assert not later & read_by(form.expr)


def test_every_row_of_the_tables_is_read() -> None:
    rows = [
        row["name"]
        for table in ("hardware", "capacity", "queues", "stack")
        for row in yaml_of(f"alerts/{table}.yaml")["alerts"]
    ]
    assert len(rows) == len(set(rows)) == len(ALERTS)
