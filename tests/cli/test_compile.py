"""`compile`: the tree, the stream, the numbers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml

from gpupolicy.all_targets import TARGETS
from gpupolicy.cli.tree import tree
from tests.cli.command import BLUEPRINTS
from tests.cli.command import run

LAB = os.path.join(BLUEPRINTS, "lab.yaml")
ORG = os.path.join(BLUEPRINTS, "org-tree")


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_the_stream_holds_every_object_of_the_tree(tmp_path: Path) -> None:
    stream = run("compile", ORG)
    tree = run("compile", ORG, "--out", "deploy", cwd=tmp_path)
    assert (stream.code, tree.code, tree.out) == (0, 0, "")
    written = [
        yaml.safe_load((tmp_path / "deploy" / path).read_text())
        for path in files_below(tmp_path / "deploy")
        if path.endswith(".yaml") and "/" in path and not path.startswith("files/")
    ]
    streamed = list(yaml.safe_load_all(stream.out))

    def by_name(one: dict[str, object]) -> str:
        return repr((one["apiVersion"], one["kind"], one["metadata"]))

    assert sorted(streamed, key=by_name) == sorted(written, key=by_name)
    assert len(streamed) > 20


def test_what_is_not_in_the_stream_is_said(tmp_path: Path) -> None:
    done = run("compile", LAB)
    assert done.code == 0
    assert "not part of the stream; --out DIR writes" in done.err


def test_the_summary_shows_the_tree_and_the_numbers(tmp_path: Path) -> None:
    done = run("compile", ORG, "--out", "deploy", "--summary", cwd=tmp_path)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "deploy/"
    assert "└── manifest.lock" in lines
    (pool,) = [line.split() for line in lines if line.startswith("h100 ")]
    assert pool == ["h100", "H100-SXM5-80GB", "32", "gpu", "81559", "8", "256", "8", "240", "8"]
    rows = [line.split() for line in lines[lines.index("") :]]
    assert ["perception", "h100", "gpu", "120", "200"] in rows
    assert ["lidar", "h100", "gpu", "40", "96"] in rows


def test_the_numbers_of_a_pool_add_up() -> None:
    done = run("compile", os.path.join(BLUEPRINTS, "field-five-pools.yaml"), "--summary")
    head = "POOL "
    lines = done.err[done.err.index(head) :].split("\n\n")[0].splitlines()[1:]
    assert len(lines) > 5
    for line in lines:
        total, reserve, guaranteed, spare = map(int, line.split()[-4:])
        assert total == reserve + guaranteed + spare


def test_a_stream_keeps_the_summary_out_of_the_data() -> None:
    plain = run("compile", LAB)
    done = run("compile", LAB, "--summary")
    assert done.out == plain.out
    assert "POOL" in done.err


def test_a_second_run_writes_nothing(tmp_path: Path) -> None:
    run("compile", LAB, "--out", "deploy", cwd=tmp_path)
    done = run("compile", LAB, "--out", "deploy", "--summary", cwd=tmp_path)
    assert "\n0 written, " in done.out


def test_files_of_others_are_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "kustomization.yaml").write_text("mine")
    done = run("compile", LAB, "--out", "deploy", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "error[GP701]: " in done.err
    assert (tmp_path / "deploy" / "kustomization.yaml").read_text() == "mine"
    assert run("compile", LAB, "--out", "deploy", "--force", cwd=tmp_path).code == 0


def test_one_target_alone(tmp_path: Path) -> None:
    done = run("compile", ORG, "--target", "kueue", "--out", "deploy", cwd=tmp_path)
    assert done.code == 0
    folders = {path.split("/")[0] for path in files_below(tmp_path / "deploy") if "/" in path}
    assert folders == {"kueue", "files"}


def test_a_part_does_not_remove_the_rest(tmp_path: Path) -> None:
    assert run("compile", ORG, "--out", "all", cwd=tmp_path).code == 0
    before = {
        name: (tmp_path / "all" / name).read_bytes() for name in files_below(tmp_path / "all")
    }
    part = run("compile", ORG, "--out", "all", "--target", "kueue", cwd=tmp_path)
    assert part.code == 1
    assert "error[GP709]" in part.err
    assert "in 'all' of targets other than kueue would be removed" in part.err
    assert {name: (tmp_path / "all" / name).read_bytes() for name in before} == before
    forced = run("compile", ORG, "--out", "all", "--target", "kueue", "--force", cwd=tmp_path)
    assert forced.code == 0
    assert {name.partition("/")[0] for name in files_below(tmp_path / "all")} < {
        "kueue",
        "files",
        "kustomization.yaml",
        "manifest.lock",
        ".gitattributes",
    }


def test_a_part_keeps_its_own_folder_up_to_date(tmp_path: Path) -> None:
    overlay = tmp_path / "o.yaml"
    overlay.write_text("spec: {tenants: [{name: lidar, $patch: delete}]}\n")
    args = ("--out", "part", "--target", "kueue")
    assert run("compile", ORG, *args, cwd=tmp_path).code == 0
    lidar = {name for name in files_below(tmp_path / "part") if "lidar" in name}
    assert lidar
    again = run("compile", ORG, *args, "--overlay", "o.yaml", cwd=tmp_path)
    assert again.code == 0, again.err
    assert not lidar & files_below(tmp_path / "part")
    # Another part would remove the first; more than the first does not, and neither does all.
    other = run("compile", ORG, "--out", "part", "--target", "tenancy", cwd=tmp_path)
    assert "error[GP709]" in other.err
    for more in (("--target", "kueue", "--target", "tenancy"), ()):
        assert run("compile", ORG, "--out", "part", *more, cwd=tmp_path).code == 0
    assert "only" not in json.loads((tmp_path / "part" / "manifest.lock").read_text())


def test_a_target_of_which_nothing_follows_is_an_error_not_an_empty_success() -> None:
    done = run("compile", LAB, "--target", "volcano")
    assert (done.code, done.out) == (1, "")
    assert "error[GP750]: nothing follows from this policy" in done.err


def test_an_unknown_target_is_refused_with_the_names_there_are() -> None:
    done = run("compile", LAB, "--target", "slurm")
    assert done.code == 2
    assert all(name in done.err for name in TARGETS)


def test_what_no_target_writes_yet_is_refused_and_named(tmp_path: Path) -> None:
    with open(LAB, encoding="utf-8") as file:
        text = file.read().replace("{timeSlicing: 4, rename: false}", "{passthrough: true}")
    (tmp_path / "policy.yaml").write_text(text)
    done = run("compile", "policy.yaml", "--out", "deploy", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "error[GP500]: 'passthrough' in pool 'lab'" in done.err
    assert not (tmp_path / "deploy").exists()
    assert run("validate", "policy.yaml", cwd=tmp_path).code == 0


def test_an_overlay_changes_the_output() -> None:
    base = os.path.join(BLUEPRINTS, "environments", "base")
    overlay = os.path.join(BLUEPRINTS, "environments", "overlays", "prod.yaml")
    plain, laid_over = run("compile", base), run("compile", base, "--overlay", overlay)
    assert (plain.code, laid_over.code) == (0, 0)
    assert plain.out != laid_over.out


@pytest.mark.parametrize(("seed", "locale"), [("0", "C"), ("1", "C.UTF-8"), ("4711", "POSIX")])
def test_the_bytes_do_not_depend_on_hash_seed_or_locale(seed: str, locale: str) -> None:
    done = run("compile", ORG, PYTHONHASHSEED=seed, LC_ALL=locale)
    assert done.out == run("compile", ORG, PYTHONHASHSEED="2").out


def test_a_tree_shortens_long_folders_and_says_by_how_much() -> None:
    paths = [f"a/{number:02}.yaml" for number in range(40)] + ["b.yaml", "a/x/y.yaml"]
    assert tree("out/", paths).splitlines() == [
        "out/",
        "├── a/",
        "│   ├── x/",
        "│   │   └── y.yaml",
        *(f"│   ├── {number:02}.yaml" for number in range(11)),
        "│   └── ... and 29 more",
        "└── b.yaml",
    ]


def test_strict_writes_nothing_for_a_warning(tmp_path: Path) -> None:
    with open(LAB, encoding="utf-8") as file:
        (tmp_path / "policy.yaml").write_text(file.read().replace("Slicing: 4", "Slicing: 1"))
    arguments = ("compile", "policy.yaml", "--out", "deploy")
    strict = run(*arguments, "--strict", cwd=tmp_path)
    assert (strict.code, strict.out) == (1, "")
    assert "warning[GP306]: " in strict.err
    assert not (tmp_path / "deploy").exists()
    assert run(*arguments, cwd=tmp_path).code == 0
    assert (tmp_path / "deploy" / "manifest.lock").exists()


@pytest.mark.parametrize("out", ["policy", "policy/deploy", "link/deploy", "policy/../policy/a/b"])
def test_output_is_not_written_where_policy_is_read(tmp_path: Path, out: str) -> None:
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "lab.yaml").write_text(Path(LAB).read_text())
    (tmp_path / "link").symlink_to("policy")
    done = run("compile", "policy", "--out", out, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert f"the output '{out}' would lie in 'policy'" in done.err
    assert files_below(tmp_path / "policy") == {"lab.yaml"}


def test_output_may_lie_beside_policy(tmp_path: Path) -> None:
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "lab.yaml").write_text(Path(LAB).read_text())
    for policy, out in (("policy", "policy-out"), ("policy/lab.yaml", "policy/out")):
        assert run("compile", policy, "--out", out, cwd=tmp_path).code == 0
