"""What the tests of this room share: a policy's first lines, and loading from plain texts."""

from __future__ import annotations

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Span
from gpupolicy.source.document import Document
from gpupolicy.source.load import SourceText
from gpupolicy.source.load import load

POLICY = "apiVersion: gpupolicy.dev/v1alpha1\nkind: GPUClusterPolicy\n"
TENANT = "apiVersion: gpupolicy.dev/v1alpha1\nkind: GPUTenant\n"

Texts = tuple[str | bytes, ...]


def load_texts(
    *texts: str | bytes, overlays: Texts = ()
) -> tuple[Document | None, list[Diagnostic]]:
    """Load `a.yaml`, `b.yaml`, ... with overlays `x.yaml`, `y.yaml`, ..."""
    return load(_sources("abcdefgh", texts), _sources("xyz", overlays))


def _sources(names: str, texts: Texts) -> list[SourceText]:
    return [
        SourceText(f"{name}.yaml", text if isinstance(text, bytes) else text.encode())
        for name, text in zip(names, texts, strict=False)
    ]


def document(*texts: str | bytes, overlays: Texts = ()) -> Document:
    loaded, found = load_texts(*texts, overlays=overlays)
    assert found == []
    assert loaded is not None
    return loaded


def spec_of(text: str) -> object:
    """Load a policy whose `spec:` is the text, and give the data under it."""
    return document(POLICY + "spec:\n" + text).data["spec"]


def findings(*texts: str | bytes, overlays: Texts = ()) -> list[Diagnostic]:
    return load_texts(*texts, overlays=overlays)[1]


def finding(*texts: str | bytes, overlays: Texts = ()) -> Diagnostic:
    """Load texts that have exactly one thing wrong."""
    found = findings(*texts, overlays=overlays)
    assert len(found) == 1, found
    return found[0]


def place(span: Span | None) -> tuple[str, int, int]:
    assert span is not None
    return span.file, span.line, span.column


def written(loaded: Document, span: Span | None) -> str:
    """Give the text that stands at a span."""
    assert span is not None
    lines = loaded.texts[span.file].split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)
