"""How large an object may be.

GP708 object-too-large
    A ConfigMap holds more than 1 MiB, which the API server refuses (validation of ConfigMap in
    Kubernetes, the same in every version). So many pools or layouts do not fit one ConfigMap of the
    device plugin or of mig-parted: give pools with equal sharing the same configuration, or split
    the cluster's policy in two.
"""

from __future__ import annotations

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.manifest.model import Bundle
from gpupolicy.manifest.model import Manifest

# k8s.io/kubernetes v1.34, pkg/apis/core/types.go: MaxSecretSize, used for ConfigMaps too.
_MOST = 1024 * 1024


def too_large(bundle: Bundle) -> list[Diagnostic]:
    """Find the objects that no API server takes, before anything is written or sent."""
    return [
        _diagnostic(manifest, size)
        for manifest in bundle.manifests
        if manifest.data["kind"] == "ConfigMap" and (size := _size(manifest)) > _MOST
    ]


def _size(manifest: Manifest) -> int:
    return sum(len(text.encode()) for text in manifest.data.get("data", {}).values())


def _diagnostic(manifest: Manifest, size: int) -> Diagnostic:
    message = (
        f"ConfigMap '{manifest.key.name}' holds {size:,} bytes > {_MOST:,}, over by "
        f"{size - _MOST:,}"
    )
    hint = "fewer distinct configurations, or two policies"
    notes = (f"it follows from '{manifest.source}'",)
    return Diagnostic("GP708", message, ("spec",), "key", hint=hint, notes=notes)
