"""Text of the spec language: names, labels, versions; and what a refusal says.

GP105 invalid-text
    Text is due here, and a list or a map was found, or nothing at all. Put the text in quotes.
    Some keys take no empty text (a group without a name is no subject of a RoleBinding), the
    `metric` of an objective is the name of a metric, without a selector, and the `key` of a Secret
    has only letters, digits, `-`, `_` and `.`. An address starts with `http://` or `https://` and
    has no blanks, quotes, braces or `#`.

GP106 invalid-name
    Names become names of Kubernetes objects, so they are DNS labels: at most 63 of a-z, 0-9 and
    `-`, starting and ending with a letter or digit (RFC 1123). The hint proposes one.

GP107 invalid-label
    A label or taint key is a name of at most 63 characters with an optional DNS prefix
    (`example.com/team`); a value is empty or at most 63 of letters, digits, `-`, `_` and `.`,
    starting and ending with a letter or digit (Kubernetes API conventions, labels).

GP112 invalid-version
    A version is written as text of two or three numbers: `"26.7"`, `"0.19.2"`.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import PlainValidator
from pydantic import WithJsonSchema
from pydantic_core import PydanticCustomError

from gpupolicy import scalars

_DNS_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\Z")
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?\Z")
_LABEL_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?\Z")
_DNS_SUBDOMAIN = re.compile(
    r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\Z"
)
_METRIC = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*\Z")
_SECRET_KEY = re.compile(r"[-._A-Za-z0-9]{1,253}\Z")
# It is written into annotations, which are templates of Go: no braces; the anchor is put behind it.
_ADDRESS = re.compile(r"""https?://[^\s"'`{}<>#]+\Z""")
_VERSION = re.compile(r"v?(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})(\.(0|[1-9][0-9]{0,5}))?\Z")


def refuse(code: str, message: str, hint: str = "") -> PydanticCustomError:
    """Make the refusal that `validate` turns into a diagnostic: the type carries the code."""
    # pydantic fills the template key after key, so that braces in the message, which comes last,
    # stay what they are.
    return PydanticCustomError(code, "{message}", {"hint": hint, "message": message})


def shown(value: object) -> str:
    """Print a refused value for a message, shortened."""
    text = str(value)
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}...'"


def as_text(value: object) -> str:
    """Take text as it was typed; a list, a map or nothing is refused."""
    value = scalars.as_text(value)
    if not isinstance(value, str):
        hint = "give it a value, or take the key out" if value is None else "write one text"
        raise refuse("GP105", f"text is due here, found {_kind(value)}", hint)
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
    text = as_text(value)
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


def _object_name(value: object) -> str:
    text = as_text(value)
    if _DNS_SUBDOMAIN.match(text) and len(text) <= 253:
        return text
    proposed = propose_name(text)
    raise refuse(
        "GP106",
        f"{shown(text)} is not a name Kubernetes takes: at most 253 of a-z, 0-9, '-' and '.', "
        "starting and ending with a letter or digit",
        f"write '{proposed}'" if proposed else "",
    )


def _filled(value: object) -> str:
    text = as_text(value)
    if not text.strip():
        raise refuse("GP105", "text is due here, found an empty one", "fill it, or take it out")
    return text


def _metric(value: object) -> str:
    text = as_text(value)
    if not _METRIC.match(text):
        raise refuse(
            "GP105",
            f"{shown(text)} is not the name of a metric",
            "write letters, digits, '_' and ':', no digit first and no selector",
        )
    return text


def _address(value: object) -> str:
    text = as_text(value)
    if not _ADDRESS.match(text):
        raise refuse(
            "GP105",
            f"{shown(text)} is not the address of a page",
            "write 'https://', a host and a path, without blanks, quotes, braces or '#'",
        )
    return text


def _secret_key(value: object) -> str:
    text = as_text(value)
    if not _SECRET_KEY.match(text):
        raise refuse(
            "GP105",
            f"{shown(text)} is not a key of a Secret",
            "write letters, digits, '-', '_' and '.'",
        )
    return text


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
    text = as_text(value)
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
    text = as_text(value)
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


def _version(value: object) -> str:
    text = as_text(value)
    if not _VERSION.match(text):
        raise refuse(
            "GP112",
            f"{shown(text)} is not a version",
            'write two or three numbers as text, such as "1.34"',
        )
    return text.removeprefix("v")


def _driver(value: object) -> str:
    text = as_text(value)
    if not re.match(r"[0-9]+(\.[0-9]+){0,3}\Z", text):
        raise refuse(
            "GP112",
            f"{shown(text)} is not a driver version",
            'write it as text, such as "580.105.08"',
        )
    return text


_TEXT_SCHEMA = {"type": ["string", "number", "boolean"]}
_NAME_SCHEMA = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}
Text = Annotated[str, PlainValidator(as_text), WithJsonSchema({"type": ["string", "number"]})]
# Text that is not empty: a group, a user, a path.
FilledText = Annotated[
    str,
    PlainValidator(_filled),
    WithJsonSchema({"type": ["string", "number"], "minLength": 1}),
]
# A DNS subdomain, which most Kubernetes objects take as a name.
ObjectName = Annotated[
    str,
    PlainValidator(_object_name),
    WithJsonSchema({"type": "string", "pattern": "^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$"}),
]
MetricName = Annotated[
    str,
    PlainValidator(_metric),
    WithJsonSchema({"type": "string", "pattern": "^[A-Za-z_:][A-Za-z0-9_:]*$"}),
]
Address = Annotated[
    str,
    PlainValidator(_address),
    WithJsonSchema({"type": "string", "pattern": "^https?://[^\\s\"'`{}<>#]+$"}),
]
SecretKeyName = Annotated[
    str,
    PlainValidator(_secret_key),
    WithJsonSchema({"type": ["string", "number"], "pattern": "^[-._A-Za-z0-9]+$"}),
]
Name = Annotated[str, PlainValidator(_name), WithJsonSchema(_NAME_SCHEMA)]
LabelKey = Annotated[
    str, PlainValidator(_label_key), WithJsonSchema({"type": "string", "maxLength": 317})
]
LabelValue = Annotated[str, PlainValidator(_label_value), WithJsonSchema(_TEXT_SCHEMA)]
Version = Annotated[
    str,
    PlainValidator(_version),
    WithJsonSchema({"type": ["string", "number"], "examples": ["1.34"]}),
]
Driver = Annotated[str, PlainValidator(_driver), WithJsonSchema({"type": ["string", "number"]})]
