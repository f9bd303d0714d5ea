"""Dispatch, exit codes and streams of the command as a process."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gpupolicy
from gpupolicy.cli import main as cli
from gpupolicy.cli.arguments import parser_of
from gpupolicy.cli.main import VERBS
from tests.cli.command import ARGUMENTS
from tests.cli.command import BLUEPRINTS
from tests.cli.command import ROOT
from tests.cli.command import environment
from tests.cli.command import imported
from tests.cli.command import run

LAB = os.path.join(BLUEPRINTS, "lab.yaml")


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Give a folder with `policy.yaml`, the lab with one unknown key."""
    with open(LAB, encoding="utf-8") as file:
        (tmp_path / "policy.yaml").write_text(file.read().replace("gpusPerNode", "gpuPerNode"))
    return tmp_path


@pytest.mark.parametrize("spelling", ["version", "--version", "-V"])
def test_version(spelling: str) -> None:
    done = run(spelling)
    assert (done.code, done.out, done.err) == (0, f"gpupolicy {gpupolicy.__version__}\n", "")


def test_help_goes_to_standard_output() -> None:
    done = run("--help")
    assert done.code == 0
    assert all(name in done.out for name, _ in VERBS)
    assert done.err == ""


@pytest.mark.parametrize("verb", [name for name, _ in VERBS])
def test_every_verb_has_help(verb: str) -> None:
    done = run(verb, "--help")
    assert done.code == 0
    assert f"usage: gpupolicy {verb}" in done.out
    assert str(parser_of(verb).description) in done.out


def test_without_a_verb_the_usage_goes_to_standard_error() -> None:
    done = run()
    assert (done.code, done.out) == (2, "")
    assert done.err == cli.usage()


def test_an_unknown_verb_is_a_usage_error_with_a_suggestion() -> None:
    done = run("validat")
    assert (done.code, done.out) == (2, "")
    assert done.err == "gpupolicy: there is no verb 'validat'; did you mean 'validate'?\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("validate",),
        ("validate", LAB, "--no-such-option"),
        ("validate", LAB, "--stric"),
        ("validate", LAB, "--date", "tomorrow"),
        ("validate", LAB, "--date", "2027-02-31"),
        ("validate", LAB, "-o", "yaml"),
        ("compile", LAB, "--target", "no-such-target"),
        ("completion", "tcsh"),
        ("explain", "GP999"),
        ("init",),
        ("init", "no-such-blueprint"),
    ],
)
def test_a_wrong_command_line_is_code_2_and_says_so_on_standard_error(
    arguments: tuple[str, ...],
) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "gpupolicy" in done.err
    assert "Traceback" not in done.err


def test_a_format_of_a_later_version_is_refused_by_its_name() -> None:
    done = run("validate", LAB, "-o", "sarif")
    assert done.code == 2
    assert "'sarif' is not available in this version; use text or json" in done.err


def test_a_good_policy_is_code_0_and_nothing_on_standard_output() -> None:
    done = run("validate", LAB)
    assert (done.code, done.out) == (0, "")


def test_a_bad_policy_is_code_1_and_its_findings_are_the_output(broken: Path) -> None:
    done = run("validate", "policy.yaml", cwd=broken)
    assert (done.code, done.err) == (1, "")
    assert "error[GP101]: " in done.out
    assert "--> policy.yaml:10:44\n" in done.out
    assert "^^^^^^^^^^" in done.out
    assert done.out.endswith("found 1 error\n")


def test_compile_shows_findings_on_standard_error_and_writes_nothing(broken: Path) -> None:
    done = run("compile", "policy.yaml", "--out", "deploy", cwd=broken)
    assert (done.code, done.out) == (1, "")
    assert "error[GP101]: " in done.err
    assert not (broken / "deploy").exists()


