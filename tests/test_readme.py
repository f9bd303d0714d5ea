"""README tells the truth: its console blocks are run, and print what stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def blocks() -> list[str]:
    return _BLOCK.findall(README.read_text())


def steps(block: str) -> list[tuple[str, str]]:
    """Split a block into commands (`$ ...`) and what each prints."""
    found: list[tuple[str, str]] = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].rstrip("\n"), ""))
        else:
            command, printed = found[-1]
            found[-1] = (command, printed + line)
    return found


def run(command: str, folder: Path) -> str:
    env = {
        **os.environ,
        "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"],
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout if done.stdout.endswith("\n") or not done.stdout else done.stdout + "\n"


def test_the_session_is_real(tmp_path, request):
    text = README.read_text()
    ran = 0
    for block in blocks():
        printed = "".join(f"$ {command}\n{run(command, tmp_path)}" for command, _ in steps(block))
        if request.config.getoption("--golden-update", False):
            text = text.replace(f"```console\n{block}```", f"```console\n{printed}```")
        else:
            assert printed == block
        ran += len(steps(block))
    README.write_text(text)
    assert ran >= 5


def test_every_blueprint_is_listed():
    text = README.read_text()
    names = {path.stem if path.is_file() else path.name for path in (ROOT / "blueprints").iterdir()}
    assert names
    missing = {name for name in names if f"`{name}`" not in text and not name.endswith("params")}
    assert missing == set()


def test_every_local_link_leads_somewhere():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README.read_text())
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_two_commands_are_in_the_makefile():
    text = README.read_text()
    makefile = (ROOT / "Makefile").read_text()
    for verb in ("demo", "test"):
        assert f"make {verb}" in text
        assert re.search(rf"^{verb}:", makefile, re.M)
    assert shutil.which("make")
