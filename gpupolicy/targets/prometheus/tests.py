"""Unit tests for `promtool test rules`: for every alert one that fires and one that is silent.

promtool compares all alerts of a name at a time with their full labels and annotations (Prometheus
v2.42 cmd/promtool/unittest.go), so a case says everything that must come out.
"""

from __future__ import annotations

from gpupolicy.manifest.key import Data
from gpupolicy.plan.monitoring_model import EVALUATION
from gpupolicy.plan.monitoring_model import RuleGroupPlan
from gpupolicy.plan.monitoring_model import RuleTest
from gpupolicy.quantity import format_prometheus_duration


def test_file(group: RuleGroupPlan) -> Data | None:
    """Give the file that tests a group; None if nothing of it has a test."""
    tests = [_test(test) for test in group.tests]
    if not tests:
        return None
    return {
        # From files/prometheus/tests/: promtool reads it relative to the test file.
        "rule_files": [f"../rules/{group.name}.yaml"],
        "evaluation_interval": format_prometheus_duration(EVALUATION),
        "tests": tests,
    }


def _test(test: RuleTest) -> Data:
    case: Data = {
        "eval_time": format_prometheus_duration(test.eval_time),
        "alertname": test.alert,
    }
    if test.firing:
        case["exp_alerts"] = [
            {"exp_labels": dict(labels), "exp_annotations": dict(annotations)}
            for labels, annotations in test.firing
        ]
    return {
        "name": f"{test.alert} {'fires' if test.firing else 'is silent'}",
        "interval": format_prometheus_duration(test.interval),
        "input_series": [{"series": name, "values": values} for name, values in test.series],
        "alert_rule_test": [case],
    }
