"""The JSON form and the schema that describes it."""

from __future__ import annotations

import json
import os
from typing import Any

import jsonschema
import pytest

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.model import Span
from gpupolicy.diagnostics.render.json_ import render_json

SCHEMA = os.path.join(os.path.dirname(__file__), "../../schemas/diagnostics/v1.json")
SPAN = Span("policy.yaml", 10, 42, 10, 44)
FOUND = [
    Diagnostic(
        "GP750",
        "guaranteed 72 > capacity 64",
        ("spec", "tenants", 0, "quotas", 0),
        span=SPAN,
        hint="h",
        notes=("n",),
        related=(Related("r", ("spec", "nodePools", 0), span=SPAN), Related("s")),
    ),
    Diagnostic("GP051", "m", severity=Severity.WARNING),
]


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft7Validator:
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def test_the_form(validator: jsonschema.Draft7Validator) -> None:
    shown = json.loads(render_json(FOUND))
    validator.validate(shown)
    place = {
        "file": "policy.yaml",
        "range": {"start": {"line": 10, "column": 42}, "end": {"line": 10, "column": 44}},
    }
    assert shown == [
        {
            "code": "GP750",
            "slug": "output-empty",
            "severity": "error",
            "message": "guaranteed 72 > capacity 64",
            **place,
            "path": "tenants[0].quotas[0]",
            "hint": "h",
            "related": [
                {"message": "r", **place, "path": "nodePools[0]"},
                {"message": "s", "file": None, "range": None, "path": None},
            ],
            "notes": ["n"],
        },
        {
            "code": "GP051",
            "slug": "suppression-unused",
            "severity": "warning",
            "message": "m",
            "file": None,
            "range": None,
            "path": None,
            "hint": None,
            "related": [],
            "notes": [],
        },
    ]


def test_nothing_found_is_an_empty_array(validator: jsonschema.Draft7Validator) -> None:
    assert render_json([]) == "[]\n"
    validator.validate([])


def test_the_text_is_ascii_without_control_characters() -> None:
    text = render_json([Diagnostic("GP101", "\x1b[2J \u202e \udc80 \U0001f680", hint="\x9b")])
    assert text.isascii()
    assert all(one.isprintable() or one == "\n" for one in text)
    assert json.loads(text)[0]["hint"] == "\x9b"


@pytest.mark.parametrize(
    "fault",
    [
        {"code": "GP7"},
        {"severity": "fatal"},
        {"range": {"start": {"line": 0, "column": 1}, "end": {"line": 1, "column": 1}}},
        {"message": ""},
        {"notes": "n"},
        {"related": [{"message": "no place"}]},
    ],
)
def test_the_schema_refuses_another_form(
    validator: jsonschema.Draft7Validator, fault: dict[str, Any]
) -> None:
    shown = json.loads(render_json(FOUND[:1]))
    assert not validator.is_valid([{**shown[0], **fault}])


@pytest.mark.parametrize("key", ["code", "slug", "severity", "message", "file", "range", "path"])
def test_the_schema_wants_every_key(validator: jsonschema.Draft7Validator, key: str) -> None:
    shown = json.loads(render_json(FOUND[:1]))
    del shown[0][key]
    assert not validator.is_valid(shown)
