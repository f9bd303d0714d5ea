"""Files, folders and standard input as sources."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from gpupolicy.deliver.errors import UnreadableError
from gpupolicy.deliver.read import read_sources
from gpupolicy.source.load import MAX_BYTES
from gpupolicy.source.load import SourceText


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(path: str, text: str = "a: b\n") -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def _names(paths: list[str]) -> list[str]:
    return [source.name for source in read_sources(paths)]


def test_files_in_the_order_given_as_bytes() -> None:
    _write("b.yaml")
    Path("a.txt").write_bytes(b"\xff\r\n")
    assert read_sources(["b.yaml", "./a.txt"]) == [
        SourceText("b.yaml", b"a: b\n"),
        SourceText("a.txt", b"\xff\r\n"),
    ]


def test_a_folder_is_all_its_yaml_files_by_path() -> None:
    for name in ("z.yaml", "a.yml", "sub/m.yaml", "sub/deep/a.yaml", "README.md", "x.json"):
        _write(f"p/{name}")
    for hidden in (".a.yaml", ".git/b.yaml", "sub/.c.yml"):
        _write(f"p/{hidden}")
    assert _names(["p/"]) == ["p/a.yml", "p/sub/deep/a.yaml", "p/sub/m.yaml", "p/z.yaml"]


def test_a_mounted_config_map_is_read_through_its_links() -> None:
    _write("mount/..2026_01_01/policy.yaml")
    os.symlink("..2026_01_01", "mount/..data")
    os.symlink("..data/policy.yaml", "mount/policy.yaml")
    assert read_sources(["mount"]) == [SourceText("mount/policy.yaml", b"a: b\n")]


def test_a_folder_without_yaml_is_refused() -> None:
    Path("empty").mkdir()
    _write("hidden/.a.yaml")
    for folder in ("empty", "hidden"):
        with pytest.raises(UnreadableError, match=f"the folder '{folder}' has no"):
            read_sources([folder])


def test_a_link_to_a_folder_above_is_refused() -> None:
    _write("p/a.yaml")
    os.symlink("..", "p/loop")
    with pytest.raises(UnreadableError, match="is a link to one that contains it"):
        read_sources(["p"])


def test_links_that_lead_nowhere_are_refused() -> None:
    os.symlink("b.yaml", "a.yaml")
    os.symlink("a.yaml", "b.yaml")
    os.symlink("gone.yaml", "c.yaml")
    with pytest.raises(UnreadableError, match=r"cannot read 'a.yaml': Too many levels"):
        read_sources(["a.yaml"])
    with pytest.raises(UnreadableError, match=r"cannot read 'c.yaml': No such file"):
        read_sources(["c.yaml"])


@pytest.mark.parametrize("path", ["gone.yaml", "gone/a.yaml", "", "a\0b", "x" * 300])
def test_what_is_not_there_is_refused(path: str) -> None:
    with pytest.raises(UnreadableError):
        read_sources([path])


def test_what_is_no_plain_file_is_refused_without_waiting() -> None:
    os.mkfifo("pipe.yaml")
    for path in ("pipe.yaml", "/dev/zero", "/dev/null"):
        with pytest.raises(UnreadableError, match="is not a plain file"):
            read_sources([path])
    with pytest.raises(UnreadableError, match=r"'./pipe.yaml' is not a plain file"):
        read_sources(["."])


def test_reading_stops_one_byte_over_the_limit_of_all_files() -> None:
    for name in ("a.yaml", "b.yaml", "c.yaml"):
        with open(name, "wb") as file:
            file.truncate(MAX_BYTES - 10)
    sizes = [len(source.text) for source in read_sources(["a.yaml", "b.yaml", "c.yaml"])]
    assert sizes == [MAX_BYTES - 10, 11]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    _write("a.yaml")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xffx")))
    assert read_sources(["a.yaml", "-"])[1] == SourceText("<stdin>", b"\xffx")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UnreadableError, match="standard input is closed"):
        read_sources(["-"])
