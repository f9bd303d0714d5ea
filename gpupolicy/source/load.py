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
from gpupolicy.source.findings import Report
from gpupolicy.source.findings import Unreadable
from gpupolicy.source.kinds import API_VERSION
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

# What these speak of is not in the document: the second of two keys, a document or a part of one,
# a change by an overlay.
_LOSSES = frozenset(
    [
        "GP010",
        "GP021",
        "GP022",
        "GP023",
        "GP024",
        "GP027",
        "GP029",
        "GP030",
        "GP032",
        "GP034",
        "GP035",
    ]
)


@dataclass(frozen=True, slots=True)
class SourceText:
    """One input file: its name as shown to users, and its content."""

    name: str
    text: bytes


def load(
    sources: Sequence[SourceText], overlays: Sequence[SourceText] = ()
) -> tuple[Document | None, list[Diagnostic]]:
    """Read all files into one document, with everything that is wrong with them.

    Without a document so much is missing that later findings would be consequences; one that
    `is_incomplete` lacks only what some finding speaks of. Raises nothing, whatever the bytes
    are. At most 8 MiB in all.
    """
    report = Report(Places())
    try:
        return _load(sources, overlays, report), report.found
    except Unreadable as stop:
        return None, [*report.found, stop.finding]


def _load(
    sources: Sequence[SourceText], overlays: Sequence[SourceText], report: Report
) -> Document | None:
    _refuse([*sources, *overlays])
    files = [read(source.name, source.text, report.places) for source in sources]
    patches = [read(source.name, source.text, report.places) for source in overlays]
    for file in (*files, *patches):
        report.found += file.findings
    data = _assemble(files, report)
    if data is None or any(file.is_lossy for file in patches):
        return None
    merged = _lay_over(data, patches, report)
    if merged is None:
        return None
    lost = {found.code for found in report.found} & _LOSSES
    return Document(merged, report.places, bool(lost) or any(file.is_lossy for file in files))


def quotable(sources: Sequence[SourceText]) -> dict[str, str]:
    """Give the texts of files, as far as they have any, to quote lines where there is no document.

    File name -> text, with the lines that the findings of `load` speak of.
    """
    return {source.name: readable(source.text) for source in sources}


def _refuse(sources: Sequence[SourceText]) -> None:
    """Raise `Unreadable` where reading would be useless."""
    seen: set[str] = set()
    size = 0
    for source in sources:
        if source.name in seen:
            message = f"the file {quote(source.name)} is given twice"
            hint = "name it once; keep overlays outside the policy's folder"
            raise Unreadable(_about(source.name, "GP017", message, hint))
        seen.add(source.name)
        size += len(source.text)
        if size > MAX_BYTES:
            message = f"the input has {size:,} bytes up to this file, more than {MAX_BYTES:,}"
            hint = "take out the files that are no part of the policy"
            raise Unreadable(_about(source.name, "GP004", message, hint))


def _about(name: str, code: str, message: str, hint: str) -> Diagnostic:
    """Make a finding about a whole file."""
    return Diagnostic(code, message, hint=hint, span=Span(name, 1, 1, 1, 1))


def _assemble(files: list[File], report: Report) -> dict[str, object] | None:
    """Find the policy and add the tenants of other documents to it.

    Of a file of which something is lost nothing is taken, so that no tenant is half there.
    """
    by_kind: dict[str | None, list[Root]] = {POLICY: [], TENANT: [], None: []}
    lossy = {id(root) for file in files if file.is_lossy for root in file.roots}
    for root in (root for file in files for root in file.roots):
        by_kind[kind_of(root, report, partial=False)].append(root)
    built = [(root, tenant_of(root, report)) for root in by_kind[TENANT]]
    tenants = [(root, one) for root, one in built if one is not None and id(root) not in lossy]
    for file in files:
        report_misplaced(file.patches, report, in_overlay=False)
    policies = by_kind[POLICY]
    if policies:
        _report_repeated(policies, report)
        _report_empty(files, report)
    elif not by_kind[None] and not any(file.is_lossy for file in files):
        _report_missing(files, report)
    whole = len(policies) == 1 and id(policies[0]) not in lossy
    data = policies[0].data if whole else None
    return with_tenants(data, tenants, report.places) if isinstance(data, dict) else None


def _report_repeated(policies: list[Root], report: Report) -> None:
    if len(policies) == 1:
        return
    message = f"there are {len(policies)} documents of kind '{POLICY}'"
    hint = "keep one; what differs between environments goes into an overlay"
    related = (Related("the first one", span=report.places.first_span(policies[0].data)),)
    for root in policies[1:]:
        report.add("GP026", message, report.places.first_span(root.data), hint, related)


def _report_missing(files: list[File], report: Report) -> None:
    hint = f"begin with 'apiVersion: {API_VERSION}' and 'kind: {POLICY}'"
    if not files:
        report.add("GP025", f"there is no file, so no '{POLICY}'", None, "name a policy file")
        return
    names = ", ".join(quote(file.name) for file in files[:3])
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    message = f"there is no '{POLICY}' in {names}{more}"
    if not any(file.roots for file in files):
        message += ", which " + ("is empty" if len(files) == 1 else "are empty")
    report.add("GP025", message, Span(files[0].name, 1, 1, 1, 1), hint)


def _report_empty(files: list[File], report: Report) -> None:
    hint = "remove it, or restore what was in it"
    for file in files:
        if not file.roots and not file.is_lossy:
            message = f"{quote(file.name)} has no document in it"
            span = Span(file.name, 1, 1, 1, 1)
            report.add("GP020", message, span, hint, severity=Severity.WARNING)


def _lay_over(
    data: dict[str, object], files: list[File], report: Report
) -> dict[str, object] | None:
    """Merge the overlays into the policy; None if one of their documents is none of ours."""
    overlay = Overlay(report)
    whole = True
    for file in files:
        for root in file.roots:
            patch = _patch_of(root, report)
            data = overlay.merge(data, patch) if patch else data
            whole = whole and patch is not None
        left = {at: end for at, end in file.patches.items() if at not in overlay.handled}
        report_misplaced(left, report, in_overlay=True)
    return data if whole else None


def _patch_of(root: Root, report: Report) -> dict[str, object] | None:
    """Give what a document of an overlay changes, in the form of a policy."""
    kind = kind_of(root, report, partial=True)
    if kind is None or not isinstance(root.data, dict):
        return None
    if kind == TENANT:
        tenant = tenant_of(root, report)
        return policy_of(root, tenant, report.places) if tenant else None
    rows = report.places.rows_of(root.data)
    kept = {key: root.data[key] for key in rows if key not in ("apiVersion", "kind")}
    report.places.record_map(kept, {key: rows[key] for key in kept})
    return kept
