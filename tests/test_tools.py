"""Real tools over real output: each reads what the blueprints compile to, as users' tools will."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpupolicy.cli import exits
from gpupolicy.cli.main import main
from tests.blueprints import ALL
from tests.blueprints import Blueprint
from tests.conftest import ROOT
from tests.conftest import Tool

pytestmark = pytest.mark.tools
every_blueprint = pytest.mark.parametrize("blueprint", ALL, ids=lambda one: one.name)
# kubectl has kustomize's library in it; most people run it that way. No machine must have it.
KUSTOMIZE = (("kustomize", "build"),) + (
    (("kubectl", "kustomize"),) if shutil.which("kubectl") else ()
)


def _plain_yaml(blueprint: Blueprint) -> Iterator[tuple[Path, Any]]:
    """Give the YAML files below `files/` with their content."""
    for path in sorted((blueprint.output / "files").rglob("*.yaml")):
        # Templates are streams of objects; tests/targets/workloads holds them to their schemas.
        if "workloads" not in path.parts:
            yield path, yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)


def _with(blueprint: Blueprint, *keys: str) -> list[Path]:
    """Give the plain files that are maps with these keys at the top."""
    return [
        path
        for path, data in _plain_yaml(blueprint)
        if isinstance(data, dict) and data.keys() >= set(keys)
    ]


def _configurations(blueprint: Blueprint, target: str) -> Iterator[tuple[str, str]]:
    """Give the texts in the ConfigMaps of a target, by key."""
    for path, data in blueprint.objects().items():
        if path.startswith(f"{target}/configmap-"):
            yield from data["data"].items()


class _Loader(yaml.CSafeLoader):
    """Reads `=` as a text, as Kubernetes does: kustomize does not quote it."""


_Loader.add_constructor("tag:yaml.org,2002:value", _Loader.construct_yaml_str)  # type: ignore[type-var]


def _rule_files(blueprint: Blueprint, scratch: Path) -> list[Path]:
    """Give the rule files of the output, those in PrometheusRules written out."""
    found = _with(blueprint, "groups")
    for path, data in blueprint.objects().items():
        if data["kind"] == "PrometheusRule":
            file = scratch / Path(path).name
            file.write_text(yaml.safe_dump(data["spec"]), encoding="utf-8")
            found.append(file)
    return found


@pytest.mark.parametrize("command", KUSTOMIZE, ids=" ".join)
@every_blueprint
def test_kustomize_builds(
    blueprint: Blueprint, command: tuple[str, str], tool: Callable[[str], Tool]
) -> None:
    name, verb = command
    built = list(yaml.load_all(tool(name).run(verb, blueprint.output), Loader=_Loader))
    made = list(blueprint.objects().values())
    assert sorted(map(_identity, built)) == sorted(map(_identity, made))
    assert sorted(map(_text, built)) == sorted(map(_text, made)), "and changes nothing"


def _identity(data: dict[str, Any]) -> tuple[str, str, str, str]:
    metadata = data["metadata"]
    return data["apiVersion"], data["kind"], metadata.get("namespace", ""), metadata["name"]


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, sort_keys=True)


@every_blueprint
def test_promtool_checks_the_rules(
    blueprint: Blueprint, tool: Callable[[str], Tool], tmp_path: Path
) -> None:
    promtool = tool("promtool")
    for path in _rule_files(blueprint, tmp_path):
        said = promtool.run("check", "rules", "--lint=all", "--lint-fatal", path)
        assert "SUCCESS" in said


@every_blueprint
def test_promtool_tests_the_rules(blueprint: Blueprint, tool: Callable[[str], Tool]) -> None:
    for path in _with(blueprint, "rule_files", "tests"):
        tool("promtool").run("test", "rules", path.name, cwd=path.parent)


def test_prometheus_and_alertmanager_load_plain_files(
    tool: Callable[[str], Tool], tmp_path: Path
) -> None:
    policy = ROOT / "tests" / "policies" / "ok" / "files.yaml"
    assert main(["compile", str(policy), "--out", str(tmp_path)]) == exits.OK
    files = tmp_path / "files"
    promtool = tool("promtool")
    rules = sorted((files / "prometheus" / "rules").iterdir())
    promtool.run("check", "rules", "--lint=all", "--lint-fatal", *rules)
    for path in sorted((files / "prometheus" / "tests").iterdir()):
        promtool.run("test", "rules", path.name, cwd=path.parent)
    promtool.run("check", "config", "--syntax-only", files / "prometheus" / "scrape.yaml")
    said = tool("amtool").run("check-config", files / "alertmanager.yaml")
    assert "3 receivers" in said


@every_blueprint
def test_the_device_plugin_loads_its_configurations(
    blueprint: Blueprint, tool: Callable[[str], Tool], tmp_path: Path
) -> None:
    for key, text in _configurations(blueprint, "device_plugin"):
        path = tmp_path / key
        path.write_text(text, encoding="utf-8")
        loaded = json.loads(tool("nvidia-config").run("device-plugin", path))
        wanted = yaml.safe_load(text)
        for way, sharing in wanted.get("sharing", {}).items():
            replicas = [one["replicas"] for one in loaded["sharing"][way]["resources"]]
            assert replicas == [one["replicas"] for one in sharing["resources"]]


@every_blueprint
def test_mig_parted_loads_its_layouts(
    blueprint: Blueprint, tool: Callable[[str], Tool], tmp_path: Path
) -> None:
    for key, text in _configurations(blueprint, "mig_manager"):
        path = tmp_path / key
        path.write_text(text, encoding="utf-8")
        loaded = json.loads(tool("nvidia-config").run("mig-parted", path))
        wanted = yaml.safe_load(text)["mig-configs"]
        assert _layouts(loaded["mig-configs"]) == _layouts(wanted)


def _layouts(configs: dict[str, Any]) -> dict[str, Any]:
    return {
        name: [(entry["mig-enabled"], entry.get("mig-devices") or {}) for entry in entries]
        for name, entries in configs.items()
    }


@every_blueprint
def test_kueue_starts_with_its_configuration(
    blueprint: Blueprint, tool: Callable[[str], Tool]
) -> None:
    path = blueprint.output / "files" / "kueue-manager-config.yaml"
    assert path.exists() == ("kueue" in blueprint.versions())
    if path.exists():
        tool("kueue-config").run(path)


def test_something_was_there_for_every_tool() -> None:
    """A tool that nothing is held to proves nothing."""
    assert any(_with(one, "rule_files", "tests") for one in ALL)
    assert any(list(_configurations(one, "device_plugin")) for one in ALL)
    assert any(list(_configurations(one, "mig_manager")) for one in ALL)
    assert any("kueue" in one.versions() for one in ALL)


FAULTS = {
    "promtool": (
        ("check", "rules", "--lint=all", "--lint-fatal"),
        "groups: [{name: a, rulez: []}]",
    ),
    "amtool": (("check-config",), "route: {receiver: nobody}\nreceivers: [{name: oncall}]\n"),
    "nvidia-config": (("device-plugin",), "version: v1\nsharing: {timeSlicing: {replicaz: 2}}\n"),
    "kueue-config": ((), "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nx: 1\n"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_tool_refuses_what_is_wrong(
    name: str, tool: Callable[[str], Tool], tmp_path: Path
) -> None:
    arguments, text = FAULTS[name]
    (tmp_path / "wrong.yaml").write_text(text, encoding="utf-8")
    assert tool(name).tried(*arguments, tmp_path / "wrong.yaml").returncode != 0
