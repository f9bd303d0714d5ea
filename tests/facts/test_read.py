"""Data files are found wherever the package lies, also inside an archive."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import gpupolicy
from gpupolicy.facts.read import source_texts
from gpupolicy.facts.read import text_of


def test_from_a_zip_archive(tmp_path: Path) -> None:
    archive = tmp_path / "gpupolicy.zip"
    root = Path(gpupolicy.__file__).parent
    with zipfile.ZipFile(archive, "w") as packed:
        for path in [root / "__init__.py", *sorted((root / "facts").rglob("*"))]:
            if path.is_file() and path.suffix in {".py", ".yaml", ".tsv"}:
                packed.write(path, Path("gpupolicy") / path.relative_to(root))
    code = (
        "from gpupolicy.facts.catalog import facts; import gpupolicy.facts.read as read;"
        "assert '.zip' in read.__file__;"
        "model = facts().find('A100-80GB').model();"
        "print(model.memory_mib, len(model.sources), facts().cluster_policy_spec('1.0'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(archive), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.split()[0] == "81920"
    assert done.stdout.split()[2] == "None"


def test_a_missing_file_and_an_unknown_source() -> None:
    with pytest.raises(OSError):
        text_of("gpus/none.yaml")
    with pytest.raises(KeyError):
        source_texts(("Z9",))


def test_every_data_file_is_text_with_unix_line_ends() -> None:
    folder = Path(gpupolicy.__file__).parent / "facts"
    files = [path for path in folder.rglob("*") if path.suffix in {".yaml", ".tsv"}]
    assert len(files) > 60
    for path in files:
        data = path.read_bytes()
        assert b"\r" not in data
        assert b"\t" not in data or path.suffix == ".tsv"
        assert data.endswith(b"\n")
        assert data.isascii(), path
