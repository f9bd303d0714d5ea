"""New files: all of them or none, and never over another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpupolicy.deliver.create import create_files
from gpupolicy.deliver.errors import UnwritableError


def test_files_are_written_with_their_folders(tmp_path: Path) -> None:
    create_files({str(tmp_path / "a" / "b.yaml"): "x: é\n", str(tmp_path / "c.yaml"): "y\n"})
    assert (tmp_path / "a" / "b.yaml").read_bytes() == "x: é\n".encode()
    assert (tmp_path / "c.yaml").read_bytes() == b"y\n"


def test_nothing_is_written_if_one_exists(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("mine")
    with pytest.raises(UnwritableError, match=r"c\.yaml' exists and is not overwritten"):
        create_files({str(tmp_path / "a.yaml"): "", str(tmp_path / "c.yaml"): ""})
    assert os.listdir(tmp_path) == ["c.yaml"]
    assert (tmp_path / "c.yaml").read_text() == "mine"


def test_what_was_written_before_a_failure_is_taken_back(tmp_path: Path) -> None:
    with pytest.raises(UnwritableError, match="cannot write"):
        create_files({str(tmp_path / "a.yaml"): "", str(tmp_path / ("x" * 300)): ""})
    assert os.listdir(tmp_path) == []
