"""Holds an object against the schema that its API server would: strictly, without a server.

Custom resources are held against `schemas/upstream`, kinds of Kubernetes itself against
`kubernetes-validate`. A field that the server would drop silently is a finding here. What is not
looked at: CEL rules and admission webhooks.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate

UPSTREAM = Path(__file__).resolve().parent.parent / "schemas" / "upstream"
NEWEST_KUBERNETES = "1.36"

_NAME = r"^[a-z0-9]([-a-z0-9.:]*[a-z0-9])?$"  # Names of RBAC objects may hold colons.
_LABEL_KEY = (
    r"^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"
)
_LABEL_VALUE = r"^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$"
_METADATA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "maxLength": 253, "pattern": _NAME},
        "namespace": {
            "type": "string",
            "maxLength": 63,
            "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        },
        "labels": {
            "type": "object",
            "propertyNames": {"pattern": _LABEL_KEY},
            "additionalProperties": {"type": "string", "pattern": _LABEL_VALUE},
        },
        "annotations": {
            "type": "object",
            "propertyNames": {"pattern": _LABEL_KEY},
            "additionalProperties": {"type": "string"},
        },
    },
}
# `spec.template.metadata` and the like: a name is not due there.
_EMBEDDED = {**_METADATA, "required": []}


def validate_object(obj: dict[str, Any], versions: Mapping[str, str]) -> list[str]:
    """Say what is wrong with an object, a line each, `path: what`; nothing if all is well.

    `versions` are those of `spec.platform` by component as `schemas/upstream` calls them, with
    `kubernetes`; one that is absent is the newest there is.
    """
    group, _, version = obj.get("apiVersion", "").rpartition("/")
    found = _crd(group, obj.get("kind", ""), versions)
    if found is None:
        return _built_in(obj, versions.get("kubernetes", NEWEST_KUBERNETES))
    path, crd = found
    if version not in crd["versions"] or not crd["versions"][version]["served"]:
        return [f"apiVersion: {path} serves {sorted(crd['versions'])}, not {version}"]
    return [*_misplaced(obj, crd["scope"]), *_faults(obj, _validator(path, version))]


def components() -> dict[str, list[str]]:
    """Give the components and versions of which there are schemas, oldest first."""
    return {
        folder.name: sorted((item.name for item in folder.iterdir()), key=_order)
        for folder in sorted(UPSTREAM.iterdir())
        if folder.is_dir()
    }


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _crd(group: str, kind: str, versions: Mapping[str, str]) -> tuple[str, dict[str, Any]] | None:
    for component, kept in components().items():
        version = _nearest(kept, versions.get(component, kept[-1]))
        path = f"{component}/{version}/{kind.lower()}.json"
        if (UPSTREAM / path).exists() and _read(path)["group"] == group:
            return path, _read(path)
    return None


def _nearest(kept: list[str], wanted: str) -> str:
    """Give the newest version that is not newer than the one wanted; the oldest if all are."""
    known = [version for version in kept if _order(version) <= _order(wanted)[:2]]
    return known[-1] if known else kept[0]


@functools.cache
def _read(path: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((UPSTREAM / path).read_text(encoding="utf-8"))
    return read


def _built_in(obj: dict[str, Any], version: str) -> list[str]:
    try:
        kubernetes_validate.validate(obj, version, strict=True)
    except kubernetes_validate.SchemaNotFoundError:
        return [f"kind: Kubernetes {version} has no {obj.get('apiVersion')} {obj.get('kind')}"]
    except jsonschema.ValidationError as error:
        return [_line(error)]
    return []


def _misplaced(obj: dict[str, Any], scope: str) -> Iterator[str]:
    namespace = obj.get("metadata", {}).get("namespace")
    if scope == "Namespaced" and not namespace:
        yield "metadata.namespace: is required, the kind is namespaced"
    if scope == "Cluster" and namespace:
        yield f"metadata.namespace: is '{namespace}', but the kind is of the whole cluster"


def _faults(obj: dict[str, Any], validator: Any) -> Iterator[str]:
    for error in sorted(validator.iter_errors(obj), key=lambda error: error.json_path):
        yield _line(error)


def _line(error: jsonschema.ValidationError) -> str:
    return f"{error.json_path.removeprefix('$').lstrip('.') or '(object)'}: {error.message}"


@functools.cache
def _validator(path: str, version: str) -> Any:
    schema = strict(_read(path)["versions"][version]["schema"])
    schema["properties"] |= {"metadata": _METADATA}
    schema["required"] = sorted({"apiVersion", "kind", "metadata", *schema.get("required", [])})
    return _Validator(schema, format_checker=_FORMATS)


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """Turn a structural schema into a JSON Schema that refuses what the server would drop."""
    made = {key: value for key, value in schema.items() if key != "nullable"}
    if "properties" in made:
        made["properties"] = {name: strict(sub) for name, sub in made["properties"].items()}
        # The server fills in defaults before it asks what is missing.
        defaulted = {name for name, sub in schema["properties"].items() if "default" in sub}
        made["required"] = [name for name in made.get("required", []) if name not in defaulted]
    for key in ("items", "additionalProperties"):
        if isinstance(made.get(key), dict):
            made[key] = strict(made[key])
    if schema.get("x-kubernetes-embedded-resource"):
        made["properties"] = {"apiVersion": {}, "kind": {}, "metadata": _EMBEDDED} | made.get(
            "properties", {}
        )
    if made.get("type") == "object" and not schema.get("x-kubernetes-preserve-unknown-fields"):
        made.setdefault("additionalProperties", False)
    if schema.get("x-kubernetes-int-or-string"):
        made["type"] = ["integer", "string"]
    if schema.get("nullable") and "type" in made:
        made["type"] = [
            *([made["type"]] if isinstance(made["type"], str) else made["type"]),
            "null",
        ]
    return made


_FORMATS = jsonschema.FormatChecker(formats=())
_DURATION = re.compile(r"[-+]?([0-9]+(\.[0-9]+)?(h|ms|m|s|us|µs|ns))+|0")


def _is_int32(value: object) -> bool:
    return not isinstance(value, int) or -(2**31) <= value < 2**31


def _is_int64(value: object) -> bool:
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def _is_duration(value: object) -> bool:
    return not isinstance(value, str) or bool(_DURATION.fullmatch(value))


_FORMATS.checks("int32")(_is_int32)
_FORMATS.checks("int64")(_is_int64)
_FORMATS.checks("duration")(_is_duration)


def _listed_once(
    validator: Any, kind: str, value: Any, schema: dict[str, Any]
) -> Iterator[jsonschema.ValidationError]:
    """Hold lists that are sets or maps to having each item, or each key, once."""
    del validator
    if kind == "atomic" or not isinstance(value, list):
        return
    keys = schema.get("x-kubernetes-list-map-keys", [])
    seen = set()
    for item in value:
        identity = json.dumps([item.get(key) for key in keys] if kind == "map" else item)
        if identity in seen:
            yield jsonschema.ValidationError(f"stands twice: {identity}")
        seen.add(identity)


_Validator = jsonschema.validators.extend(
    jsonschema.Draft7Validator, {"x-kubernetes-list-type": _listed_once}
)
