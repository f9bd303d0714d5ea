"""Pieces of Common Expression Language: literals, and the shape of a rule."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gpupolicy.manifest.key import Data

_LONG = 90


@dataclass(frozen=True, slots=True)
class Rule:
    """One validation. `name` stands at the head of its message, so that people can refer to it.

    `message` is what is said where `says` is absent or fails; that is an expression that starts
    with a literal.
    """

    name: str
    reason: Literal["Forbidden", "Invalid"]
    expression: str
    message: str
    says: str = ""

    def validation(self) -> Data:
        """Write the rule as a ValidatingAdmissionPolicy does."""
        data = {"expression": block(self.expression), "message": f"{self.name}: {self.message}"}
        if self.says:
            data["messageExpression"] = f"'{self.name}: " + block(self.says).removeprefix("'")
        return data | {"reason": self.reason}


def variable(name: str, expression: str) -> Data:
    """Name an expression; later ones may use it as `variables.<name>`."""
    return {"name": name, "expression": block(expression)}


def block(expression: str) -> str:
    """Take the indentation of the source away; no literal goes over the end of a line."""
    return "\n".join(line.strip() for line in expression.strip().splitlines())


def text(value: str) -> str:
    """Write text as a literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def texts(values: Iterable[str]) -> str:
    """Write a list of texts, on lines of their own if one would be long."""
    items = [text(value) for value in values]
    line = ", ".join(items)
    return f"[{line}]" if len(line) < _LONG else "[\n" + ",\n".join(items) + "\n]"


def record(fields: Mapping[str, str]) -> str:
    """Write a map of texts."""
    return "{" + ", ".join(f"{text(k)}: {text(v)}" for k, v in fields.items()) + "}"
