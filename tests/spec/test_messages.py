"""No message is pydantic's own: whatever stands anywhere, we say in our words what is due."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Annotated
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic import Field
from pydantic import ValidationError

from gpupolicy.scalars import PlainScalar
from gpupolicy.source.load import SourceText
from gpupolicy.source.load import load
from gpupolicy.spec import validate as spec_validate
from gpupolicy.spec.v1alpha1.policy import Policy
from tests.plan.policies import example

_KINDS = {"missing", "extra_forbidden", "literal_error", *spec_validate.DUE, *spec_validate.BOUNDS}
_THEIRS = re.compile(
    r"input should|should be|should have|a valid |unable to|extra inputs|"
    r"field required|instance of",
    re.IGNORECASE,
)
_ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    1.5,
    float("inf"),
    "",
    "x" * 200,
    "\u00fc \n",
    PlainScalar("-1"),
    PlainScalar("1.5"),
    PlainScalar("99999999999"),
    PlainScalar("nonsense"),
    [],
    [None],
    [[]],
    [{"name": "a"}],
    {},
    {"x": 1},
    {"x": None},
    {"name": []},
)


def _whole() -> dict[str, Any]:
    """A policy with most keys of the language."""
    document, found = load([SourceText("policy.yaml", example().encode())])
    assert document is not None, found
    return document.data


def _paths(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in entries:
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from _paths(value, (*at, key))


def _with(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(data)
    inside = changed
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    return changed


@pytest.mark.parametrize("path", list(_paths(_whole())), ids=lambda p: ".".join(map(str, p)))
def test_any_value_anywhere_is_refused_in_our_words(path: tuple[Any, ...]) -> None:
    whole = _whole()
    for odd in _ODD:
        data = _with(whole, path, odd)
        try:
            Policy.model_validate(data)
            faults = []
        except ValidationError as error:
            faults = error.errors(include_url=False)
        kinds = {fault["type"] for fault in faults if not re.match(r"GP\d{3}\Z", fault["type"])}
        assert kinds <= _KINDS, (path, odd, kinds)
        _, found = spec_validate.validate(data)
        assert bool(found) == bool(faults)
        for one in found:
            assert not _THEIRS.search(one.message), one.message
            assert one.hint or one.code not in ("GP113",), one


@pytest.mark.parametrize(
    ("bound", "value", "message", "hint"),
    [
        (Field(le=1024), 1025, "n: '1025' is more than 1024", "write at most 1024"),
        (Field(lt=4), 4, "n: '4' is not less than 4", "write less than 4"),
        (Field(ge=1), 0, "n: '0' is less than 1", "write at least 1"),
        (Field(gt=0), -3, "n: '-3' is not more than 0", "write more than 0"),
    ],
)
def test_bounds_are_said_with_the_value(bound: Any, value: int, message: str, hint: str) -> None:
    class Bounded(BaseModel):
        n: Annotated[int, bound]

    with pytest.raises(ValidationError) as caught:
        Bounded.model_validate({"n": value})
    (fault,) = caught.value.errors()
    found = spec_validate._diagnostic(fault, {"n": value})
    assert (found.code, found.message, found.hint) == ("GP104", message, hint)


def test_a_kind_of_error_that_nobody_thought_of_is_said_in_our_words_too() -> None:
    class Dated(BaseModel):
        n: bytes

    with pytest.raises(ValidationError) as caught:
        Dated.model_validate({"n": 8})
    (fault,) = caught.value.errors()
    found = spec_validate._diagnostic(fault, {"n": 8})
    assert found.message == "something else is due for 'n', found '8'"
