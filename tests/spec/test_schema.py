"""The JSON Schema is what the models say, and takes what the compiler takes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from gpupolicy.facts.catalog import facts
from gpupolicy.spec.schema import policy_schema

ROOT = Path(__file__).parent.parent.parent
FILE = ROOT / "schemas" / "policy" / "v1alpha1.json"
POLICIES = sorted((ROOT / "blueprints").rglob("*.yaml"))


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(FILE.read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def test_the_file_is_up_to_date():
    wanted = policy_schema([name.upper() for name in facts().names()])
    assert json.loads(FILE.read_text()) == wanted


def test_every_blueprint_validates(validator):
    seen = 0
    for path in POLICIES:
        data = yaml.safe_load(path.read_text())
        if "kind" in data:
            validator.validate(data)
            seen += 1
    assert seen >= 15


def test_the_example_validates(validator):
    path = ROOT / "tests" / "policies" / "plan" / "ai-platform.yaml"
    validator.validate(yaml.safe_load(path.read_text()))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "nodePool"), []),
        (("spec", "guardRails"), "maybe"),
        (("spec", "nodePools", 0, "nodes"), "many"),
        (("spec", "nodePools", 0, "sharing", "migStrategy"), "single,mixed"),
        (("spec", "platform"), {}),
        (("kind",), "Policy"),
    ],
)
def test_it_can_refuse(validator, path, value):
    data = yaml.safe_load((ROOT / "blueprints" / "lab.yaml").read_text())
    at = data
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert not validator.is_valid(data)


def test_every_key_is_described():
    schema = json.loads(FILE.read_text())
    spec = schema["definitions"]["NodePool"]["properties"]
    silent = [name for name, value in spec.items() if "description" not in value]
    assert silent == ["name"]
