"""How large an object may be."""

from __future__ import annotations

from gpupolicy.manifest.limits import too_large
from gpupolicy.manifest.model import Manifest
from gpupolicy.manifest.model import bundle


def _config_map(size: int) -> Manifest:
    data = {"a": "x" * (size - 2), "b": "é"}
    head = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "n"}}
    return Manifest("t", {**head, "data": data}, "nodePools")


def test_a_069_a_config_map_over_1_mib_is_refused_before_anything_is_sent() -> None:
    assert too_large(bundle([_config_map(2**20)])) == []
    (found,) = too_large(bundle([_config_map(2**20 + 1)]))
    assert found.code == "GP708"
    assert found.message == "ConfigMap 'c' holds 1,048,577 bytes > 1,048,576, over by 1"
