"""The scalar types of the spec language: what is accepted, and what a refusal says.

GP104 invalid-number
    A whole number is written in plain decimal digits, without quotes: `8`. `010`, `1_000`, `1e3`
    and `"8"` are refused, because YAML readers disagree about them.

GP105 invalid-text
    Text is due here, and a list or a map was found, or nothing at all. Put the text in quotes.

GP106 invalid-name
    Names become names of Kubernetes objects, so they are DNS labels: at most 63 of a-z, 0-9 and
    `-`, starting and ending with a letter or digit (RFC 1123). The hint proposes one.

GP107 invalid-label
    A label or taint key is a name of at most 63 characters with an optional DNS prefix
    (`example.com/team`); a value is empty or at most 63 of letters, digits, `-`, `_` and `.`,
    starting and ending with a letter or digit (Kubernetes API conventions, labels).

GP108 invalid-quantity
    A quantity is a number with a Kubernetes suffix: n u m k M G T P E, or Ki Mi Gi Ti Pi Ei.
    GiB, GB and K are not among them. Memory smaller than a byte is never meant.

GP109 invalid-duration
    A duration is a number with a unit: `30s`, `90m`, `36h`, `3d`, or several of them. A bare
    number is refused, since nobody can tell seconds from minutes.

GP110 invalid-percentage
    A percentage is a decimal number with a percent sign: `99.9%`, above 0% and up to 100%.

GP111 invalid-amount
    A number of devices is a whole number from 0, or a percentage of what can be guaranteed.

GP112 invalid-version
    A version is written as text of two or three numbers: `"26.7"`, `"0.19.2"`.
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

_DNS_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\Z")
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?\Z")
_LABEL_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?\Z")
_DNS_SUBDOMAIN = re.compile(
    r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\Z"
)
_VERSION = re.compile(r"v?(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})(\.(0|[1-9][0-9]{0,5}))?\Z")


def refuse(code: str, message: str, hint: str = "") -> PydanticCustomError:
    """Make the refusal that `validate` turns into a diagnostic: the type carries the code.

    Braces are doubled, since pydantic reads the message as a template.
    """
    # The hint travels in the context, never in the template.
    return PydanticCustomError(code, message.replace("{", "{{").replace("}", "}}"), {"hint": hint})


def shown(value: object) -> str:
    """Print a refused value for a message, shortened."""
    text = str(value)
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}...'"


def _number(value: object) -> object:
    try:
        return scalars.as_int(value)
    except ValueError as error:
        what = (
            "is text, and a whole number is due" if type(value) is str else "is not a whole number"
        )
        raise refuse("GP104", f"{shown(value)} {what}", str(error)) from None


def _text(value: object) -> str:
    value = scalars.as_text(value)
    if not isinstance(value, str):
        raise refuse("GP105", f"text is due here, found {_kind(value)}")
    return value


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a map"
    return "a list" if isinstance(value, list) else f"a {type(value).__name__}"


def propose_name(text: str) -> str:
    """Propose the nearest DNS label for a refused name; empty if nothing is left of it."""
    import unicodedata  # only a refusal needs the tables

    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:63].strip("-")


def _name(value: object) -> str:
    text = _text(value)
    if _DNS_LABEL.match(text) and len(text) <= 63:
        return text
    why = (
        f"{len(text)} characters are more than 63"
        if len(text) > 63
        else "a name has only a-z, 0-9 and '-', and starts and ends with a letter or digit"
    )
    proposed = propose_name(text)
    raise refuse(
        "GP106",
        f"{shown(text)} is not a name Kubernetes takes: {why}",
        f"write '{proposed}'" if proposed else "",
    )


def label_key_fault(text: str) -> str | None:
    """Tell what is wrong with a label, annotation or taint key; None if it is legal."""
    prefix, slash, name = text.rpartition("/")
    if slash and not (_DNS_SUBDOMAIN.match(prefix) and len(prefix) <= 253):
        return f"the prefix {shown(prefix)} is not a DNS name"
    if not _LABEL_NAME.match(name):
        legal = "letters, digits, '-', '_' and '.'"
        return f"the name has only {legal}, and starts and ends with a letter or digit"
    return f"the name has {len(name)} characters, at most 63 are legal" if len(name) > 63 else None


def _label_key(value: object) -> str:
    text = _text(value)
    fault = label_key_fault(text)
    if fault:
        raise refuse("GP107", f"{shown(text)} is not a label key: {fault}")
    return text


def _label_value(value: object) -> str:
    if value is None:
        raise refuse(
            "GP107",
            "the label has no value",
            'write "" for an empty value, or quote the word "null"',
        )
    text = _text(value)
    if len(text) > 63:
        raise refuse(
            "GP107", f"{shown(text)} is not a label value: {len(text)} characters are more than 63"
        )
    if not _LABEL_VALUE.match(text):
        bad = next((c for c in text if not re.match(r"[-A-Za-z0-9_.]", c)), None)
        what = (
            f"character {bad!r}"
            if bad
            else "it starts or ends with a character that is no letter or digit"
        )
        raise refuse(
            "GP107",
            f"{shown(text)} is not a label value: {what}",
            "use letters, digits, '-', '_' and '.' only",
        )
    return text


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
            str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(value)
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
        raise ValueError("it is below zero")
    return Quantity(text, value)


def _memory(text: str) -> Quantity:
    return Quantity(text, Fraction(quantity.memory_bytes(text)))


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
    text = _text(value)
    if text.endswith("%"):
        try:
            percent = quantity.parse_percentage(text)
        except ValueError as error:
            raise refuse("GP111", f"{shown(text)} is not a percentage: {error}") from None
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
        else _text(value)
    )
    if text.endswith("%"):
        try:
            return Percent(text, quantity.parse_percentage(text))
        except ValueError as error:
            raise refuse("GP110", f"{shown(text)} is not a percentage: {error}") from None
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
    number = _number(value if isinstance(value, int) else scalars.PlainScalar(_text(value)))
    if not isinstance(number, int) or number < 1:
        raise refuse(
            "GP104",
            f"{shown(value)} is not a gang",
            "write true, or the least number of pods, from 1",
        )
    return number


def _version(value: object) -> str:
    text = _text(value)
    if not _VERSION.match(text):
        raise refuse(
            "GP112",
            f"{shown(text)} is not a version",
            'write two or three numbers as text, such as "1.34"',
        )
    return text.removeprefix("v")


def _boolean(value: object) -> object:
    return scalars.as_bool(value)


def _driver(value: object) -> str:
    text = _text(value)
    if not re.match(r"[0-9]+(\.[0-9]+){0,3}\Z", text):
        raise refuse(
            "GP112",
            f"{shown(text)} is not a driver version",
            'write it as text, such as "580.105.08"',
        )
    return text


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
_TEXT_SCHEMA = {"type": ["string", "number", "boolean"]}
_NAME_SCHEMA = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}

# Strict, since pydantic would read "8.0" as a number and "yes" as a truth.
Int = Annotated[int, Strict(), BeforeValidator(_number, json_schema_input_type=int)]
# No node has more; a slip of the pen must not make us count to a thousand million.
_Few = Annotated[int, Field(le=1024)]
GpuCount = Annotated[_Few, Strict(), BeforeValidator(_number, json_schema_input_type=_Few)]
Bool = Annotated[bool, Strict(), BeforeValidator(_boolean, json_schema_input_type=bool)]
Text = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": ["string", "number"]})]
Name = Annotated[str, PlainValidator(_name), WithJsonSchema(_NAME_SCHEMA)]
LabelKey = Annotated[
    str, PlainValidator(_label_key), WithJsonSchema({"type": "string", "maxLength": 317})
]
LabelValue = Annotated[str, PlainValidator(_label_value), WithJsonSchema(_TEXT_SCHEMA)]
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
# Nanoseconds.
Duration = Annotated[
    int,
    PlainValidator(_converted("GP109", "a duration", quantity.parse_duration)),
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
Version = Annotated[
    str,
    PlainValidator(_version),
    WithJsonSchema({"type": ["string", "number"], "examples": ["1.34"]}),
]
Driver = Annotated[str, PlainValidator(_driver), WithJsonSchema({"type": ["string", "number"]})]
