"""Documents by kind: one `GPUClusterPolicy`, any number of `GPUTenant`, nothing else.

GP021 document-not-a-map
    A document is a text or a list where `apiVersion: gpupolicy.dev/v1alpha1` and so on is due.

GP022 document-foreign
    A document belongs to another program: a Deployment, a `kustomization.yaml`, Helm values. It is
    not skipped, since a policy with a mistyped `apiVersion` would be skipped with it. Keep other
    manifests outside the policy's folder, or name the files of the policy one by one.

GP023 kind-unknown
    A document has no `kind` or one that does not exist. There are two: `GPUClusterPolicy` is the
    policy, `GPUTenant` is one of its tenants in a file of its own.

GP024 api-version-wrong
    A document does not begin with the version of the language that it is written in. Write
    `apiVersion: gpupolicy.dev/v1alpha1`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpupolicy.source.tenants import TENANT
from gpupolicy.source.text import nearest
from gpupolicy.source.text import quote

if TYPE_CHECKING:
    from gpupolicy.source.construct import Root
    from gpupolicy.source.findings import Report

API_VERSION = "gpupolicy.dev/v1alpha1"
POLICY = "GPUClusterPolicy"

_KINDS = (POLICY, TENANT)
_HEADER = f"begin it with 'apiVersion: {API_VERSION}' and 'kind: {POLICY}' (or '{TENANT}')"


def kind_of(root: Root, report: Report, *, partial: bool) -> str | None:
    """Say which kind a document is, or report what is wrong with its first lines.

    A `partial` document, one of an overlay, may leave them out and is a policy then.
    """
    if not isinstance(root.data, dict):
        span = report.places.span(root.start, root.end)
        report.add("GP021", "this document is not a map", span, _HEADER)
        return None
    kind, version = root.data.get("kind"), root.data.get("apiVersion")
    if kind in _KINDS or (partial and kind is None):
        if version != API_VERSION and not (partial and version is None):
            _report_version(root.data, report)
        return str(kind or POLICY)
    _report_kind(root, root.data, report)
    return None


def _report_version(data: dict[str, object], report: Report) -> None:
    hint = f"write 'apiVersion: {API_VERSION}'"
    if data.get("apiVersion") is None:
        span = report.places.span_in(data, "kind", "key")
        report.add("GP024", "the document has no 'apiVersion'", span, hint)
        return
    message = f"there is no version {_said(data['apiVersion'])} of the policy language"
    report.add("GP024", message, report.places.span_in(data, "apiVersion"), hint)


def _report_kind(root: Root, data: dict[str, object], report: Report) -> None:
    kind, version = data.get("kind"), data.get("apiVersion")
    if kind is None and version is None:
        first = report.places.first_entry(data) or (root.start, root.end)
        message = "the document has no 'apiVersion' and no 'kind', so it is no policy"
        report.add("GP024", message, report.places.span(*first), _HEADER)
    elif version is not None and str(version).partition("/")[0] != "gpupolicy.dev":
        _report_foreign(kind, version, data, report)
    elif kind is None:
        span = report.places.span_in(data, "apiVersion", "key")
        hint = f"add 'kind: {POLICY}' or 'kind: {TENANT}'"
        report.add("GP023", "the document has no 'kind'", span, hint)
    else:
        near = nearest(str(kind), _KINDS)
        hint = f"did you mean '{near}'?" if near else f"the kinds are '{POLICY}' and '{TENANT}'"
        message = f"there is no kind {_said(kind)}"
        report.add("GP023", message, report.places.span_in(data, "kind"), hint)


def _report_foreign(kind: object, version: object, data: dict[str, object], report: Report) -> None:
    span = report.places.span_in(data, "apiVersion")
    file = quote(span.file) if span else "the file"
    what = f"{_said(kind)} of {_said(version)}" if kind else _said(version)
    hint = f"keep it out of the policy's folder, or write 'apiVersion: {API_VERSION}'"
    report.add("GP022", f"{file} is not a policy document: it holds {what}", span, hint)


def _said(value: object) -> str:
    return quote(value) if isinstance(value, str) else "that is no text"
