from __future__ import annotations

import pytest

from gpupolicy.diagnostics.model import Part
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Span
from tests.source.loading import POLICY
from tests.source.loading import TENANT
from tests.source.loading import document
from tests.source.loading import written

TEXT = """\
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata:
  name: "läb"
spec:
  empty:
  nodePools:
    - name: train
      gpu: &gpu H100   # comment
      sharing: {mig: {1g.10gb: 2}}   # comment
      nodes:
        - [a, b]

    - {name: dev, gpu: *gpu}
  tenants: []
"""


@pytest.mark.parametrize(
    ("path", "part", "text"),
    [
        (("kind",), "value", "GPUClusterPolicy"),
        (("kind",), "key", "kind"),
        (("metadata", "name"), "value", '"läb"'),
        (("metadata",), "key", "metadata"),
        (("metadata",), "value", 'name: "läb"'),
        (("spec", "empty"), "value", "empty"),
        (("spec", "nodePools", 0, "gpu"), "value", "&gpu H100"),
        (("spec", "nodePools", 1, "gpu"), "value", "*gpu"),
        (("spec", "nodePools", 0, "sharing"), "value", "{mig: {1g.10gb: 2}}"),
        (("spec", "nodePools", 0, "sharing", "mig", "1g.10gb"), "value", "2"),
        (("spec", "nodePools", 0, "sharing", "mig", "1g.10gb"), "key", "1g.10gb"),
        (("spec", "nodePools", 0, "nodes", 0, 1), "value", "b"),
        (("spec", "nodePools", 0, "nodes", 0, 1), "key", "b"),
        (("spec", "nodePools", 0, "nodes"), "value", "- [a, b]"),
        (("spec", "nodePools", 0), "key", "name: train"),
        (("spec", "nodePools", 1), "value", "{name: dev, gpu: *gpu}"),
        (("spec", "nodePools", 1), "key", "name: dev"),
        (("spec", "tenants"), "value", "[]"),
    ],
)
def test_every_key_value_and_item_has_its_place(path: Path, part: Part, text: str) -> None:
    loaded = document(TEXT)
    assert written(loaded, loaded.span_of(path, part)) == text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("spec", "nope"), "spec"),
        (("spec", "nope", "deeper", 3), "spec"),
        (("spec", "nodePools", 0, "nope"), "name: train"),
        (("spec", "nodePools", 7), "nodePools"),
        (("spec", "nodePools", -1), "nodePools"),
        (("spec", "nodePools", "name"), "nodePools"),
        (("spec", 0), "spec"),
        (("spec", "empty", "x"), "empty"),
        (("spec", "nodePools", 0, "gpu", "x"), "gpu"),
        (("spec", "tenants", 0), "tenants"),
        (("nope",), "apiVersion: gpupolicy.dev/v1alpha1"),
        ((), "apiVersion: gpupolicy.dev/v1alpha1"),
    ],
)
def test_what_is_missing_is_shown_at_the_key_around_it(path: Path, text: str) -> None:
    loaded = document(TEXT)
    assert written(loaded, loaded.span_of(path)) == text


def test_lines_and_columns_count_from_one_and_the_end_is_exclusive() -> None:
    assert document(TEXT).span_of(("metadata", "name")) == Span("a.yaml", 4, 9, 4, 14)
    assert document(TEXT).span_of(("spec", "nodePools"), "value") == Span("a.yaml", 8, 5, 14, 29)


def test_places_of_other_documents_and_files_are_right() -> None:
    tenant = f"# ö\n---\n{TENANT}metadata: {{name: x}}\nspec: {{weight: 3}}\n"
    loaded = document(TEXT, tenant, tenant.replace("x}", "y}"))
    assert loaded.span_of(("spec", "tenants", 0, "name")) == Span("b.yaml", 5, 18, 5, 19)
    assert loaded.span_of(("spec", "tenants", 1, "weight"), "key") == Span("c.yaml", 6, 8, 6, 14)
    assert loaded.span_of(("spec", "tenants", 1, "nope")) == Span("c.yaml", 5, 12, 5, 19)
    assert loaded.span_of(("kind",), "key") == Span("a.yaml", 2, 1, 2, 5)


def test_texts_are_by_file_name() -> None:
    loaded = document(TEXT.replace("\n", "\r\n"), TENANT + "metadata: {name: x}\n")
    assert list(loaded.texts) == ["a.yaml", "b.yaml"]
    assert loaded.texts["a.yaml"] == TEXT


def test_the_digest_is_of_what_is_meant() -> None:
    first = document(POLICY + "spec: {a: 1, b: [x, y]}\n").digest_input
    assert (
        document("# c\n" + POLICY + "spec:\n  b:\n  - 'x'\n  - y\n  a: 1\n").digest_input == first
    )
    assert document(POLICY + "spec: {a: 1, b: [y, x]}\n").digest_input != first
    assert document(POLICY + "spec: {a: 2, b: [x, y]}\n").digest_input != first
    assert document(POLICY + "spec: {a: , b: [x, y]}\n").digest_input != first
