"""Whole policies in, outcomes out: what the acceptance cases are written with.

A case gives the inside of `spec`. Guillemets stand around the words that a finding must point at:
they are taken out before the text is compiled. Objects are read back from the bytes that are
written, with a YAML 1.1 reader, which is what most tools have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent
from textwrap import indent
from typing import Any

import yaml

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import check_policy
from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.layout import lay_out
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.render.text import render_text
from gpupolicy.source.load import SourceText

FILE = "policy.yaml"
PLATFORM = '{kubernetes: "1.34", gpuOperator: {version: "26.7"}, kueue: {version: "0.19"}}'
_HEAD = "apiVersion: gpupolicy.dev/v1alpha1\nkind: GPUClusterPolicy\nmetadata: {name: ai}\nspec:\n"
_TODAY = "2026-11-30"

Object = dict[str, Any]
Place = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a policy."""

    compiled: Compiled
    text: str

    def found(self, *severities: Severity) -> list[Diagnostic]:
        """Give the findings of some severities, all if none is named."""
        wanted = severities or tuple(Severity)
        return [one for one in self.compiled.diagnostics if one.severity in wanted]

    @property
    def shown(self) -> str:
        return render_text(self.compiled.diagnostics, self.compiled.texts)

    @property
    def tree(self) -> dict[str, str]:
        """The output by path."""
        assert self.compiled.bundle is not None, self.shown
        files, clashes = lay_out(self.compiled.bundle)
        assert clashes == []
        return {path: file.data.decode() for path, file in files.items()}

    def file(self, name: str) -> Any:
        """Read a YAML file of `files/`."""
        return yaml.safe_load(self.tree[f"files/{name}"])

    def objects(self, kind: str | None = None) -> list[Object]:
        """Read the objects of a kind, or all, in the order in which they are to be applied."""
        read = [
            yaml.load(text, Loader=yaml.CSafeLoader)
            for path, text in self.tree.items()
            if "/" in path and not path.startswith("files/")
        ]
        return [one for one in read if kind in (None, one["kind"])]

    def named(self, kind: str, name: str) -> Object:
        """Read one object by its name."""
        (one,) = [o for o in self.objects(kind) if o["metadata"]["name"] == name]
        return one

    def only(self, kind: str) -> Object:
        """Read the only object of a kind."""
        (one,) = self.objects(kind)
        return one


def policy(spec: str) -> str:
    """Make a whole policy text of the inside of `spec`; without `platform` it is Kueue's."""
    spec = dedent(spec).strip("\n") + "\n"
    if not re.search(r"^platform:", spec, re.MULTILINE):
        spec = f"platform: {PLATFORM}\n{spec}"
    return _HEAD + indent(spec, "  ")


def unmark(text: str) -> tuple[str, list[Place]]:
    """Take the guillemets out; give the places that they stood around."""
    lines, places = [], []
    for number, line in enumerate(text.split("\n"), 1):
        while "«" in line:
            start = line.index("«")
            end = line.index("»") - 1
            line = line.replace("«", "", 1).replace("»", "", 1)
            places.append((number, start + 1, number, end + 1))
        lines.append(line)
    return "\n".join(lines), places


def compile_text(text: str | bytes, *others: SourceText) -> Outcome:
    """Compile a policy text as it stands."""
    data = text.encode() if isinstance(text, str) else text
    sources = [SourceText(FILE, data), *others]
    return Outcome(compile_policy(sources, today=_TODAY), data.decode())


def compiled(spec: str) -> Outcome:
    """Compile the inside of `spec`; whatever is found, it must not be an error."""
    outcome = compile_text(unmark(policy(spec))[0])
    assert outcome.found(Severity.ERROR) == [], outcome.shown
    assert outcome.compiled.bundle, outcome.shown
    return outcome


def accepted(spec: str, *allowed: str) -> Outcome:
    """Compile the inside of `spec`; nothing may be found but findings of the codes allowed."""
    outcome = compiled(spec)
    assert [one.code for one in outcome.found() if one.code not in allowed] == [], outcome.shown
    return outcome


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding, and the whole of what it says."""

    one: Diagnostic
    outcome: Outcome

    def says(self, *words: str) -> Finding:
        """The message has all of these."""
        return self._has(self.one.message, words)

    def helps(self, *words: str) -> Finding:
        """The hint has all of these."""
        return self._has(self.one.hint or "", words)

    def explains(self, *words: str) -> Finding:
        """Message, hint, notes and related places together have all of these."""
        one = self.one
        asides = [*one.notes, *(other.message for other in one.related)]
        return self._has("\n".join([one.message, one.hint or "", *asides]), words)

    def _has(self, text: str, words: tuple[str, ...]) -> Finding:
        for word in words:
            assert _is_in(word, text), f"{word!r} is not in {text!r}\n{self.outcome.shown}"
        return self


def _is_in(word: str, text: str) -> bool:
    """Look for whole words: `3` is not in `36`, and `1g.10gb` not in `1g.10gb+me`."""
    return bool(re.search(rf"(?<![\w.+]){re.escape(word)}(?![\w+]|\.\w)", text, re.IGNORECASE))


def refused(spec: str, code: str) -> Finding:
    """Compile the inside of `spec`: there is one error, it is at the mark, and nothing comes of it.

    One cause gives one finding, so there may be no other of any severity.
    """
    return refused_text(policy(spec), code)


def refused_text(marked: str, code: str) -> Finding:
    """The same for a whole policy text."""
    finding = _alone(marked, code, Severity.ERROR)
    assert finding.outcome.compiled.bundle is None
    checked = check_policy([SourceText(FILE, unmark(marked)[0].encode())], today=_TODAY)
    assert code in [one.code for one in checked.diagnostics], finding.outcome.shown
    return finding


def warned(spec: str, code: str, *allowed: str) -> Finding:
    """Compile the inside of `spec`: it compiles, with one warning at the mark."""
    finding = _alone(policy(spec), code, Severity.WARNING, allowed)
    assert finding.outcome.compiled.bundle, finding.outcome.shown
    return finding


def _alone(marked: str, code: str, severity: Severity, allowed: tuple[str, ...] = ()) -> Finding:
    text, places = unmark(marked)
    outcome = compile_text(text)
    found = [one for one in outcome.found() if one.code not in allowed]
    assert [one.code for one in found] == [code], outcome.shown
    (one,) = found
    assert one.severity is severity
    assert one.span is not None, outcome.shown
    (place,) = places
    where = (one.span.line, one.span.column, one.span.end_line, one.span.end_column)
    assert (one.span.file, where) == (FILE, place), outcome.shown
    return Finding(one, outcome)


# What many cases ask of the output.


def values(outcome: Outcome) -> Any:
    """Read the GPU Operator's Helm values."""
    return outcome.file("gpu-operator-values.yaml")


def cells(queue: Object) -> dict[tuple[str, str], Object]:
    """Read the cells of a ClusterQueue or Cohort by flavor and resource."""
    return {
        (flavor["name"], cell["name"]): cell
        for group in queue.get("spec", {}).get("resourceGroups", [])
        for flavor in group["flavors"]
        for cell in flavor["resources"]
    }


def node_labels(outcome: Outcome) -> dict[str, Any]:
    """Read the labels that NodeFeatureRules put on nodes, by pool."""
    rules = [rule for one in outcome.objects("NodeFeatureRule") for rule in one["spec"]["rules"]]
    return {rule["labels"]["gpupolicy.dev/pool"]: rule["labels"] for rule in rules}


def plugin_configs(outcome: Outcome) -> dict[str, Any]:
    """Read the device plugin's configurations by their keys."""
    name = values(outcome)["devicePlugin"]["config"]["name"]
    data = outcome.named("ConfigMap", name)["data"]
    return {key: yaml.safe_load(text) for key, text in data.items()}


def mig_configs(outcome: Outcome) -> dict[str, Any]:
    """Read the MIG layouts by their names."""
    name = values(outcome)["migManager"]["config"]["name"]
    data = outcome.named("ConfigMap", name)["data"]
    layouts: dict[str, Any] = yaml.safe_load(data["config.yaml"])["mig-configs"]
    return layouts


def texts(value: Any) -> Iterator[str]:
    """Give every text in plain data, keys included."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    else:
        yield str(value)
