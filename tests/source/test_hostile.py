"""Files made to hurt: 1 MiB of each must be answered in two seconds and 500 MiB."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gpupolicy.source.load import SourceText
from gpupolicy.source.load import load
from tests.measured import run_measured
from tests.source.loading import POLICY
from tests.source.loading import TENANT

MEBIBYTE = 1 << 20
SPEC = POLICY + "spec:\n"


def fill(text: str) -> str:
    return text * (MEBIBYTE // len(text.encode()))


def numbered(text: str) -> str:
    count = MEBIBYTE // (len(text) + 5)
    return "".join(text.replace("N", str(i)) for i in range(count))


BOMB = "a0: &a0 [x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30)
)
HOSTILE = {
    "brackets": fill("["),
    "brackets, line by line": fill("[\n"),
    "braces": fill("{"),
    "nested maps": fill("{a: "),
    "nested items": fill("- "),
    "nested items, line by line": "".join(" " * i + "-\n" for i in range(1400)),
    "question marks": fill("? "),
    "empty lists": SPEC + " a: [" + fill("[],") + "]",
    "empty maps": SPEC + " a: [" + fill("{},") + "]",
    "small maps": SPEC + " a: [" + fill("{a},") + "]",
    "pairs": SPEC + " a: [" + fill("a: b,") + "]",
    "towers": SPEC + " a: [" + fill("[" * 97 + "]" * 97 + ",") + "]",
    "items": SPEC + " a: [" + fill("a,") + "]",
    "nulls": SPEC + " a: [" + fill("~,") + "]",
    "block items": SPEC + fill("- a\n"),
    "keys": SPEC + numbered("  kN: 1\n"),
    "the same key": SPEC + fill("  a: 1\n"),
    "a long key": "a" * MEBIBYTE + ": 1",
    "a long quoted key": '"' + "a" * MEBIBYTE + '": 1',
    "a long explicit key": "? " + "a" * MEBIBYTE + "\n: 1",
    "a long text": SPEC + "  a: " + "x" * MEBIBYTE,
    "a text of many lines": SPEC + "  a: " + fill("x\n   "),
    "a quoted text of many lines": SPEC + '  a: "' + fill("x\n   ") + '"',
    "a block of many lines": SPEC + "  a: |\n" + fill("   x\n"),
    "escapes": SPEC + '  a: "' + fill("\\u0041") + '"',
    "documents": fill("---\n"),
    "text documents": fill("--- a\n"),
    "foreign documents": fill("apiVersion: v1\n---\n"),
    "tenants": SPEC + "---\n" + fill(TENANT + "metadata: {name: a}\n---\n"),
    "unnamed tenants": SPEC + "---\n" + fill(TENANT + "---\n"),
    "a tenant of unknown keys": SPEC + "---\n" + TENANT + numbered("kindN: 1\n"),
    "policies": fill(POLICY + "---\n"),
    "alias bomb": BOMB,
    "alias chain": "a0: &a0 []\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 40_000)),
    "anchors": numbered("- &aN b\n"),
    "undefined aliases": numbered("- &aN b\n")[: MEBIBYTE // 2] + "\n" + fill("- *bcd\n"),
    "aliases": "- &a b\n" + fill("- *a\n"),
    "merge keys": SPEC + "  a: &a {x: 1}\n  b:\n" + fill("    <<: *a\n"),
    "maps of merge keys": SPEC + "  a: &a {x: 1}\n  b:\n" + fill("    - <<: *a\n"),
    "tags": SPEC + "  a: [" + fill("!x a,") + "]",
    "directives": numbered("%TAG !aN! b\n") + "--- a",
    "unknown directives": fill("%A b\n"),
    "ampersands": fill("&a "),
    "quotation marks": fill('"'),
    "apostrophes": fill("'"),
    "bars": fill("|\n"),
    "tabs": fill("\t"),
    "blanks": fill(" "),
    "empty lines": fill("\n"),
    "comments": fill("#\n"),
    "suppressions": SPEC + fill("  # gpupolicy: ignore[GP312] x\n"),
    "suppressions in a block": SPEC + "  a: |\n" + fill("    # gpupolicy: ignore[GP312]\n"),
    "colons": fill(": "),
    "complex keys": SPEC + fill("  ? [a]\n  : 1\n"),
    "patches": SPEC + "  a:\n" + fill("    - {$patch: x}\n"),
    "named items": SPEC + "  nodePools: [" + numbered("{name: N},") + "]",
    "NUL": fill("\0"),
    "not UTF-8": "\udcff" * MEBIBYTE,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_answered_in_time(name: str) -> None:
    data = HOSTILE[name].encode("utf-8", "surrogateescape")
    began = time.process_time()
    document, found = load([SourceText("a.yaml", data)])
    assert document is not None or found
    if document is not None:
        assert isinstance(document.suppressions, list)
        assert document.digest_input
    assert len(found) <= 100
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "overlay",
    [
        "spec: {nodePools: [" + numbered("{name: N},") + "]}",
        "spec: {nodePools: [" + numbered("{name: xN, $patch: delete},") + "]}",
        "spec: {nodePools: [" + fill("{name: 1},") + "]}",
        "spec: {nodePools: [" + fill("{},") + "]}",
        fill("spec: {a: 1}\n---\n"),
        BOMB,
    ],
)
def test_hostile_overlays_are_answered_in_time(overlay: str) -> None:
    base = SPEC + "  nodePools: [" + numbered("{name: N},") + "]"
    began = time.process_time()
    document, found = load(
        [SourceText("a.yaml", base.encode())], [SourceText("x.yaml", overlay.encode())]
    )
    assert document is not None or found
    assert len(found) <= 100
    assert time.process_time() - began < 4  # 1 MiB twice


def _peak_of(text: str, file: Path) -> int:
    """Give the peak memory in bytes of a process that loads the text."""
    file.write_text(text)
    code = (
        "import sys; from gpupolicy.source.load import SourceText, load\n"
        "load([SourceText('a', open(sys.argv[1], 'rb').read())])"
    )
    return run_measured(code, str(file)).peak


@pytest.mark.parametrize("name", ["small maps", "pairs", "towers", "keys", "alias bomb"])
def test_hostile_files_stay_within_memory(name: str, tmp_path: Path) -> None:
    assert _peak_of(HOSTILE[name], tmp_path / "a.yaml") < 500 * MEBIBYTE


@pytest.mark.parametrize("entry", ["[{}]", "{{{}}}"])
def test_a_list_or_map_has_a_limit_of_entries(entry: str) -> None:
    def found(count: int) -> list[str]:
        text = entry.format(", ".join(f"k{number}" for number in range(count)))
        _, found = load([SourceText("a.yaml", f"spec: {text}\n".encode())])
        return [one.message for one in found if one.code == "GP019"]

    assert found(100_000) == []
    assert found(100_001) == ["100,001 entries > 100,000 that a list or map may have"]
