"""The phase `load`: the files of a policy, and of its overlays, become one document.

GP004 input-too-large
    All files of a policy together may have at most 8 MiB, about 250,000 lines. A larger input is
    nearly always a wrong file, such as a database dump in the policy's folder.

GP017 file-twice
    The same file is given twice, or an overlay lies in the policy's folder and is read as part of
    it too. Keep overlays outside of that folder.

GP020 file-empty
    A file of the policy has no document in it, only comments or nothing. If it was meant to be
    so, remove it; if not, its content was lost.

GP025 policy-missing
    No file has a document of kind `GPUClusterPolicy`. A policy has exactly one; `GPUTenant`
    documents add tenants to it.

GP026 policy-twice
    There are two documents of kind `GPUClusterPolicy`. A policy has exactly one: what differs
    between environments goes into overlays, what teams own into `GPUTenant` documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.model import Span
from gpupolicy.source.document import Document
from gpupolicy.source.kinds import POLICY
from gpupolicy.source.kinds import kind_of
from gpupolicy.source.overlay import Overlay
from gpupolicy.source.overlay import report_misplaced
from gpupolicy.source.places import Places
from gpupolicy.source.read import File
from gpupolicy.source.read import read
from gpupolicy.source.tenants import TENANT
from gpupolicy.source.tenants import policy_of
from gpupolicy.source.tenants import tenant_of
from gpupolicy.source.tenants import with_tenants
from gpupolicy.source.text import quote
from gpupolicy.source.text import readable

if TYPE_CHECKING:
    from gpupolicy.source.construct import Root

MAX_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SourceText:
    """One input file: its name as shown to users, and its content."""

    name: str
    text: bytes


def load(
    sources: Sequence[SourceText], overlays: Sequence[SourceText] = ()
) -> tuple[Document | None, list[Diagnostic]]:
    """Read all files into one document, with everything that is wrong with them.

    Without a document so much is missing that later findings would be consequences. Raises
    nothing, whatever the bytes are. At most 8 MiB in all.
    """
    found = _refuse([*sources, *overlays])
    if found:
        return None, found
    places = Places()
    files = [read(source.name, source.text, places) for source in sources]
    patches = [read(source.name, source.text, places) for source in overlays]
    for file in (*files, *patches):
        found += file.findings
    data = _assemble(files, places, found)
    if data is None or any(file.is_lossy for file in (*files, *patches)):
        return None, found
    return Document(_lay_over(data, patches, places, found), places), found


def quotable(sources: Sequence[SourceText]) -> dict[str, str]:
    """Give the texts of files, as far as they have any, to quote lines where there is no document.

    File name -> text, with the lines that the findings of `load` speak of.
    """
    return {source.name: readable(source.text) for source in sources}


def _refuse(sources: Sequence[SourceText]) -> list[Diagnostic]:
    seen: set[str] = set()
    size = 0
    for source in sources:
        start = Span(source.name, 1, 1, 1, 1)
        if source.name in seen:
            message = f"the file {quote(source.name)} is given twice"
            hint = "name it once; keep overlays outside the policy's folder"
            return [Diagnostic("GP017", message, hint=hint, span=start)]
        seen.add(source.name)
        size += len(source.text)
        if size > MAX_BYTES:
            message = f"the input has {size:,} bytes up to this file, more than {MAX_BYTES:,}"
            hint = "take out the files that are no part of the policy"
            return [Diagnostic("GP004", message, hint=hint, span=start)]
    return []


def _assemble(
    files: list[File], places: Places, found: list[Diagnostic]
) -> dict[str, object] | None:
    """Find the policy and add the tenants of other documents to it."""
    by_kind: dict[str | None, list[Root]] = {POLICY: [], TENANT: [], None: []}
    for root in (root for file in files for root in file.roots):
        by_kind[kind_of(root, places, found, partial=False)].append(root)
    built = [(root, tenant_of(root, places, found)) for root in by_kind[TENANT]]
    tenants = [(root, tenant) for root, tenant in built if tenant is not None]
    for file in files:
        report_misplaced(file.patches, places, found, in_overlay=False)
    policies = by_kind[POLICY]
    if policies:
        found += _repeated(policies, places)
        found += [_empty(file) for file in files if not file.roots and not file.is_lossy]
    elif not by_kind[None] and not any(file.is_lossy for file in files):
        found.append(_no_policy(files))
    data = policies[0].data if len(policies) == 1 else None
    return with_tenants(data, tenants, places) if isinstance(data, dict) else None


def _repeated(policies: list[Root], places: Places) -> list[Diagnostic]:
    first, *others = (places.first_span(root.data) for root in policies)
    message = f"there are {len(policies)} documents of kind '{POLICY}'"
    hint = "keep one; what differs between environments goes into an overlay"
    related = (Related("the first one", span=first),)
    return [Diagnostic("GP026", message, hint=hint, related=related, span=span) for span in others]


def _no_policy(files: list[File]) -> Diagnostic:
    hint = f"begin with 'apiVersion: gpupolicy.dev/v1alpha1' and 'kind: {POLICY}'"
    if not files:
        return Diagnostic("GP025", f"there is no file, so no '{POLICY}'", hint="name a policy file")
    names = ", ".join(quote(file.name) for file in files[:3])
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    message = f"there is no '{POLICY}' in {names}{more}"
    if not any(file.roots for file in files):
        message += ", which " + ("is empty" if len(files) == 1 else "are empty")
    return Diagnostic("GP025", message, hint=hint, span=Span(files[0].name, 1, 1, 1, 1))


def _empty(file: File) -> Diagnostic:
    return Diagnostic(
        "GP020",
        f"{quote(file.name)} has no document in it",
        severity=Severity.WARNING,
        hint="remove it, or restore what was in it",
        span=Span(file.name, 1, 1, 1, 1),
    )


def _lay_over(
    data: dict[str, object], files: list[File], places: Places, found: list[Diagnostic]
) -> dict[str, object]:
    overlay = Overlay(places, found)
    for file in files:
        for root in file.roots:
            patch = _patch_of(root, places, found)
            data = overlay.merge(data, patch) if patch else data
        left = {at: end for at, end in file.patches.items() if at not in overlay.handled}
        report_misplaced(left, places, found, in_overlay=True)
    return data


def _patch_of(root: Root, places: Places, found: list[Diagnostic]) -> dict[str, object] | None:
    """Give what a document of an overlay changes, in the form of a policy."""
    kind = kind_of(root, places, found, partial=True)
    if kind is None or not isinstance(root.data, dict):
        return None
    if kind == POLICY:
        rows = places.rows_of(root.data)
        kept = {key: root.data[key] for key in rows if key not in ("apiVersion", "kind")}
        places.record_map(kept, {key: rows[key] for key in kept})
        return kept
    tenant = tenant_of(root, places, found)
    return policy_of(root, tenant, places) if tenant else None
