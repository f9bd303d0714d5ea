"""What the command knows: `explain`, `catalog`, `schema`, `completion`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest

from gpupolicy.all_targets import TARGETS
from gpupolicy.capacity.placement import feasible_layouts
from gpupolicy.cli import blueprint
from gpupolicy.cli.main import VERBS
from gpupolicy.diagnostics.codes import CODES
from gpupolicy.facts.catalog import facts
from tests.cli.command import run


def test_explain_prints_the_manual_page() -> None:
    done = run("explain", "gp051", "suppression-expired")
    assert done.code == 0
    assert done.out.startswith("GP051 suppression-unused (warning): ")
    assert "\n\nGP052 suppression-expired (warning): " in done.out
    assert "Remove the code" in done.out


def test_explain_without_a_code_lists_all() -> None:
    rows = run("explain").out.splitlines()[1:]
    assert [row.split()[0] for row in rows] == list(CODES)


def test_explain_suggests_the_nearest_code() -> None:
    done = run("explain", "supression-unused")
    assert (done.code, done.out) == (2, "")
    assert "did you mean 'suppression-unused'?" in done.err


def test_catalog_lists_every_model() -> None:
    rows = run("catalog").out.splitlines()[1:]
    assert [row.split()[0].lower() for row in rows] == list(facts().names())


def test_catalog_shows_every_feasible_layout_once() -> None:
    done = run("catalog", "a30")
    mig = facts().load("a30").mig
    assert mig is not None
    layouts = feasible_layouts(mig)
    shown = [line for line in done.out.splitlines() if line.startswith("  {")]
    written = ["  {" + ", ".join(f"{k}: {n}" for k, n in one.items()) + "}" for one in layouts]
    assert sorted(shown) == sorted(written)
    assert f"Layouts: {len(layouts)} fit, " in done.out


def test_catalog_names_sources_and_marks_what_is_unconfirmed() -> None:
    done = run("catalog", "A100-SXM4-80GB")
    model = facts().load("a100-sxm4-80gb")
    assert all(f"  {source}\n" in done.out for source in model.sources)
    assert "9728?" in done.out
    assert "Not confirmed by any source" in done.out


def test_catalog_says_what_tells_the_models_of_a_loose_name_apart() -> None:
    done = run("catalog", "a100")
    assert done.code == 0
    assert "'a100' stands for 4 models, which differ:\n  memory 40960 or 81920 MiB\n" in done.out


def test_catalog_merges_models_that_agree() -> None:
    done = run("catalog", "a100-80gb")
    assert "stands for      A100-SXM4-80GB, A100-80GB-PCIE\n" in done.out


def test_catalog_suggests_the_nearest_model() -> None:
    done = run("catalog", "a100-sxm4-81gb")
    assert (done.code, done.out) == (2, "")
    assert "did you mean" in done.err
    assert "A100-SXM4-80GB" in done.err


def test_catalog_for_programs_has_every_layout_with_its_placement() -> None:
    (model,) = json.loads(run("catalog", "h100-sxm5-80gb", "-o", "json").out)
    layouts = model["mig"]["layouts"]
    assert {"profiles": {"3g.40gb": 2}, "starts": {"3g.40gb": [0, 4]}, "full": True} in layouts
    assert {"profiles": {"3g.40gb": 1}, "starts": {"3g.40gb": [0]}, "full": False} in layouts
    assert model["sources"]


@pytest.mark.parametrize("model_id", facts().names())
def test_every_model_has_a_page(model_id: str) -> None:
    from gpupolicy.cli.catalog_text import page_text

    page = page_text(facts().find(model_id))
    assert page.startswith(model_id.upper())
    assert "\nSources\n" in page


def test_schema_is_a_json_schema() -> None:
    done = run("schema")
    assert done.code == 0
    jsonschema.Draft7Validator.check_schema(json.loads(done.out))


def test_completion_knows_verbs_options_and_values() -> None:
    for shell in ("bash", "zsh", "fish"):
        text = run("completion", shell).out
        words = [name for name, _ in VERBS] + [*TARGETS, *blueprint.names(), *CODES]
        assert [word for word in words if word not in text] == []
        assert "overlay" in text


def completed_by_bash(script: Path, *words: str) -> list[str]:
    line = " ".join(f"'{word}'" for word in words)
    text = (
        f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; "
        '_gpupolicy 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, timeout=60)
    return done.stdout.split()


def completed_by_fish(script: Path, *words: str) -> list[str]:
    text = f"source {script}; complete -C '{' '.join(words)}'"
    done = subprocess.run(["fish", "-c", text], capture_output=True, text=True, timeout=60)
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


COMPLETIONS = [
    (("gpupolicy", "val"), ["validate"]),
    (("gpupolicy", "compile", "--target", "ku"), ["kueue"]),
    (("gpupolicy", "init", "la"), ["lab"]),
    (("gpupolicy", "validate", "-o", "j"), ["json"]),
    (("gpupolicy", "completion", "z"), ["zsh"]),
    (("gpupolicy", "explain", "GP90"), ["GP900"]),
    (("gpupolicy", "catalog", "A100-PCIE"), ["A100-PCIE-40GB"]),
]


@pytest.mark.tools
@pytest.mark.parametrize("shell", ["bash", "fish"])
@pytest.mark.parametrize(("words", "expected"), COMPLETIONS)
def test_a_real_shell_completes(
    tmp_path: Path, shell: str, words: tuple[str, ...], expected: list[str]
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(run("completion", shell).out)
    complete = {"bash": completed_by_bash, "fish": completed_by_fish}[shell]
    assert complete(script, *words) == expected


@pytest.mark.tools
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_real_shell_reads_the_script(tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(run("completion", shell).out)
    done = subprocess.run([shell, "-n", os.fspath(script)], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
