"""The rules and their tests, as real tools take them: promtool, and Alertmanager's amtool."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpupolicy.deliver.layout import lay_out
from gpupolicy.facts.alerts import AlertFact
from gpupolicy.facts.alerts import FormFact
from gpupolicy.facts.alerts import RecordingFact
from gpupolicy.facts.alerts import alerts
from gpupolicy.facts.alerts import recordings
from gpupolicy.plan.monitoring_choice import Chooser
from tests.conftest import Tool
from tests.targets.prometheus.policies import VARIANTS
from tests.targets.prometheus.policies import compiled

every_variant = pytest.mark.parametrize("name", VARIANTS)
# Between them they have every form of every alert and recording.
PROVEN = ("kueue", "changed", "oldest", "own-exporter", "volcano", "resource-quota")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give the folder `files/` of a variant's output."""
    made: dict[str, Path] = {}

    def write(name: str) -> Path:
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            bundle = compiled(name).bundle
            assert bundle is not None
            for path, file in lay_out(bundle)[0].items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(file.data)
            made[name] = folder / "files"
        return made[name]

    return write


@pytest.fixture(scope="module")
def tested() -> set[bytes]:
    """Remember rules and tests that passed: pools are alike in many variants."""
    return set()


@pytest.mark.tools
@pytest.mark.slow
@pytest.mark.parametrize("name", PROVEN)
def test_promtool_takes_the_rules_and_their_tests_pass(
    name: str, tree: Callable[[str], Path], tool: Callable[[str], Tool], tested: set[bytes]
) -> None:
    folder = tree(name) / "prometheus"
    rules = sorted((folder / "rules").iterdir())
    tool("promtool").run("check", "rules", "--lint=all", "--lint-fatal", *rules)
    for file in sorted((folder / "tests").iterdir()):
        content = file.read_bytes() + (folder / "rules" / file.name).read_bytes()
        if content not in tested:
            tool("promtool").run("test", "rules", file)
            tested.add(content)


def test_every_form_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """A form that none of them has would be one that promtool never saw."""
    chosen = set()
    choose = Chooser._form

    def noted(self: Chooser, rule: AlertFact | RecordingFact, *given: Any) -> FormFact | None:
        form = choose(self, rule, *given)
        chosen.add((rule.name, form.expr if form else ""))
        return form

    monkeypatch.setattr(Chooser, "_form", noted)
    for name in PROVEN:
        compiled(name)
    rules = (*alerts().values(), *recordings())
    assert {(rule.name, form.expr) for rule in rules for form in rule.forms} - chosen == set()


@every_variant
def test_every_alert_has_a_case_that_fires_and_one_that_is_silent(
    name: str, tree: Callable[[str], Path]
) -> None:
    """Every copy of an alert: its own labels stand among those that must fire."""
    folder = tree(name) / "prometheus"
    for file in sorted((folder / "rules").iterdir()):
        if file.stem == "gpupolicy-user":
            continue
        (group,) = yaml.safe_load(file.read_text())["groups"]
        tests = yaml.safe_load((folder / "tests" / file.name).read_text())["tests"]
        cases = [case for test in tests for case in test["alert_rule_test"]]
        fired = [
            (case["alertname"], set(alert["exp_labels"].items()))
            for case in cases
            for alert in case.get("exp_alerts", ())
        ]
        silent = {case["alertname"] for case in cases if "exp_alerts" not in case}
        for rule in (rule for rule in group["rules"] if "alert" in rule):
            labels = set(rule["labels"].items())
            assert any(alert == rule["alert"] and labels <= found for alert, found in fired)
            assert rule["alert"] in silent


@pytest.mark.tools
@pytest.mark.parametrize(
    ("expression", "must_fail"), [("vector(0) > 1", "fires"), ("vector(1)", "is silent")]
)
@pytest.mark.parametrize("group", ["gpupolicy", "gpupolicy-pool-slices", "gpupolicy-tenant-third"])
def test_the_cases_can_fail(
    group: str,
    expression: str,
    must_fail: str,
    tree: Callable[[str], Path],
    tool: Callable[[str], Tool],
    tmp_path: Path,
) -> None:
    """With an alert that never, or always, fires, all its cases of the one kind fail."""
    source = tree("kueue") / "prometheus"
    (tmp_path / "rules").mkdir()
    (tmp_path / "tests").mkdir()
    rules = yaml.safe_load((source / "rules" / f"{group}.yaml").read_text())
    for rule in rules["groups"][0]["rules"]:
        if "alert" in rule:
            rule["expr"] = expression
    (tmp_path / "rules" / f"{group}.yaml").write_text(yaml.safe_dump(rules))
    tests = (source / "tests" / f"{group}.yaml").read_text()
    (tmp_path / "tests" / f"{group}.yaml").write_text(tests)
    done = tool("promtool").tried("test", "rules", tmp_path / "tests" / f"{group}.yaml")
    assert done.returncode == 1
    failed = re.findall(r"name: (GpuPolicy\w+ (?:fires|is silent)),", done.stdout + done.stderr)
    due = [test["name"] for test in yaml.safe_load(tests)["tests"] if must_fail in test["name"]]
    assert sorted(name for name in failed if must_fail in name) == sorted(due)


@pytest.mark.tools
@pytest.mark.parametrize("name", ["own-exporter", "volcano"])
def test_prometheus_and_alertmanager_load_the_files(
    name: str, tree: Callable[[str], Path], tool: Callable[[str], Tool]
) -> None:
    folder = tree(name)
    scrape = folder / "prometheus" / "scrape.yaml"
    tool("promtool").run("check", "config", "--syntax-only", scrape)
    assert "2 receivers" not in tool("amtool").run("check-config", folder / "alertmanager.yaml")
    assert "3 receivers" in tool("amtool").run("check-config", folder / "alertmanager.yaml")
