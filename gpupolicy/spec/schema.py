"""Policy models -> JSON Schema (draft-07), for editors and other tools.

Draft-07 is what the YAML language server and most validators understand best. The schema is a
help: it has the short forms, descriptions and examples; the compiler checks more than it can say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpupolicy.spec.v1alpha1.policy import Policy
from gpupolicy.spec.v1alpha1.policy import TenantDocument
from gpupolicy.spec.v1alpha1.pools import GPU_NAME

DIALECT = "http://json-schema.org/draft-07/schema#"


def policy_schema(gpu_names: Sequence[str]) -> dict[str, Any]:
    """Describe a policy file: a `GPUClusterPolicy` or a `GPUTenant`.

    `gpu_names` are offered for completion; other names are legal, since a node's own label is.
    """
    definitions: dict[str, Any] = {}
    roots = []
    for model in (Policy, TenantDocument):
        schema = model.model_json_schema(ref_template="#/definitions/{model}")
        definitions |= schema.pop("$defs")
        schema["required"] = ["apiVersion", "kind", "metadata", "spec"]
        definitions[model.__name__] = schema
        roots.append({"$ref": f"#/definitions/{model.__name__}"})
    definitions["GpuName"] = _gpu_name(gpu_names)
    root = {
        "$schema": DIALECT,
        "$id": "https://gpupolicy.dev/schemas/policy/v1alpha1.json",
        "title": "gpupolicy.dev/v1alpha1",
        "type": "object",
        "oneOf": roots,
        "definitions": dict(sorted(definitions.items())),
    }
    cleaned: dict[str, Any] = _clean(root)
    return cleaned


def _gpu_name(names: Sequence[str]) -> dict[str, Any]:
    return {
        "description": "A model of the catalogue, or the node's label nvidia.com/gpu.product.",
        "anyOf": [{"enum": list(names)}, {"type": ["string", "number"]}],
    }


def _clean(node: Any) -> Any:
    """Put the reference to GPU names in; drop titles that repeat keys, and defaults of null."""
    if node == GPU_NAME:
        return {"$ref": "#/definitions/GpuName"}
    if isinstance(node, list):
        return [_clean(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _clean(value)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str) and "$schema" not in node)
        and not (key == "default" and value is None)
    }
