"""Numbers of the spec language: counts, quantities, durations, shares; and what a refusal says.

GP104 invalid-number
    A whole number is written in plain decimal digits, without quotes: `8`. `010`, `1_000`, `1e3`
    and `"8"` are refused, because YAML readers disagree about them. A pool has at most 1000000
    nodes and a node 1024 GPUs: more is a slip of the pen.

GP108 invalid-quantity
    A quantity is a number with a Kubernetes suffix: n u m k M G T P E, or Ki Mi Gi Ti Pi Ei.
    GiB, GB and K are not among them. Some that Kubernetes would take are never meant: memory
    below 1Mi (a bare `74` is 74 bytes, `500m` half a byte), and cores in the units of memory
    (`cpu: 64Gi`) or finer than a thousandth.

GP109 invalid-duration
    A duration is a number with a unit: `30s`, `90m`, `36h`, `3d`, or several of them. A bare
    number is refused, since nobody can tell seconds from minutes.

GP110 invalid-percentage
    A percentage is a decimal number with a percent sign: `99.9%`, above 0% and up to 100%.

GP111 invalid-amount
    A number of devices is a whole number from 0, or a percentage of what can be guaranteed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated
from typing import Any

from pydantic import BeforeValidator
from pydantic import Field
from pydantic import PlainValidator
from pydantic import Strict
from pydantic import WithJsonSchema
from pydantic_core import PydanticCustomError

from gpupolicy import quantity
from gpupolicy import scalars
from gpupolicy.spec.v1alpha1.text_types import as_text
from gpupolicy.spec.v1alpha1.text_types import refuse
from gpupolicy.spec.v1alpha1.text_types import shown

_MOST_GPUS, _MOST_NODES = 1024, 1_000_000


def _number(value: object) -> object:
    try:
        return scalars.as_int(value)
    except ValueError as error:
        what = (
            "is text, and a whole number is due" if type(value) is str else "is not a whole number"
        )
        raise refuse("GP104", f"{shown(value)} {what}", str(error)) from None


def _up_to(most: int) -> Callable[[object], object]:
    def validator(value: object) -> object:
        number = _number(value)
        if isinstance(number, int) and number > most:
            raise refuse("GP104", f"{number} is more than {most}", f"write at most {most}")
        return number

    return validator


def _refuse_conversion(code: str, what: str, text: str, why: str) -> PydanticCustomError:
    """Say what is wrong; what to write instead, after "write", goes to the hint."""
    fault, colon, advice = why.rpartition(": write ")
    message = fault if colon else why
    if not message.startswith("'"):
        message = f"{shown(text)} is not {what}: {message}"
    return refuse(code, message, f"write {advice}" if colon else "")


def _converted(code: str, what: str, convert: Callable[[str], Any]) -> Callable[[object], Any]:
    def validator(value: object) -> Any:
        text = (
            str(value) if isinstance(value, int) and not isinstance(value, bool) else as_text(value)
        )
        try:
            return convert(text)
        except ValueError as error:
            raise _refuse_conversion(code, what, text, str(error)) from None

    return validator


@dataclass(frozen=True, slots=True)
class Quantity:
    """A Kubernetes quantity: its text as typed, and its exact value in base units."""

    text: str
    value: Fraction


@dataclass(frozen=True, slots=True)
class Percent:
    """A percentage: `33.3%` has the fraction 333/1000."""

    text: str
    fraction: Fraction


def _quantity(text: str) -> Quantity:
    value = quantity.parse(text)
    if value < 0:
        raise ValueError(f"it is below zero: write {text.lstrip('-')}")
    return Quantity(text, value)


def _memory(text: str) -> Quantity:
    count = quantity.memory_bytes(text)
    if 0 < count < quantity.MIB:
        meant = f"{text}Mi or {text}Gi" if text.isdecimal() else "1Mi or more"
        raise ValueError(f"{shown(text)} of memory is less than 1Mi: write {meant}")
    return Quantity(text, Fraction(count))


def _gpu_memory(text: str) -> Quantity:
    amount = _memory(text)
    if not amount.value:
        raise ValueError(f"{shown(text)} is no memory: write 1Mi or more, or leave it out")
    return amount


def _bound(text: str) -> int:
    time = quantity.parse_duration(text)
    if not time:
        raise ValueError("it must be above 0: write 1s or more")
    return time


def _cores(text: str) -> Quantity:
    millis = quantity.cpu_millis(text)
    if text.endswith("i"):
        raise ValueError(f"{shown(text)} of cpu is an amount of memory: write a number of cores")
    return Quantity(text, Fraction(millis, 1000))


def _percent(text: str) -> Percent:
    fraction = quantity.parse_percentage(text)
    if not 0 < fraction <= 1:
        raise ValueError("it must be above 0% and up to 100%")
    return Percent(text, fraction)


_DECIMAL = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")


def _amount(value: object) -> int | Fraction | Percent:
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise refuse("GP111", f"{value} is below zero")
        return value
    text = as_text(value)
    if text.endswith("%"):
        try:
            percent = quantity.parse_percentage(text)
        except ValueError as error:
            raise _refuse_conversion("GP111", "a percentage", text, str(error)) from None
        if percent > 1 or percent < 0:
            raise refuse("GP111", f"{shown(text)} is more than the whole", "at most 100%")
        return Percent(text, percent)
    if not isinstance(value, scalars.PlainScalar) and _DECIMAL.match(text):
        raise refuse(
            "GP111",
            f"a number is due here, found the text {shown(text)}",
            f"write {text} without quotes",
        )
    if not _DECIMAL.match(text) or len(text) > 18:
        raise refuse(
            "GP111",
            f"{shown(text)} is not a number of devices",
            "write a whole number from 0, or a percentage such as 50%",
        )
    number = Fraction(text)
    return int(number) if number.denominator == 1 else number


def _threshold(value: object) -> Fraction | Percent:
    text = (
        str(value)
        if isinstance(value, int | float) and not isinstance(value, bool)
        else as_text(value)
    )
    if text.endswith("%"):
        try:
            return Percent(text, quantity.parse_percentage(text))
        except ValueError as error:
            raise _refuse_conversion("GP110", "a percentage", text, str(error)) from None
    if not _DECIMAL.match(text.removeprefix("-")) or len(text) > 18:
        raise refuse(
            "GP104",
            f"{shown(text)} is not a number",
            "write a decimal number, or a percentage such as 20%",
        )
    return Fraction(text)


def _gang(value: object) -> bool | int:
    value = scalars.as_bool(value)
    if isinstance(value, bool):
        return value
    number = _number(value if isinstance(value, int) else scalars.PlainScalar(as_text(value)))
    if not isinstance(number, int) or number < 1:
        raise refuse(
            "GP104",
            f"{shown(value)} is not a gang",
            "write true, or the least number of pods, from 1",
        )
    return number


def _boolean(value: object) -> object:
    return scalars.as_bool(value)


_DURATION_SCHEMA = {
    "type": "string",
    "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+$",
    "examples": ["30s", "36h"],
}
_QUANTITY_SCHEMA = {
    "anyOf": [{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 0}],
    "examples": ["180", "1900Gi"],
}
_PERCENT_SCHEMA = {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?%$", "examples": ["99%"]}

# Strict, since pydantic would read "8.0" as a number and "yes" as a truth.
Int = Annotated[int, Strict(), BeforeValidator(_number, json_schema_input_type=int)]
# No node has more; a slip of the pen must not make us count to a thousand million.
_Few = Annotated[int, Field(le=_MOST_GPUS)]
GpuCount = Annotated[
    _Few, Strict(), BeforeValidator(_up_to(_MOST_GPUS), json_schema_input_type=_Few)
]
# No cluster has more, and what devices add up to stays far below 2^63.
_Many = Annotated[int, Field(le=_MOST_NODES)]
NodeCount = Annotated[
    _Many, Strict(), BeforeValidator(_up_to(_MOST_NODES), json_schema_input_type=_Many)
]
Bool = Annotated[bool, Strict(), BeforeValidator(_boolean, json_schema_input_type=bool)]
QuantityText = Annotated[
    Quantity,
    PlainValidator(_converted("GP108", "a quantity", _quantity)),
    WithJsonSchema(_QUANTITY_SCHEMA),
]
Memory = Annotated[
    Quantity,
    PlainValidator(_converted("GP108", "an amount of memory", _memory)),
    WithJsonSchema(_QUANTITY_SCHEMA),
]
GpuMemory = Annotated[
    Quantity,
    PlainValidator(_converted("GP108", "an amount of memory", _gpu_memory)),
    WithJsonSchema(_QUANTITY_SCHEMA),
]
Cores = Annotated[
    Quantity,
    PlainValidator(_converted("GP108", "a number of cores", _cores)),
    WithJsonSchema(_QUANTITY_SCHEMA),
]
# Nanoseconds.
Duration = Annotated[
    int,
    PlainValidator(_converted("GP109", "a duration", quantity.parse_duration)),
    WithJsonSchema(_DURATION_SCHEMA),
]
Bound = Annotated[
    int,
    PlainValidator(_converted("GP109", "a duration", _bound)),
    WithJsonSchema(_DURATION_SCHEMA),
]
Objective = Annotated[
    Percent,
    PlainValidator(_converted("GP110", "a percentage", _percent)),
    WithJsonSchema(_PERCENT_SCHEMA),
]
Amount = Annotated[
    int | Fraction | Percent,
    PlainValidator(_amount),
    WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0}, _PERCENT_SCHEMA]}),
]
Threshold = Annotated[
    Fraction | Percent,
    PlainValidator(_threshold),
    WithJsonSchema({"anyOf": [{"type": "number"}, _PERCENT_SCHEMA]}),
]
Gang = Annotated[
    bool | int,
    PlainValidator(_gang),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"type": "integer", "minimum": 1}]}),
]
