"""The versions in `platform` are known and go together.

GP400 version-newer
    The component is newer than any version whose facts are known here, or lies between two of
    them. It is treated as the nearest older one that is known, which is right as long as nothing
    changed in between. Read its release notes, or upgrade gpupolicy.

GP401 version-too-old
    The component is older than what can be compiled for: its API versions or fields differ from
    everything that is emitted here. Upgrade the component; the message names the oldest version
    that will do.

GP402 guard-rails-impossible
    Guard rails are ValidatingAdmissionPolicies, whose v1 API came with Kubernetes 1.30. On an
    older cluster none are emitted, and pods can go round the policy. Write `guardRails: off` to
    say that this is known.

GP403 versions-untested
    The vendor does not support this version of the component on this version of Kubernetes. What
    is emitted is legal, but nobody has tried the two together.

GP404 gang-holder-too-old
    Topology-aware scheduling, by which Kueue places gangs, is an alpha feature before Kueue 0.14,
    and up to 0.12 one that is not compiled for. With 0.13 it must be switched on (feature gate
    `TopologyAwareScheduling`); with an older one write `scheduling: {gang: none}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpupolicy.capacity.scheduling import holders
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.facts.components import Component
from gpupolicy.facts.components import Resolved
from gpupolicy.facts.versions import version_key

_PLATFORM: Path = ("spec", "platform")
# The field of the model and the key of the language.
_COMPONENTS = (
    ("gpu_operator", "gpuOperator"),
    ("kueue", "kueue"),
    ("volcano", "volcano"),
    ("kai", "kai"),
    ("nvsentinel", "nvsentinel"),
    ("dcgm_exporter", "dcgmExporter"),
    ("node_feature_discovery", "nodeFeatureDiscovery"),
    ("prometheus", "prometheus"),
)
# Kueue can place from here on, behind a feature gate.
_PLACES_SINCE = (0, 13)


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check all versions, and guard rails against the version of Kubernetes."""
    platform = context.policy.spec.platform
    table = context.facts.component("kubernetes")
    cluster = table.resolve(platform.kubernetes)
    path = (*_PLATFORM, "kubernetes")
    yield from _known(table, platform.kubernetes, cluster, path)
    if cluster.relation != "older":
        yield from _guard_rails(context, platform.kubernetes, cluster)
    for field, name in _COMPONENTS:
        written = getattr(platform, field)
        if written is None:
            continue
        component = context.facts.component(name)
        found = component.resolve(written.version)
        where = (*_PLATFORM, name, *(("version",) if written.version else ()))
        if written.version:
            yield from _known(component, written.version, found, where)
        if "older" not in (found.relation, cluster.relation):
            yield from _together(component, found, cluster, where)
            if name == "kueue" and holders(context.policy).gang == "kueue":
                yield from _places(found, where)


def _known(component: Component, text: str, found: Resolved, path: Path) -> Iterator[Diagnostic]:
    if found.relation == "older":
        yield Diagnostic(
            "GP401",
            f"{component.title} {text} is older than {component.oldest.version}, the oldest that "
            "is supported",
            path,
            hint=f"supported are {component.oldest.version} to {component.newest.version}",
        )
    elif found.relation == "newer":
        yield _treated_as(component, text, found, path, "newer than any version that is known")
    elif found.relation == "between":
        yield _treated_as(component, text, found, path, "not among the versions that are known")


def _treated_as(
    component: Component, text: str, found: Resolved, path: Path, why: str
) -> Diagnostic:
    return Diagnostic(
        "GP400",
        f"{component.title} {text} is {why}, and is treated as {found.line.version}",
        path,
        severity=Severity.WARNING,
        hint="use a newer gpupolicy if there is one, and try the output out before you rely on it",
    )


def _guard_rails(context: CheckContext, text: str, cluster: Resolved) -> Iterator[Diagnostic]:
    if cluster.line.values.get("validatingAdmissionPolicy") or (
        context.policy.spec.guard_rails == "off"
    ):
        return
    yield Diagnostic(
        "GP402",
        f"Kubernetes {text} has no ValidatingAdmissionPolicy v1 (1.30 and newer have): no guard "
        "rails are emitted",
        (*_PLATFORM, "kubernetes"),
        severity=Severity.WARNING,
        hint="write 'guardRails: off' if that is meant",
    )


def _together(
    component: Component, found: Resolved, cluster: Resolved, path: Path
) -> Iterator[Diagnostic]:
    span: Any = found.line.values.get("kubernetes") or {}
    oldest, newest = span.get("oldest"), span.get("newest")
    at = cluster.line.key
    if oldest and at < version_key(oldest):
        told = f"{oldest} and newer"
    elif newest and at > version_key(newest):
        told = f"up to {newest}"
    else:
        return
    yield Diagnostic(
        "GP403",
        f"{component.title} {found.line.version} is made for Kubernetes {told}, the cluster has "
        f"{cluster.line.version}",
        path,
        severity=Severity.WARNING,
        hint=f"use a {component.title} that is made for it, or try them out together first",
        notes=component.sources[:1],
    )


def _places(found: Resolved, path: Path) -> Iterator[Diagnostic]:
    if found.line.values["topologyBeta"]:
        return
    gated = found.line.key >= _PLACES_SINCE
    yield Diagnostic(
        "GP404",
        f"Kueue {found.line.version} places gangs by an alpha feature only"
        + (": it must be switched on there" if gated else ", which is not compiled for"),
        path,
        severity=Severity.WARNING if gated else Severity.ERROR,
        hint="switch on the feature gate TopologyAwareScheduling in its configuration, or write "
        "'scheduling: {gang: none}'"
        if gated
        else "write 'scheduling: {gang: none}'",
    )
