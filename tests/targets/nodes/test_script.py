"""The script, run by a real shell with a `kubectl` that writes down what it is told."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import TaintPlan
from gpupolicy.targets.nodes import emit
from gpupolicy.targets.nodes.script import quoted
from tests.targets import plans
from tests.targets.written import texts

# Answers `get nodes` with a node, or with none for selectors that name `nobody`.
KUBECTL = """#!/bin/sh
printf '%s|' "$@" >> "$LOG"
printf '\\n' >> "$LOG"
case "$*" in
  *broken*) exit 1 ;;
  *nobody*) ;;
  *get*) echo node/gpu-1 ;;
esac
"""


def script_of(*pools: object) -> str:
    plan: Plan = plans.plan(pools=pools)
    return texts(emit(plan))["label-nodes.sh"]


def selected(name: str, **selector: str) -> object:
    return plans.pool(
        name, node=plans.node(name, way="script", selector=selector, taints=[plans.BARE_TAINT])
    )


def run(
    folder: Path, script: str, *arguments: str
) -> tuple[subprocess.CompletedProcess[str], list[list[str]]]:
    log = folder / "log"
    log.write_text("")
    for name, text in (("kubectl", KUBECTL), ("label-nodes.sh", script)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "LOG": str(log)}
    done = subprocess.run(
        [str(folder / "label-nodes.sh"), *arguments],
        env=environment,
        capture_output=True,
        text=True,
    )
    return done, [line.split("|")[:-1] for line in log.read_text().splitlines()]


def test_sets_labels_and_taints_by_selector(tmp_path: Path) -> None:
    done, calls = run(tmp_path, script_of(selected("dev", pool="dev")), "--context", "a b")
    assert done.returncode == 0, done.stderr
    context = ["--context", "a b"]
    assert calls == [
        [*context, "get", "nodes", "-l", "pool=dev", "-o", "name"],
        [*context, "label", "nodes", "-l", "pool=dev", "gpupolicy.dev/pool=dev", "--overwrite"],
        [*context, "taint", "nodes", "-l", "pool=dev", "dedicated=ml:NoSchedule", "--overwrite"],
    ]


def test_a_dry_run_prints_the_commands_and_runs_none(tmp_path: Path) -> None:
    done, calls = run(
        tmp_path, script_of(selected("dev", pool="dev")), "--dry-run", "--context", "c"
    )
    assert calls == []
    words = [shlex.split(line) for line in done.stdout.splitlines()]
    assert [line[:4] for line in words] == [
        ["kubectl", "--context", "c", "label"],
        ["kubectl", "--context", "c", "taint"],
    ]
    assert words[0][4:] == ["nodes", "-l", "pool=dev", "gpupolicy.dev/pool=dev", "--overwrite"]


def test_nodes_with_names_need_no_question(tmp_path: Path) -> None:
    nodes = plans.node(
        way="script", names=["gpu-1", "gpu-2"], taints=[TaintPlan("spot", "", "NoExecute")]
    )
    done, calls = run(tmp_path, script_of(plans.pool(node=nodes)))
    assert done.returncode == 0
    assert calls == [
        ["label", "nodes", "gpu-1", "gpu-2", "gpupolicy.dev/pool=train", "--overwrite"],
        ["taint", "nodes", "gpu-1", "gpu-2", "spot:NoExecute", "--overwrite"],
    ]


def test_a_selector_that_finds_nobody_is_said_and_the_others_go_on(tmp_path: Path) -> None:
    done, calls = run(
        tmp_path, script_of(selected("none", pool="nobody"), selected("dev", pool="dev"))
    )
    assert done.returncode == 0
    assert done.stderr == "pool 'none': no node has pool=nobody\n"
    assert [call[0] for call in calls] == ["get", "get", "label", "taint"]


def test_a_failure_is_the_exit_code_and_the_others_go_on(tmp_path: Path) -> None:
    done, calls = run(
        tmp_path, script_of(selected("bad", pool="broken"), selected("dev", pool="dev"))
    )
    assert done.returncode == 1
    assert [call[0] for call in calls] == ["get", "get", "label", "taint"]


def test_nodes_of_a_rule_are_known_by_the_pool(tmp_path: Path) -> None:
    pool = plans.pool(node=plans.node(taints=[plans.TAINT, plans.BARE_TAINT]))
    _, calls = run(tmp_path, script_of(pool))
    assert calls[1:] == [
        [
            "taint",
            "nodes",
            "-l",
            "gpupolicy.dev/pool=train",
            "dedicated=ml:NoSchedule",
            "--overwrite",
        ]
    ]


def test_a_patched_pool_gets_its_taints_here(tmp_path: Path) -> None:
    pool = plans.pool(node=plans.node(way="patches", names=["gpu-1"], taints=[plans.TAINT]))
    _, calls = run(tmp_path, script_of(pool))
    assert calls == [
        ["taint", "nodes", "gpu-1", "nvidia.com/gpu=present:NoSchedule", "--overwrite"]
    ]


def test_a_model_is_found_by_all_that_feature_discovery_may_call_it(tmp_path: Path) -> None:
    long = "NVIDIA-" + "X" * 50
    gpu = plans.gpu(product_labels=("NVIDIA-A30", long))
    cut = plans.mig("single", **{"1g.6gb+me": 1})
    _, calls = run(tmp_path, script_of(plans.pool(gpu=gpu, mig=cut, node=plans.node(way="script"))))
    names = ["NVIDIA-A30", "NVIDIA-A30-SHARED", "NVIDIA-A30-MIG-1g.6gb.me"]
    names += ["NVIDIA-A30-MIG-1g.6gb.me-SHARED", "NVIDIA-A30-MIG-INVALID", long]
    assert calls[1][3] == f"nvidia.com/gpu.product in ({', '.join(names)})"


@pytest.mark.parametrize("text", ["", "a b", "it's", "$(id)", "`id`", '"', "\\", "*", "-n", "a\nb"])
def test_quoted_text_is_one_word_and_means_nothing(text: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"printf '%s' {quoted(text)}"], capture_output=True, text=True, check=True
    )
    assert done.stdout == text


@pytest.mark.tools
def test_shellcheck_finds_nothing(tmp_path: Path) -> None:
    shellcheck = shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("shellcheck is not installed")
    path = tmp_path / "label-nodes.sh"
    named = plans.pool("named", node=plans.node("named", way="script", names=["gpu-1"]))
    path.write_text(script_of(selected("dev", pool="dev"), named))
    done = subprocess.run([shellcheck, str(path)], capture_output=True, text=True)
    assert done.stdout == ""
    assert done.returncode == 0
