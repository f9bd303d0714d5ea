"""The labels and annotations that every object of ours carries.

Never `app.kubernetes.io/instance`: Argo CD tracks by it, and would take the object for its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpupolicy.manifest.key import ObjectKey
from gpupolicy.manifest.model import Bundle
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import PlainFile
from gpupolicy.manifest.model import bundle
from gpupolicy.manifest.order import depths
from gpupolicy.manifest.order import wave

MANAGED_BY_LABEL = "app.kubernetes.io/managed-by"
MANAGED_BY = "gpupolicy"
POLICY_LABEL = "gpupolicy.dev/policy"
# On the pods of a declared workload, by its name.
WORKLOAD_LABEL = "gpupolicy.dev/workload"
SOURCE_ANNOTATION = "gpupolicy.dev/source"
WAVE_ANNOTATION = "argocd.argoproj.io/sync-wave"
SYNC_OPTIONS_ANNOTATION = "argocd.argoproj.io/sync-options"
FLUX_PRUNE_ANNOTATION = "kustomize.toolkit.fluxcd.io/prune"

# Kinds whose loss evicts running work, or takes GPUs or MIG slices from under it.
KEPT_KINDS = frozenset(
    {
        "ClusterPolicy",
        "ClusterQueue",
        "Cohort",
        "LocalQueue",
        "Namespace",
        "NodeFeatureRule",
        "Queue",
        "ResourceFlavor",
        "Topology",
    }
)
# Above this, `kubectl apply` on the client side comes near the 262,144 bytes that all annotations
# of an object may have, since it keeps a copy of the object in one.
_LARGE_TEXT = 131_072


def assemble(items: Iterable[Manifest | PlainFile], policy: str) -> Bundle:
    """Order everything, as `bundle` does, and decorate each object. `policy` is the policy's name.

    Raises `DuplicateObjectError` as `bundle` does.
    """
    plain = bundle(items)
    depth = depths({manifest.key: manifest.data for manifest in plain.manifests})
    decorated = (decorate(m, policy, depth.get(m.key, 0)) for m in plain.manifests)
    return Bundle(tuple(decorated), plain.files)


def decorate(manifest: Manifest, policy: str, depth: int = 0) -> Manifest:
    """Add the labels and annotations of one object; what the target wrote itself stays.

    `depth` is the object's level in a tree of queues or cohorts; a deeper one has a later wave.
    """
    metadata = manifest.data["metadata"]
    labels = {MANAGED_BY_LABEL: MANAGED_BY, POLICY_LABEL: policy, **metadata.get("labels", {})}
    annotations = {**_annotations(manifest, depth), **metadata.get("annotations", {})}
    rest = {k: v for k, v in metadata.items() if k not in ("labels", "annotations")}
    data = {**manifest.data, "metadata": {**rest, "labels": labels, "annotations": annotations}}
    return Manifest(manifest.target, data, manifest.source)


def _annotations(manifest: Manifest, depth: int) -> dict[str, str]:
    key = manifest.key
    found = {SOURCE_ANNOTATION: manifest.source, WAVE_ANNOTATION: str(wave(key, depth))}
    options = _sync_options(key, manifest)
    if options:
        found[SYNC_OPTIONS_ANNOTATION] = ",".join(options)
    if key.kind in KEPT_KINDS:
        found[FLUX_PRUNE_ANNOTATION] = "disabled"
    return found


def _sync_options(key: ObjectKey, manifest: Manifest) -> list[str]:
    options = []
    if key.kind in KEPT_KINDS:
        options.append("Prune=false")
    if _is_large(manifest):
        options.append("ServerSideApply=true")
    if _is_custom(key.group):
        options.append("SkipDryRunOnMissingResource=true")
    return options


def _is_custom(group: str) -> bool:
    """Tell whether a group is defined by a CRD, so that a fresh cluster may not have it yet."""
    return "." in group and not group.endswith(".k8s.io")


def _is_large(manifest: Manifest) -> bool:
    texts = manifest.data.get("data")
    return isinstance(texts, dict) and sum(map(len, texts.values())) > _LARGE_TEXT
