"""Plain data -> `Policy`, and pydantic's errors -> diagnostics with a path.

GP101 unknown-key
    The spec language has no such key here. An unknown key is never ignored, since a misspelt
    `limit` would silently mean "no limit". The hint names the nearest legal key, or the place
    where the key belongs.

GP102 missing-key
    A required key is not there. Required are `platform.kubernetes`, and in a pool `name` and
    `nodes`, with a GPU also `gpusPerNode`.

GP103 unknown-value
    The value is not one of those that this key takes. The hint names the nearest.

GP113 wrong-type
    A map, a list, a number or a text is due here and something else was found.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel
from pydantic import ValidationError

from gpupolicy.diagnostics.limit import limited
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Part
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import format_path
from gpupolicy.spec.v1alpha1.policy import Policy

_LONGEST = 63  # characters of a name in a message
# What is due, by pydantic's kinds of errors, and how it is written.
_NUMBER = ("a whole number", "write it in plain digits, such as 8")
_TRUTH = ("true or false", "write true or false, without quotes")
_LIST = ("a list", "write [a, b], or a line that begins with '- ' for each item")
_MAP = ("a map", "write {key: value}, or a line 'key: value' for each")
_TEXT = ("text", "write it in quotes")
DUE = {
    "int_type": _NUMBER,
    "int_parsing": _NUMBER,
    "int_parsing_size": _NUMBER,
    "int_from_float": _NUMBER,
    "bool_type": _TRUTH,
    "bool_parsing": _TRUTH,
    "list_type": _LIST,
    "dict_type": _MAP,
    "model_type": _MAP,
    "model_attributes_type": _MAP,
    "mapping_type": _MAP,
    "string_type": _TEXT,
    "invalid_key": ("text", "keys are text: write it in quotes"),
}
# What a number is not, the name of the bound, and what to write.
BOUNDS = {
    "less_than_equal": ("more than", "le", "at most"),
    "less_than": ("not less than", "lt", "less than"),
    "greater_than_equal": ("less than", "ge", "at least"),
    "greater_than": ("not more than", "gt", "more than"),
}


def validate(data: object) -> tuple[Policy | None, list[Diagnostic]]:
    """Build the policy, or say everything that is wrong with the data."""
    try:
        return Policy.model_validate(data), []
    except ValidationError as error:
        faults = error.errors(include_url=False)
        return None, list(limited(_diagnostic(fault, data) for fault in faults))


def _diagnostic(fault: Any, data: object) -> Diagnostic:
    path, value = _walk(fault["loc"], data, missing=fault["type"] == "missing")
    kind: str = fault["type"]
    if kind.startswith("GP"):
        hint = fault.get("ctx", {}).get("hint") or None
        # pydantic's mark for a fault in a key.
        part: Part = "key" if fault["loc"][-1:] == ("[key]",) else "value"
        return Diagnostic(kind, f"{_named(path, data)}: {fault['msg']}", path, part, hint=hint)
    if kind == "extra_forbidden":
        return _unknown_key(path, fault["loc"], data)
    if kind == "missing":
        return Diagnostic("GP102", f"'{path[-1]}' is missing from {_place(path[:-1], data)}", path)
    if kind == "literal_error":
        return _unknown_value(path, value, fault["ctx"]["expected"], data)
    if kind in BOUNDS:
        return _out_of_bounds(kind, fault["ctx"], value, path, data)
    return _wrong_type(kind, value, path, data)


def _out_of_bounds(
    kind: str, bounds: Mapping[str, object], value: object, path: Path, data: object
) -> Diagnostic:
    than, key, write = BOUNDS[kind]
    message = f"{_named(path, data)}: {_found(value)} is {than} {bounds[key]}"
    return Diagnostic("GP104", message, path, hint=f"write {write} {bounds[key]}")


def _wrong_type(kind: str, value: object, path: Path, data: object) -> Diagnostic:
    """Say what is due; a kind of error that is not in the table is said in general words."""
    due, hint = DUE.get(kind, ("something else", "see 'gpupolicy schema'"))
    if value is None:
        hint = "give it a value, or take the key out"
    message = f"{due} is due for {_place(path, data)}, found {_found(value)}"
    return Diagnostic("GP113", message, path, hint=hint)


def _place(path: Path, data: object) -> str:
    return f"'{_named(path, data)}'" if path else "the policy"


def _named(path: Path, data: Any) -> str:
    """Spell a path by the names of things, where they have one: `tenants[team].quotas[0]`."""
    steps: list[int | str] = []
    for index, step in enumerate(path):
        data = _item(data, step)
        name = data.get("name") if isinstance(data, dict) and isinstance(step, int) else None
        # What is wrong with a name is not told by that name.
        if isinstance(name, str) and path[index + 1 :] != ("name",):
            steps.append(f"[{name[:_LONGEST]}]")
        else:
            steps.append(step)
    return format_path(tuple(steps)).replace(".[", "[") or "spec"


def _item(data: Any, step: int | str) -> Any:
    if isinstance(data, dict):
        return data.get(step)
    return data[step] if isinstance(data, list) and isinstance(step, int) else None


def _found(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}...'"


def _walk(loc: tuple[int | str, ...], data: Any, *, missing: bool) -> tuple[Path, object]:
    """Follow the location through the data, leaving out the steps that long forms added."""
    path: list[int | str] = []
    for index, step in enumerate(loc):
        in_list = isinstance(data, list) and isinstance(step, int) and step < len(data)
        if in_list or (isinstance(data, dict) and step in data):
            data = data[step]
        elif not (missing and index == len(loc) - 1 and isinstance(data, dict)):
            continue
        path.append(str(step) if isinstance(step, str) else step)
    return tuple(path), data


def _unknown_key(path: Path, loc: tuple[int | str, ...], data: object) -> Diagnostic:
    key = str(path[-1])
    legal = _keys(_model_at(loc[:-1]))
    message = f"unknown key '{key}' in {_place(path[:-1], data)}"
    near = _nearest(key, legal)
    if near:
        hint = f"did you mean '{near}'?"
    elif other := _opposite(key, legal):
        hint = f"there is '{other}', which says the opposite"
    elif elsewhere := _elsewhere(key):
        hint = f"'{key}' stands in {elsewhere}"
    else:
        hint = "legal keys are " + ", ".join(legal) if legal else ""
    return Diagnostic("GP101", message, path, part="key", hint=hint or None)


def _unknown_value(path: Path, value: object, expected: str, data: object) -> Diagnostic:
    legal = [word.strip("'") for word in expected.replace(" or ", ", ").split(", ")]
    near = _nearest(str(value), legal)
    hint = f"did you mean '{near}'?" if near else None
    return Diagnostic(
        "GP103",
        f"{_found(value)} is not a value of {_place(path, data)}: {' | '.join(legal)}",
        path,
        hint=hint,
    )


def _nearest(word: str, legal: list[str]) -> str | None:
    from gpupolicy.diagnostics import nearest as words  # only a refusal needs it

    # `renameByDefault` is `rename`, `nodesCount` is `nodes`.
    begun = (name for name in legal if _begins(word, name))
    return words.nearest(word, legal) or next(begun, None)


def _opposite(word: str, legal: list[str]) -> str | None:
    from gpupolicy.diagnostics import nearest as words

    return words.opposite(word, legal)


def _begins(word: str, legal: str) -> bool:
    return len(legal) > 3 and word.startswith(legal) and word[len(legal)].isupper()


def _keys(model: type[BaseModel] | None) -> list[str]:
    if model is None:
        return []
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_at(loc: tuple[int | str, ...]) -> type[BaseModel] | None:
    model: type[BaseModel] | None = Policy
    for step in loc:
        if model is None or isinstance(step, int):
            continue
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        model = _model_in(fields[step].annotation) if step in fields else None
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if typing.get_origin(annotation) in (list, typing.Union, types.UnionType, typing.Annotated):
        found = (_model_in(part) for part in typing.get_args(annotation))
        return next((model for model in found if model), None)
    return None


@lru_cache(maxsize=1)
def _places() -> dict[str, list[str]]:
    places: dict[str, list[str]] = {}
    for where, model in _models(Policy, ""):
        for key in _keys(model):
            places.setdefault(key, []).append(where)
    return places


def _models(model: type[BaseModel], where: str) -> Iterator[tuple[str, type[BaseModel]]]:
    yield where, model
    for name, field in model.model_fields.items():
        inner = _model_in(field.annotation)
        if inner:
            key = field.alias or name
            yield from _models(inner, f"{where}.{key}" if where else key)


def _elsewhere(key: str) -> str:
    found = [place.removeprefix("spec.") for place in _places().get(key, []) if place]
    return " or ".join(f"'{place}'" for place in found[:3])
