"""Blueprints: whole policies to start from, and the values in them that users choose.

A blueprint is a plain policy file (or a folder of them) that compiles as it stands, so it is
tested like any policy. What a user may choose is declared in comments at its beginning:

    # For a lab with one workstation that several people share.
    # param gpu nodePools[lab].gpu: the card, by a name that 'gpupolicy catalog' lists

The default is the value that stands at that place; `init` writes another in its stead and keeps
everything else, comments and layout included. An item of a list is named by its `name` or its
number.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass

from gpupolicy.cli import shipped
from gpupolicy.deliver.read import read_sources
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Span
from gpupolicy.source.document import Document
from gpupolicy.source.load import SourceText
from gpupolicy.source.load import load

_PARAMETER = re.compile(r"# param (?P<name>[a-z][A-Za-z0-9-]*) (?P<path>\S+): (?P<about>.+)")
_EDITOR = re.compile(r"# yaml-language-server:")
_STEP = re.compile(r"\.?([A-Za-z][A-Za-z0-9]*)|\[([^\[\]]+)\]")
# What can stand in a policy without quotes and is read as it was typed.
_PLAIN = re.compile(r"-[0-9]+\Z|[A-Za-z0-9][A-Za-z0-9_./%+-]*(?::[A-Za-z0-9_./%+-]+)*\Z")
_BASE = "base/"
_NULLS = frozenset({"null", "Null", "NULL"})


class BlueprintError(Exception):
    """What was asked of a blueprint does not exist; the text says what there is."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value of a blueprint that users choose; `default` is the text that stands there."""

    name: str
    path: str
    about: str
    default: str


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A blueprint as it lies on disk; names of files are relative, with `/`.

    A folder with `base/` has overlays beside it, each to be laid over the base.
    """

    name: str
    is_folder: bool
    about: str
    sources: tuple[SourceText, ...]
    overlays: tuple[SourceText, ...]
    document: Document

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What users choose, in the order in which the files declare it."""
        return tuple(
            Parameter(match["name"], match["path"], match["about"], self._text_at(match["path"]))
            for source in self.sources
            for match in map(_PARAMETER.match, source.text.decode().splitlines())
            if match
        )

    def filled(self, values: Mapping[str, str]) -> dict[str, str]:
        """Give the files with values in place of the defaults, by parameter or by path.

        Raises `BlueprintError` for a name that is neither.
        """
        paths = {parameter.name: parameter.path for parameter in self.parameters}
        chosen = [(self._span(paths.get(name, name)), value) for name, value in values.items()]
        texts = {source.name: self.document.texts[source.name] for source in self.sources}
        for span, value in sorted(chosen, key=lambda pair: pair[0], reverse=True):
            texts[span.file] = _replaced(texts[span.file], span, value)
        texts |= {overlay.name: overlay.text.decode() for overlay in self.overlays}
        return {name: _without_declarations(text) for name, text in texts.items()}

    def _text_at(self, path: str) -> str:
        value: object = self.document.data
        for step in _resolved(path, value) or ():
            value = value[step]  # type: ignore[index]
        return str(value)

    def _span(self, path: str) -> Span:
        steps = _resolved(path, self.document.data)
        span = self.document.span_of(steps) if steps else None
        if span is None or span.line != span.end_line:
            names = ", ".join(parameter.name for parameter in self.parameters)
            has = f"its parameters are {names}" if names else "it has no parameters"
            paths = list(_paths_to(path, self.document.data.get("spec"), ""))[:3]
            where = f"; by its path it is {' or '.join(paths)}" if paths else ""
            raise BlueprintError(f"'{path}' is no value of blueprint '{self.name}'; {has}{where}")
        return span


def names() -> list[str]:
    """List the blueprints that come with the program."""
    return sorted(
        {
            entry.removesuffix(".yaml")
            for entry in os.listdir(shipped.folder("blueprints"))
            if not entry.startswith(".")
        }
    )


