"""The runbook: a section for every alert, commands for what is installed, as a shell reads them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import pytest
import yaml

from gpupolicy.compiler import compile_policy
from gpupolicy.plan.model import Plan
from gpupolicy.source.load import SourceText
from gpupolicy.targets.prometheus import emit
from tests.conftest import ROOT
from tests.targets.prometheus.policies import VARIANTS
from tests.targets.prometheus.policies import policy_text
from tests.targets.written import texts

URL = "https://wiki.example.com/gpu/alerts"


@cache
def plan_of(name: str, more: str = "") -> Plan:
    text = policy_text(name).replace("gpuOperator: {", "gpuOperator: {namespace: gpus, ")
    found = compile_policy([SourceText("policy.yaml", (text + more).encode())]).plan
    assert found is not None
    return found


@cache
def runbook(name: str) -> tuple[str, str]:
    files = texts(emit(plan_of(name)))
    return files["runbook/alerts.md"], files["runbook/checks.md"]


def blocks(text: str) -> Iterator[str]:
    return (found[1] for found in re.finditer(r"```sh\n(.*?)```", text, re.DOTALL))


@pytest.mark.parametrize("name", VARIANTS)
def test_every_alert_has_its_section_and_no_other(name: str) -> None:
    monitoring = plan_of(name).monitoring
    assert monitoring is not None
    alerts = {
        rule.name for group in monitoring.groups for rule in group.rules if rule.kind == "alert"
    }
    sections = re.findall(r"^## (\w+)$", runbook(name)[0], re.M)
    assert sorted(alerts) == [one for one in sections if one != "XIDs"]
    assert len(alerts) > 10


@pytest.mark.parametrize("name", VARIANTS)
def test_every_alert_but_ones_own_has_commands(name: str) -> None:
    sections = re.split(r"^## ", runbook(name)[0], flags=re.M)[1:]
    without = [one.split("\n")[0] for one in sections if "```sh" not in one]
    assert set(without) <= {"GpuPolicyMyAlert", "XIDs"}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_shell_reads_every_command(name: str) -> None:
    for text in runbook(name):
        assert "%{" not in text
        assert "{%" not in text
        assert "{{" not in text.replace("{{ $", "")
        for block in blocks(text):
            # What stands in `<...>` people put in.
            script = re.sub(r"<([a-z ]+)>", lambda found: found[1].replace(" ", "-"), block)
            done = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True)
            assert done.returncode == 0, (done.stderr, block)


@pytest.mark.parametrize("name", VARIANTS)
def test_prose_has_no_tags(name: str) -> None:
    """A word in angle brackets outside of code would not be shown."""
    for text in runbook(name):
        prose = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
        assert re.findall(r"<\w+>", prose) == []


def test_commands_are_those_of_the_quota_holder() -> None:
    words = {"kueue": "clusterqueues", "volcano": "queues.scheduling.volcano.sh"}
    words["resource-quota"] = "resourcequotas"
    for name, word in words.items():
        for text in runbook(name):
            assert word in text
            assert not [w for n, w in words.items() if n != name and w in text]


def test_names_are_those_of_the_policy() -> None:
    alerts, checks = runbook("kueue")
    assert "kubectl -n gpus get pods" in checks
    assert "kubectl -n gpus logs -l app=nvidia-device-plugin-daemonset" in alerts
    assert "gpu-operator" not in alerts + checks
    for pool in plan_of("kueue").pools:
        assert f"-l gpupolicy.dev/pool={pool.name} " in checks
    assert r"capacity.nvidia\.com/mig-2g\.20gb" in checks
    cut = re.findall(r"pool=(\w+) -L nvidia.com/mig.config ", checks)
    assert cut == ["slices", "mixed"]
    assert "# 0 to 3 nodes" in checks
    assert " -n " not in "".join(
        line for line in runbook("own-exporter")[1].splitlines() if "nvidia-driver" in line
    )


def test_without_an_exporter_there_is_nothing_about_cards() -> None:
    for text in runbook("no-exporter"):
        assert "nvidia-smi" not in text
        assert "## XIDs" not in text


def test_queries_are_promql() -> None:
    import promql_parser

    queries = re.findall(r"promtool query instant \S+ '([^']*)'", runbook("kueue")[1])
    assert len(queries) == 2
    for query in queries:
        promql_parser.parse(query)


@pytest.mark.parametrize("name", ["changed", "volcano"])
def test_alerts_and_their_tests_point_into_it(name: str) -> None:
    plan = plan_of(name, f"    runbookUrl: {URL}\n")
    files = texts(emit(plan))
    sections = re.findall(r"^## (\w+)$", files["runbook/alerts.md"], re.M)
    anchors = {f"{URL}#{section.lower()}" for section in sections}
    seen = 0
    for path, text in files.items():
        if path.startswith("prometheus/rules/"):
            for group in yaml.safe_load(text)["groups"]:
                for rule in group["rules"]:
                    if "alert" in rule:
                        assert rule["annotations"]["runbook_url"] in anchors
        elif path.startswith("prometheus/tests/"):
            for test in yaml.safe_load(text)["tests"]:
                for case in test["alert_rule_test"]:
                    for due in case.get("exp_alerts", ()):
                        seen += 1
                        link = f"{URL}#{case['alertname'].lower()}"
                        assert due["exp_annotations"]["runbook_url"] == link
    assert seen > 20


def test_nobody_is_sent_where_nothing_is() -> None:
    rules = "".join(t for p, t in texts(emit(plan_of("kueue"))).items() if "/rules/" in p)
    assert "runbook_url" not in rules


@pytest.mark.parametrize("url", ["wiki/gpu", "https://a b", "https://a/#x", "https://{{ .x }}", ""])
def test_an_address_is_one(url: str) -> None:
    text = policy_text("kueue") + f"    runbookUrl: {url!r}\n"
    found = compile_policy([SourceText("policy.yaml", text.encode())]).diagnostics
    assert [one.code for one in found if one.severity.value == "error"] == ["GP105"]


def test_nothing_is_rendered_to_validate() -> None:
    policy = "tests/policies/ok/files.yaml"
    code = (
        "import sys; from gpupolicy.cli.main import main; "
        f"main(['validate', {policy!r}]); sys.exit('jinja2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr
