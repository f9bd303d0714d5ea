"""What every model of the spec language shares."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic import ConfigDict


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


class Model(BaseModel):
    """Frozen, camelCase for users, and strict about keys it does not know."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=_camel,
        populate_by_name=True,
        arbitrary_types_allowed=True,
        # The root builds all schemas once; building each class first would do it twice.
        defer_build=True,
    )


def either(core_schema: Any, handler: Any, *short: dict[str, Any], long: bool = True) -> Any:
    """Describe a model that has short forms, for the JSON Schema.

    `long` says whether users may also write the model itself.
    """
    described: dict[str, Any] = handler(core_schema)
    if not long:
        return {"anyOf": list(short)}
    resolved = handler.resolve_ref_schema(described)
    resolved.pop("description", None)
    return {"anyOf": [*short, described]}