def find(name: str) -> Blueprint:
    """Read a blueprint. Raises `BlueprintError` if there is none of that name."""
    known = names()
    if name not in known:
        raise BlueprintError(f"there is no blueprint '{name}'; there are {', '.join(known)}")
    root = shipped.folder("blueprints", name)
    is_folder = os.path.isdir(root)
    base = root if is_folder else os.path.dirname(root)
    files = tuple(
        SourceText(os.path.relpath(source.name, base).replace(os.sep, "/"), source.text)
        for source in read_sources([root if is_folder else f"{root}.yaml"])
    )
    policy = tuple(file for file in files if file.name.startswith(_BASE)) or files
    overlays = tuple(file for file in files if file not in policy)
    document, _ = load(policy)
    assert document is not None, f"blueprint '{name}' is broken"
    return Blueprint(name, is_folder, _about(policy), policy, overlays, document)


def _about(sources: tuple[SourceText, ...]) -> str:
    """Give what the first comment for people says up to its first stop: "For a university"."""
    for source in sources:
        for line in source.text.decode().splitlines():
            if line.startswith("# ") and not _EDITOR.match(line):
                return re.split(r"[:.]", line[2:], maxsplit=1)[0]
    return ""


def _resolved(path: str, data: object) -> Path | None:
    """Turn `nodePools[lab].gpu` into keys and numbers; None if there is no single value there."""
    steps: list[str | int] = []
    for part in _steps(path):
        if part is None:
            return None
        if isinstance(data, list):
            index = _index(part, data)
            if index is None:
                return None
            steps.append(index)
            data = data[index]
        elif isinstance(data, dict) and part in data:
            steps.append(part)
            data = data[part]
        else:
            return None
    return None if isinstance(data, dict | list) else tuple(steps)


def _paths_to(name: str, data: object, at: str) -> Iterator[str]:
    """Find the single values under a key: `nodes` may be `nodePools[lab].nodes`."""
    if isinstance(data, dict):
        for key, value in data.items():
            path = f"{at}.{key}" if at else key
            if key == name and not isinstance(value, dict | list):
                yield path
            yield from _paths_to(name, value, path)
    elif isinstance(data, list):
        for index, item in enumerate(data):
            named = item.get("name", index) if isinstance(item, dict) else index
            yield from _paths_to(name, item, f"{at}[{named}]")


def _steps(path: str) -> Iterator[str | None]:
    """Split a path; `None` where it is malformed. `spec` may be left out."""
    if not path.startswith(("spec.", "metadata.")):
        yield "spec"
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            yield None
            return
        yield match[1] or match[2]
        at = match.end()


def _index(part: str, items: list[object]) -> int | None:
    for index, item in enumerate(items):
        if isinstance(item, dict) and item.get("name") == part:
            return index
    return int(part) if part.isdecimal() and int(part) < len(items) else None


def _replaced(text: str, span: Span, value: str) -> str:
    lines = text.split("\n")
    line = lines[span.line - 1]
    start, end = span.column - 1, span.end_column - 1
    lines[span.line - 1] = line[:start] + _written(value, like=line[start:end]) + line[end:]
    return "\n".join(lines)


def _written(value: str, like: str) -> str:
    """Write a value as YAML: in quotes if its predecessor has them, or if it needs them."""
    if like[:1] not in ("'", '"') and _PLAIN.match(value) and value not in _NULLS:
        return value
    import json

    return json.dumps(value, ensure_ascii=False)


def _without_declarations(text: str) -> str:
    """Leave out the comments that speak of the blueprint, not of the policy."""
    lines = text.split("\n")
    kept = [line for line in lines if not (_PARAMETER.match(line) or _EDITOR.match(line))]
    after = [*kept[1:], ""]
    # An empty comment line parts two paragraphs; where one of them has gone, so does the line.
    return "\n".join(
        line
        for index, (line, following) in enumerate(zip(kept, after, strict=True))
        if line != "#" or (index > 0 and following.startswith("#"))
    )
