"""What becomes of an output folder."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpupolicy.deliver import write
from gpupolicy.deliver.folder import Folder
from gpupolicy.deliver.lock import JOURNAL
from gpupolicy.deliver.lock import LOCK
from gpupolicy.deliver.lock import LockHeader
from gpupolicy.deliver.lock import digest
from gpupolicy.deliver.lock import format_lock
from gpupolicy.deliver.write import WriteResult
from gpupolicy.deliver.write import write_stream
from gpupolicy.deliver.write import write_tree
from gpupolicy.manifest.model import Bundle
from gpupolicy.manifest.model import PlainFile
from gpupolicy.manifest.model import bundle
from tests.deliver.trees import HEADER
from tests.deliver.trees import content
from tests.deliver.trees import thing
from tests.deliver.trees import tree

QUEUE = "kueue/clusterqueue-product.yaml"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def _write(made: Bundle, out: Path, *, force: bool = False) -> WriteResult:
    return write_tree(made, str(out), HEADER, force=force)


def _codes(result: WriteResult) -> list[str]:
    return [found.code for found in result.diagnostics]


def _fresh(made: Bundle, tmp_path: Path, name: str) -> dict[str, bytes]:
    folder = tmp_path / name
    assert _write(made, folder).diagnostics == []
    return content(folder)


def test_a_new_folder_gets_everything_and_a_lock_of_it(out: Path) -> None:
    result = _write(tree("product"), out / "deep" / "down")
    files = content(out / "deep" / "down")
    assert result.diagnostics == []
    assert sorted(result.written) == sorted(files.keys() - {LOCK})
    digests = {path: digest(data) for path, data in files.items() if path != LOCK}
    assert files[LOCK] == format_lock(HEADER, digests)


def test_a_second_run_touches_nothing(out: Path) -> None:
    _write(tree("product"), out)
    before = {path: path.stat() for path in out.rglob("*")}
    result = _write(tree("product"), out)
    assert (result.written, result.removed, result.diagnostics) == ([], [], [])
    assert len(result.unchanged) == len(content(out)) - 1
    after = {path: path.stat() for path in out.rglob("*")}
    assert [s.st_mtime_ns for s in after.values()] == [s.st_mtime_ns for s in before.values()]
    assert [s.st_ino for s in after.values()] == [s.st_ino for s in before.values()]


def test_a_new_tenant_touches_its_files_and_the_index_only(out: Path) -> None:
    _write(tree("product"), out)
    result = _write(tree("product", "research"), out)
    assert sorted(result.written) == [
        "kueue/clusterqueue-research.yaml",
        "kueue/localqueue-research-ns-research.yaml",
        "kustomization.yaml",
    ]
    assert result.removed == []


def test_what_is_no_longer_made_is_removed_with_its_empty_folders(
    out: Path, tmp_path: Path
) -> None:
    _write(tree("product", "research"), out)
    (out / "kueue" / "README.md").write_text("mine")
    made = bundle([thing("Queue", "a", target="volcano")])
    result = _write(made, out)
    assert len(result.removed) == 7
    left = content(out)
    assert left.pop("kueue/README.md") == b"mine"
    assert left == _fresh(made, tmp_path, "fresh")
    assert not (out / "files").exists()


def test_a_file_that_the_user_deleted_comes_back(out: Path) -> None:
    _write(tree("product"), out)
    (out / QUEUE).unlink()
    assert _write(tree("product"), out).written == [QUEUE]
    (out / QUEUE).unlink()
    assert _write(tree(), out).diagnostics == []


def test_a_changed_header_changes_the_lock_alone(out: Path) -> None:
    _write(tree("product"), out)
    before = content(out)
    result = write_tree(tree("product"), str(out), LockHeader("0.2.0", "sha256:bb", {}))
    assert result.written == []
    after = content(out)
    assert {path for path in after if after[path] != before[path]} == {LOCK}


def test_scripts_can_be_run(out: Path) -> None:
    _write(tree(), out)
    script = out / "files/nodes/label.sh"
    assert script.stat().st_mode & stat.S_IXUSR
    assert not (out / "files/values.yaml").stat().st_mode & stat.S_IXUSR
    script.chmod(0o644)
    assert _write(tree(), out).written == ["files/nodes/label.sh"]
    assert script.stat().st_mode & stat.S_IXUSR


def test_files_that_are_not_ours_are_not_overwritten(out: Path) -> None:
    (out / "kueue").mkdir(parents=True)
    (out / QUEUE).write_text("mine")
    (out / "kustomization.yaml").write_text("mine too")
    (out / "README.md").write_text("not in the way")
    before = content(out)
    result = _write(tree("product"), out)
    assert _codes(result) == ["GP701"]
    (found,) = result.diagnostics
    assert found.message == f"2 files in '{out}' not written by gpupolicy would be overwritten"
    assert found.notes == (QUEUE, "kustomization.yaml")
    assert result.written == []
    assert content(out) == before
    assert _write(tree("product"), out, force=True).diagnostics == []
    assert content(out)["README.md"] == b"not in the way"
    assert _write(tree("product"), out).written == []


def test_a_file_equal_to_what_we_would_write_is_adopted(out: Path) -> None:
    _write(tree("product"), out)
    (out / LOCK).unlink()
    result = _write(tree("product"), out)
    assert (result.written, result.diagnostics) == ([], [])
    assert (out / LOCK).exists()
    assert sorted(_write(tree(), out).removed) == [
        QUEUE,
        "kueue/localqueue-product-ns-product.yaml",
    ]


def test_files_changed_by_hand_are_neither_overwritten_nor_removed(out: Path) -> None:
    _write(tree("product", size=1), out)
    (out / QUEUE).write_text("changed")
    for made in (tree("product", size=1), tree("product", size=2), tree(size=2)):
        before = content(out)
        result = _write(made, out)
        assert _codes(result) == ["GP702"]
        (found,) = result.diagnostics
        assert found.message == f"1 file in '{out}' was changed by hand"
        assert found.notes == (QUEUE,)
        assert content(out) == before
    assert _write(tree(size=2), out, force=True).diagnostics == []
    assert not (out / QUEUE).exists()


def test_only_the_first_of_many_files_are_listed(out: Path) -> None:
    names = [f"t{number:02}" for number in range(12)]
    made = bundle([thing("Cohort", name) for name in names])
    _write(made, out)
    for name in names:
        (out / f"kueue/cohort-{name}.yaml").write_text("changed")
    (found,) = _write(made, out).diagnostics
    assert found.notes[9:] == ("kueue/cohort-t09.yaml", "and 2 more")


@pytest.mark.parametrize(
    "text", ["<<<<<<< ours\n", '{"lockVersion": 9, "files": {}}', '{"files": {"../x": "y"}}', "[]"]
)
def test_a_lock_that_cannot_be_read_stops_the_run(out: Path, text: str) -> None:
    _write(tree("product"), out)
    (out / LOCK).write_text(text)
    before = content(out)
    result = _write(tree("research"), out)
    assert _codes(result) == ["GP703"]
    assert f"'{out}/manifest.lock' is not a lock: " in result.diagnostics[0].message
    assert content(out) == before
    assert _write(tree("product"), out, force=True).diagnostics == []
    assert _write(tree("product"), out).diagnostics == []


@pytest.mark.parametrize("force", [False, True])
def test_a_link_never_leads_outside(out: Path, tmp_path: Path, force: bool) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "clusterqueue-product.yaml").write_text("theirs")
    before = content(outside)
    for place, target in (
        ("kueue", outside),
        (QUEUE, outside / "clusterqueue-product.yaml"),
        (QUEUE, outside / "new.yaml"),
        ("files/nodes", outside / "deep"),
        (LOCK, outside / "lock"),
        (JOURNAL, outside / "journal"),
    ):
        link = out / place
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
        result = _write(tree("product"), out, force=force)
        assert _codes(result) == ["GP704"], place
        assert result.written == []
        assert content(outside) == before
        link.unlink()
    assert _write(tree("product"), out).diagnostics == []


def test_a_stale_path_behind_a_link_is_not_removed(out: Path, tmp_path: Path) -> None:
    _write(tree("product"), out)
    os.rename(out / "files", tmp_path / "elsewhere")
    (out / "files").symlink_to(tmp_path / "elsewhere")
    result = _write(bundle([thing("Cohort", "a")]), out)
    assert _codes(result) == ["GP704"]
    assert (tmp_path / "elsewhere" / "values.yaml").exists()


def test_a_temporary_name_that_is_a_link_is_replaced(out: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    (out / "kueue").mkdir(parents=True)
    for folder in (out, out / "kueue"):
        (folder / ".gpupolicy.tmp").symlink_to(victim)
    assert _write(tree("product"), out).diagnostics == []
    assert victim.read_text() == "theirs"
    assert not list(out.rglob(".gpupolicy.tmp"))


@pytest.mark.parametrize("place", ["kueue", "files/nodes", "files"])
def test_a_file_where_a_folder_is_due_is_refused(out: Path, place: str) -> None:
    (out / place).parent.mkdir(parents=True, exist_ok=True)
    (out / place).write_text("mine")
    result = _write(tree("product"), out)
    assert _codes(result) == ["GP704"]
    assert result.diagnostics[0].message == f"'{out}/{place}' is not a plain folder"


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
@pytest.mark.parametrize("place", [QUEUE, LOCK, "kustomization.yaml"])
def test_a_folder_or_pipe_where_a_file_is_due_is_refused(
    out: Path, place: str, make: Callable[[Path], None]
) -> None:
    (out / "kueue").mkdir(parents=True)
    make(out / place)
    assert _codes(_write(tree("product"), out, force=True)) == ["GP704"]


def test_the_folder_itself_may_be_a_link(out: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    out.symlink_to(tmp_path / "real")
    assert _write(tree("product"), out).diagnostics == []
    assert (tmp_path / "real" / QUEUE).exists()


def test_a_file_where_the_folder_is_due(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path / "file", tmp_path / "file" / "out", Path("/proc/gpupolicy")):
        result = _write(tree(), path)
        assert _codes(result) == ["GP705"]
        assert result.diagnostics[0].message.startswith(f"cannot read or write '{path}': ")


@pytest.mark.skipif(os.geteuid() != 0, reason="root gives its rights up to have none")
def test_a_folder_that_we_may_not_write(tmp_path_factory: pytest.TempPathFactory) -> None:
    import tempfile

    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        _refused_without_rights(Path(folder) / "new")
        _write(tree("product"), Path(folder) / "old")
        _refused_without_rights(Path(folder) / "old")


def _refused_without_rights(out: Path) -> None:
    os.seteuid(65534)
    try:
        result = _write(tree("product", size=2), out)
    finally:
        os.seteuid(0)
    assert _codes(result) == ["GP705"]
    assert "Permission denied" in result.diagnostics[0].message
    assert result.written == []


def test_a_full_disk_leaves_whole_files_and_a_second_run_finishes(
    out: Path, tmp_path: Path
) -> None:
    made = bundle(
        [thing("Cohort", "a"), PlainFile("t", "big.txt", "x" * 50_000), thing("Cohort", "b")]
    )
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        result = _write(made, out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert _codes(result) == ["GP705"]
    assert f"'{out}/files/big.txt': File too large" in result.diagnostics[0].message
    assert result.written == ["kueue/cohort-a.yaml", "kueue/cohort-b.yaml"]
    assert set(content(out)) == {"kueue/cohort-a.yaml", "kueue/cohort-b.yaml", JOURNAL}
    assert _write(made, out).diagnostics == []
    assert content(out) == _fresh(made, tmp_path, "fresh")


class Killed(BaseException):
    """The process is gone: nothing that it would still do happens."""


class Killer:
    """Lets a number of steps that change the disk happen, then none."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
        self.left = steps
        for name in ("write", "replace", "unlink", "mkdir", "rmdir", "open"):
            monkeypatch.setattr(os, name, self._stopped(name, getattr(os, name)))

    def _stopped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            if name == "open" and not arguments[1] & os.O_CREAT:
                return real(*arguments, **options)
            if self.left <= 0:
                if self.left == 0 and name == "write":
                    self.left -= 1
                    real(arguments[0], arguments[1][: len(arguments[1]) // 2])
                raise Killed
            self.left -= 1
            return real(*arguments, **options)

        return step


def test_killed_at_any_step_a_second_run_finishes_the_job(tmp_path: Path) -> None:
    """Old tree, run killed at step n, then either the same policy again or another one."""
    old, new, other = tree("a", "b", size=1), tree("b", "c", size=2), tree("d", size=3)
    expected = {id(new): _fresh(new, tmp_path, "new"), id(other): _fresh(other, tmp_path, "other")}
    steps = 0
    while True:
        outs = [(tmp_path / f"{steps}-{i}", after) for i, after in enumerate((new, other))]
        finished = [_killed_at(steps, old, new, out) for out, _ in outs]
        for out, after in outs:
            result = _write(after, out)
            assert result.diagnostics == [], steps
            assert content(out) == expected[id(after)], steps
        if all(finished):
            break
        steps += 1
    assert steps > 25


def _killed_at(steps: int, old: Bundle, new: Bundle, out: Path) -> bool:
    """Write `old`, then be killed at a step of writing `new`; True if it ended before."""
    _write(old, out)
    return _killed(steps, new, out)


def _killed(steps: int, new: Bundle, out: Path) -> bool:
    with pytest.MonkeyPatch.context() as monkeypatch:
        Killer(monkeypatch, steps)
        try:
            result = _write(new, out)
        except Killed:
            return False
    assert result.diagnostics == []
    return True


def test_killed_twice_by_different_policies(tmp_path: Path) -> None:
    old, new, other = tree("a", size=1), tree("b", "c", size=2), tree("c", "d", size=3)
    expected = _fresh(tree("e"), tmp_path, "expected")
    for first in range(0, 50, 7):
        for second in range(0, 50, 7):
            out = tmp_path / f"{first}-{second}"
            _killed_at(first, old, new, out)
            _killed(second, other, out)
            assert _write(tree("e"), out).diagnostics == []
            assert content(out) == expected


def test_whoever_looks_sees_whole_files(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At every step each file has its old content or its new one."""
    old, new = tree("a", "b", size=1), tree("b", "c", size=2)
    _write(new, out)
    legal = [content(out)]
    _write(old, out, force=True)
    legal.append(content(out))
    real = os.replace

    def looking(*arguments: Any, **options: Any) -> None:
        for path, data in content(out).items():
            if not path.endswith((".gpupolicy.tmp", JOURNAL)):
                assert data in [tree_.get(path) for tree_ in legal], path
        real(*arguments, **options)

    monkeypatch.setattr(os, "replace", looking)
    assert _write(new, out).diagnostics == []


def test_another_run_is_waited_for_and_then_refused(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "_PATIENCE", 0.1)
    with Folder(str(out)) as folder:
        assert folder.lock(0)
        assert _codes(_write(tree("a"), out)) == ["GP706"]
        assert content(out) == {}
    assert _write(tree("a"), out).diagnostics == []


RUN = """
import sys
from pathlib import Path
from tests.deliver.trees import HEADER, tree
from gpupolicy.deliver.write import write_tree
for size in range(5):
    made = tree(*(f"{sys.argv[2]}{n}" for n in range(20)), size=size)
    result = write_tree(made, sys.argv[1], HEADER)
    assert result.diagnostics == [], result.diagnostics
"""


def test_two_runs_at_once_leave_the_tree_of_the_last_one(out: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUN, str(out)]
    running = [subprocess.Popen([*command, name]) for name in ("a", "b")]
    assert [process.wait() for process in running] == [0, 0]
    last = [tree(*(f"{name}{n}" for n in range(20)), size=4) for name in ("a", "b")]
    assert content(out) in [_fresh(made, tmp_path, f"f{i}") for i, made in enumerate(last)]


def test_an_empty_result_is_never_written(out: Path) -> None:
    with pytest.raises(ValueError):
        _write(bundle([]), out)
    assert not out.exists()


def test_clashing_names_write_nothing(out: Path) -> None:
    made = bundle([PlainFile("t", "A", "a\n"), PlainFile("t", "a", "b\n")])
    assert _codes(_write(made, out)) == ["GP707"]
    assert not out.exists()


def test_a_stream_is_the_objects_in_the_order_of_applying() -> None:
    made = tree("product")
    text = "".join(write_stream(made))
    assert text.startswith("---\napiVersion: ")
    assert list(yaml.safe_load_all(text)) == [m.data for m in made.manifests]


def test_a_stream_is_never_empty() -> None:
    with pytest.raises(ValueError, match="no object"):
        list(write_stream(bundle([PlainFile("t", "a", "b\n")])))
