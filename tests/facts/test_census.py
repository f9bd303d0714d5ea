"""No GPU name, MIG profile or metric name stands in the code: they are data, with their sources.

Docstrings, and the `examples=` of a schema, are documentation; what they name must exist.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpupolicy
from gpupolicy.facts.catalog import facts

ROOT = Path(gpupolicy.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))


def forbidden() -> re.Pattern[str]:
    known = facts()
    models = [known.load(name) for name in known.names()]
    names = {model.id for model in models} | {alias for m in models for alias in m.aliases}
    names |= {label for model in models for label in model.product_labels}
    names |= {key for key in known._index if len(known._index[key]) > 1}
    # Two letters in lower case are too common in other meanings; as they are printed they count.
    lower = {re.escape(name) for name in names if len(name) > 2}
    upper = {re.escape(name.upper()) for name in names}
    metrics = [r"DCGM_(?:FI|EXP)_\w*", r"vllm:\w+"]
    metrics += [re.escape(series.name) for series in known.metrics().series.values()]
    metrics += [re.escape(histogram.name) for histogram in known.metrics().histograms]
    words = sorted(lower | upper | set(metrics), key=len, reverse=True)
    profile = r"[1-7]g\.\d+gb(?:[+-][a-z.]+)?"
    return re.compile(rf"(?<![\w.-])(?:{profile}|{'|'.join(words)})(?![\w-])")


def documentation(tree: ast.Module) -> set[int]:
    """Return the ids of the constants that only document."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                found.add(id(first.value))
        if isinstance(node, ast.keyword) and node.arg == "examples":
            found |= {id(inner) for inner in ast.walk(node.value)}
    return found


def strings(tree: ast.Module, documenting: bool) -> Iterator[ast.Constant]:
    documents = documentation(tree)
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and (id(node) in documents) is documenting:
            yield node


PATTERN = forbidden()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_hardware_or_metric_name_in_code(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [
        f"{path.name}:{node.lineno}: {match[0]}"
        for node in strings(tree, documenting=False)
        for match in PATTERN.finditer(str(node.value))
    ]
    assert found == []


def test_examples_name_what_exists() -> None:
    known = facts()
    profiles = {p.name for n in known.names() if (m := known.load(n)).mig for p in m.mig.profiles}
    seen = []
    for path in SOURCES:
        for node in strings(ast.parse(path.read_text(encoding="utf-8")), documenting=True):
            seen += [match[0] for match in PATTERN.finditer(str(node.value))]
    assert seen
    gb = [name for name in seen if re.match(r"[1-7]g\.", name)]
    assert [name for name in gb if name not in profiles] == []


@pytest.mark.parametrize(
    "text",
    [
        "H100-SXM5-80GB",
        "a100-80gb",
        "NVIDIA-A10",
        "L4",
        "1g.10gb",
        "all of 1g.24gb+me.all",
        "DCGM_FI_DEV_GPU_UTIL",
        "kueue_pending_workloads",
        "vllm:time_to_first_token_seconds",
        "4090",
    ],
)
def test_the_census_sees(text: str) -> None:
    assert PATTERN.search(text)


@pytest.mark.parametrize("text", ["nvidia.com/gpu", "l4", "4096", "kueue.x-k8s.io", "1g", "10gb"])
def test_the_census_leaves_alone(text: str) -> None:
    assert not PATTERN.search(text)
