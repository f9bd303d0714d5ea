"""Any bytes as input give findings and an exit code of the contract, never a traceback."""

from __future__ import annotations

import os
import random
import resource
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import example
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from gpupolicy.cli import main as cli
from tests.cli.command import ARGUMENTS
from tests.cli.command import BLUEPRINTS
from tests.cli.command import environment
from tests.cli.command import run

POLICIES = sorted(
    os.path.join(folder, file)
    for folder, _, files in os.walk(BLUEPRINTS)
    for file in files
    if "overlays" not in folder and "tenants" not in folder
)
HEAD = b"apiVersion: gpupolicy.dev/v1alpha1\nkind: GPUClusterPolicy\nmetadata: {name: x}\nspec:\n"
MEBIBYTE = 1 << 20


def filled(head: bytes, line: str, tail: bytes = b"") -> bytes:
    """Repeat a line, which may number itself, up to a mebibyte."""
    lines, size, number = [head], len(head), 0
    while size < MEBIBYTE - len(tail) - 100:
        lines.append(line.replace("@", str(number)).encode())
        size += len(lines[-1])
        number += 1
    return b"".join([*lines, tail])


PLATFORM = b'  platform: {kubernetes: "1.34"}\n'
POOL = PLATFORM + b"  nodePools: [{name: p, gpu: L4, nodes: 9, gpusPerNode: 8}]\n"
LARGE = {
    "noise": random.Random(1).randbytes(MEBIBYTE),
    "nul": b"\0" * MEBIBYTE,
    "one-key": HEAD + b"  " + b"x" * MEBIBYTE + b": 1\n",
    "one-value": HEAD + b"  guardRails: " + b"x" * MEBIBYTE,
    "one-number": HEAD + b"  nodePools: [{name: p, nodes: " + b"9" * MEBIBYTE + b"}]\n",
    "wide-characters": HEAD + ("  " + "名" * 340_000 + ": 1\n").encode(),
    "deep-lists": b"[" * MEBIBYTE,
    "deep-maps": b"{a: " * (MEBIBYTE // 4),
    "alias-bomb": filled(b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", "k@: [*c, *c]\n"),
    "same-key": filled(HEAD, "  a: 1\n"),
    "unknown-keys": filled(HEAD, "  key@: 1\n"),
    "empty-pools": filled(HEAD + b"  nodePools:\n", "    - {}\n"),
    "unknown-gpus": filled(
        HEAD + b"  nodePools:\n", "    - {name: p@, gpu: H9@, nodes: 1, gpusPerNode: 1}\n"
    ),
    "impossible-mig": filled(
        HEAD + PLATFORM + b"  nodePools:\n",
        "    - {name: p@, gpu: A100-SXM4-80GB, nodes: 1, gpusPerNode: 8,"
        " sharing: {mig: {1g.10gb: 6, 2g.20gb: 3, 3g.40gb: 3}}}\n",
    ),
    "unknown-profiles": filled(
        HEAD + PLATFORM + b"  nodePools: [{name: p, gpu: A100-SXM4-80GB,"
        b" nodes: 1, gpusPerNode: 8, sharing: {mig: {",
        "7g.@gb: 1, ",
        b"}}}]\n",
    ),
    "tenants-on-no-pool": filled(
        HEAD + POOL + b"  tenants:\n",
        "    - {name: t@, namespaces: [n@], quotas: [{pool: q, guaranteed: 3}]}\n",
    ),
    "tenants-in-a-row": filled(
        HEAD + POOL + b"  tenants:\n    - {name: t0}\n", "    - {name: t@0, parent: t@}\n"
    ),
    "suppressions": filled(HEAD, "# gpupolicy: ignore[GP301] x until=2020-01-01\n"),
    "documents": filled(b"", "---\nkind: GPUTenant\n"),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_mebibyte_of_anything_is_answered_soon_and_in_bounded_memory(
    name: str, tmp_path: Path
) -> None:
    """The bound of two seconds is taken in processor time, since tests run beside others."""
    (tmp_path / "policy.yaml").write_bytes(LARGE[name])
    with subprocess.Popen(
        [*ARGUMENTS, "compile", "policy.yaml", "--out", "deploy"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        shown = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 1, shown[-2000:]
    assert "error[GP" in shown
    assert usage.ru_utime + usage.ru_stime < 4 * yardstick()
    assert usage.ru_maxrss < 500 * 1024
    assert not (tmp_path / "deploy").exists()


def yardstick() -> float:
    """Take the processor time of a run on a small policy: half a second where two are the bound."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert run("validate", os.path.join(BLUEPRINTS, "lab.yaml")).code == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return max(spent, 0.5)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"---\n",
        b"\xef\xbb\xbf",
        b"\xff\xfe\0",
        b"\t",
        b"%YAML 9.9\n---\n",
        b"!!python/object/apply:os.system ['true']",
        b"&a [*a]",
        b"? [a]\n: b\n",
        b"'\x1b]0;x\x07'",
        b"{apiVersion: gpupolicy.dev/v1alpha1, kind: GPUClusterPolicy}",
        b"a: 1\r\nb: 2\rc: '\x85'\n",
        "‮".encode(),
    ],
)
def test_small_oddities_are_answered_by_the_command(data: bytes) -> None:
    done = run("validate", "-", stdin=data)
    assert done.code == 1
    assert done.err == ""
    assert "error[GP" in done.out
    assert all(one.isprintable() or one == "\n" for one in done.out)


def answer(data: bytes, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Validate and compile some bytes in this process; give what was said."""
    policy = folder / "policy.yaml"
    policy.write_bytes(data)
    said = ""
    for arguments in (["validate", str(policy)], ["compile", str(policy)]):
        code = cli.main(arguments)
        shown = capsys.readouterr()
        said = shown.out if arguments[0] == "validate" else shown.err
        assert code in (0, 1, 2), said
        assert "Traceback" not in said
    return said


QUICK = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@QUICK
@given(st.binary(max_size=400))
@example(b"spec: {nodePools: [{}]}")
def test_any_bytes_are_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes
) -> None:
    answer(data, tmp_path, capsys)


WORDS = [
    "0",
    "-1",
    "1",
    "7",
    "1e3",
    "99999999999",
    "null",
    "true",
    "''",
    "[]",
    "{}",
    "[{}]",
    "50%",
    "1.5",
    "30s",
    "4Gi",
    "gpu",
    "nvidia.com/gpu",
    "a b",
    "*",
    "x" * 70,
    "é",
]


@st.composite
def mutants(draw: st.DrawFn) -> bytes:
    """Take a blueprint and change a few of its lines and words."""
    with open(draw(st.sampled_from(POLICIES)), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        kind = draw(st.sampled_from(["drop", "twice", "word", "word", "word", "cut", "swap"]))
        if kind == "drop" and len(lines) > 1:
            del lines[at]
        elif kind == "twice":
            lines.insert(at, lines[at])
        elif kind == "cut":
            lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
        elif kind == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        elif lines[at].strip():
            old = draw(
                st.sampled_from(lines[at].replace("{", " ").replace("}", " ").split() or [""])
            )
            lines[at] = lines[at].replace(old.rstrip(",:"), draw(st.sampled_from(WORDS)), 1)
    return "\n".join(lines).encode()


@QUICK
@given(mutants())
def test_a_mutated_blueprint_is_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes
) -> None:
    answer(data, tmp_path, capsys)