@pytest.mark.parametrize("missing", ["no-such.yaml", "no-such-folder/"])
def test_input_that_is_not_there_is_code_2(tmp_path: Path, missing: str) -> None:
    done = run("validate", missing, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "No such file or directory" in done.err


def test_a_folder_without_policies_is_code_2(tmp_path: Path) -> None:
    assert run("validate", str(tmp_path)).code == 2


def test_a_policy_comes_from_standard_input() -> None:
    with open(LAB, "rb") as file:
        assert run("validate", "-", stdin=file.read()).code == 0


def test_a_bad_policy_from_standard_input_is_quoted() -> None:
    done = run("validate", "-", stdin=b"spec: [1,\n")
    assert done.code == 1
    assert "--> <stdin>:" in done.out


def test_strict_lets_warnings_count(tmp_path: Path) -> None:
    with open(LAB, encoding="utf-8") as file:
        text = file.read().replace("nodes: 1,", "nodes: 1,  # gpupolicy: ignore[GP301]\n     ")
    (tmp_path / "policy.yaml").write_text(text)
    lax = run("validate", "policy.yaml", cwd=tmp_path)
    strict = run("validate", "policy.yaml", "--strict", cwd=tmp_path)
    assert "warning[GP05" in lax.out
    assert (lax.code, strict.code) == (0, 1)
    assert lax.out == strict.out


def test_a_date_decides_whether_a_suppression_has_ended(tmp_path: Path) -> None:
    comment = "# gpupolicy: ignore[GP051] for the test until=2027-03-01"
    with open(LAB, encoding="utf-8") as file:
        (tmp_path / "policy.yaml").write_text(f"{comment}\n{file.read()}")
    before = run("validate", "policy.yaml", "--date", "2027-03-01", cwd=tmp_path)
    after = run("validate", "policy.yaml", "--date", "2027-03-02", cwd=tmp_path)
    assert "GP052" not in before.out
    assert "warning[GP052]: this suppression ended on 2027-03-01" in after.out


def test_json_findings_are_an_array_also_where_nothing_is_found(broken: Path) -> None:
    import json

    good = run("validate", LAB, "-o", "json")
    bad = run("validate", "policy.yaml", "-o", "json", cwd=broken)
    assert json.loads(good.out) == []
    assert [one["code"] for one in json.loads(bad.out)] == ["GP101"]


def test_output_is_utf_8_in_any_locale(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("名: 1\n", encoding="utf-8")
    runs = [
        run("validate", "policy.yaml", cwd=tmp_path, LC_ALL=locale, PYTHONIOENCODING=encoding)
        for locale, encoding in (("C", "ascii"), ("C.UTF-8", "utf-8"), ("POSIX", "latin-1"))
    ]
    assert "名: 1" in runs[0].out
    assert len({done.out for done in runs}) == 1


def in_terminal(*arguments: str, **changes: str) -> str:
    """Run with a terminal as standard output and give what it shows."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*ARGUMENTS, *arguments],
        stdin=follower,
        stdout=follower,
        stderr=subprocess.DEVNULL,
        env=environment(TERM="xterm", **changes),
    ) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:  # Linux: nobody holds the other end any more
                break
            if not chunk:
                break
            shown += chunk
        process.wait(timeout=60)
    os.close(leader)
    return shown.decode()


def test_colour_is_for_terminals(broken: Path) -> None:
    policy = str(broken / "policy.yaml")
    assert "\x1b[1;31merror" in in_terminal("validate", policy)
    assert "\x1b" not in run("validate", policy).out


def test_no_color_and_force_color_are_honoured(broken: Path) -> None:
    policy = str(broken / "policy.yaml")
    assert "\x1b" not in in_terminal("validate", policy, NO_COLOR="1")
    assert "\x1b[1;31merror" in run("validate", policy, FORCE_COLOR="1").out
    assert "\x1b" not in run("validate", policy, FORCE_COLOR="1", NO_COLOR="1").out
    assert "\x1b[1;31merror" in in_terminal("validate", policy, NO_COLOR="")


def test_a_reader_that_goes_away_is_no_failure() -> None:
    with subprocess.Popen(
        [*ARGUMENTS, "catalog", "-o", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


def test_a_reader_that_goes_away_does_not_change_the_verdict(broken: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*ARGUMENTS, "validate", str(broken / "policy.yaml")],
        stdout=write,
        stderr=subprocess.PIPE,
        env=environment(),
        timeout=60,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_a_full_disk_is_never_a_success() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*ARGUMENTS, "catalog"], stdout=full, stderr=subprocess.PIPE, env=environment()
        )
    assert done.returncode == 2
    assert done.stderr == (b"gpupolicy: cannot write to standard output: No space left on device\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_help_on_a_full_disk_is_never_a_success() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*ARGUMENTS, "validate", "--help"],
            stdout=full,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
    assert done.returncode == 2


def test_closed_streams_are_survived() -> None:
    script = 'exec "$@" >&- 2>&-'
    done = subprocess.run(["sh", "-c", script, "sh", *ARGUMENTS, "catalog"], env=environment())
    assert done.returncode == 2


@pytest.mark.parametrize("wrong", [["-o", "\x1b[31mz"], ["--bog\x1b[31m"], ["--bog\x07"]])
def test_a_wrong_command_line_is_shown_harmless(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["validate", LAB, *wrong]) == 2
    error = capsys.readouterr().err
    assert error.replace("\n", "").isprintable()
    assert "\\x" in error


def test_an_interrupt_is_code_130_without_a_traceback(tmp_path: Path) -> None:
    """The command waits for standard input when the interrupt comes."""
    with subprocess.Popen(
        [*ARGUMENTS, "validate", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        # A shell ignores the interrupt for what it runs in the background, and children inherit it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        status = f"/proc/{process.pid}/wchan"
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and "pipe" not in _read(status):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (out, err) == (b"", b"gpupolicy: interrupted\n")


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return ""


def test_a_bug_of_ours_is_code_3_with_a_report_to_paste(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import gpupolicy.cli.validate

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("boom \x1b[2J")

    monkeypatch.setattr(gpupolicy.cli.validate, "check_policy", fail)
    assert cli.main(["validate", LAB]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0] == "error[GP900]: gpupolicy itself failed"
    assert lines[-1] == "RuntimeError: boom \\x1b[2J"
    assert any(line.startswith("  gpupolicy/cli/main.py:") for line in lines)
    assert f"gpupolicy {gpupolicy.__version__}, Python " in err
    assert "Traceback" not in err
    assert ROOT not in "".join(line for line in lines if not line.startswith("arguments:"))


def test_version_imports_next_to_nothing() -> None:
    """The budget is four empty interpreters; what costs is imports, so these are counted."""
    ours = {name for name in imported("version") if name.startswith("gpupolicy")}
    heavy = {"argparse", "re", "typing", "dataclasses", "enum", "json", "pathlib"}
    assert ours == {
        "gpupolicy",
        "gpupolicy.cli",
        "gpupolicy.cli.exits",
        "gpupolicy.cli.main",
        "gpupolicy.cli.output",
        "gpupolicy.deliver",
        "gpupolicy.deliver.errors",
    }
    assert not heavy & (imported("version") - imported_by_python())


FORBIDDEN = (
    "difflib",
    "gpupolicy.all_targets",
    "gpupolicy.plan",
    "gpupolicy.targets",
    "jinja2",
    "jsonschema",
    "json",
    "kubernetes",
    "logging",
    "ruamel",
    "subprocess",
    "unittest",
)


def test_validate_imports_nothing_that_it_does_not_need() -> None:
    found = imported("validate", LAB)
    wrong = {
        name
        for name in found
        for other in FORBIDDEN
        if name == other or name.startswith(f"{other}.")
    }
    assert wrong <= imported_by_python("importlib.metadata")
    assert "gpupolicy.checks" in found, "validate did not run the checks"


def imported_by_python(module: str = "this") -> set[str]:
    """List what `runpy`, the site hooks of this environment and a module import anyway.

    pydantic imports `importlib.metadata`, which imports json since Python 3.13.
    """
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", f"import runpy, {module}"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
