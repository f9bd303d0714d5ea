"""The alerts that can follow from a policy, as data: what they watch, and how they are tested.

The tables stand in `alerts/`; `alerts/common.yaml` explains the words in their texts. Nothing is
put in for the words here but macros and XID codes: the rest the policy says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any
from typing import Literal

from gpupolicy.facts.metrics import metrics
from gpupolicy.facts.read import source_texts
from gpupolicy.facts.read import yaml_of
from gpupolicy.facts.xids import Xid
from gpupolicy.facts.xids import xids
from gpupolicy.quantity import parse_duration

_TABLES = ("hardware", "capacity", "queues", "stack")
_MACRO = re.compile(r"%\{(\w+)\}")
_NAME = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")

Scope = Literal["policy", "pool", "device", "tenant", "item", "class", "latency"]
SeverityName = Literal["critical", "warning", "info"]


@dataclass(frozen=True, slots=True)
class ThresholdFact:
    """The threshold of an alert, which a policy may change.

    A `ratio` is 0 to 1 and takes percentages (`20%`); the others take numbers only. `fires` says
    on which side of it the alert fires.
    """

    default: Fraction
    unit: Literal["ratio", "count", "celsius"]
    fires: Literal["above", "below"]


@dataclass(frozen=True, slots=True)
class CaseFact:
    """A promtool case. Times in nanoseconds, `after` counts from the end of `for`.

    `fires` has the labels beside those that the rule itself sets; None: the alert stays silent.
    """

    series: tuple[tuple[str, str], ...]
    after: int
    interval: int
    fires: Mapping[str, str] | None
    value: str


@dataclass(frozen=True, slots=True)
class FormFact:
    """One way to write an alert or a recording, for a scope and under conditions.

    `when` lists conditions that must all hold, `!` for not. `fields` are the fields of the DCGM
    exporter that the expression reads.
    """

    scope: Scope
    when: tuple[str, ...]
    expr: str
    summary: str
    description: str
    cases: tuple[CaseFact, ...]
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlertFact:
    """An alert by the name that policies use. `threshold` is None where there is none to change.

    Times in nanoseconds. With `for_wait` it must hold as long as an SLA lets work wait, and `for_`
    where no SLA says anything. Of the forms of one scope the first that can be had counts.
    """

    name: str
    severity: SeverityName
    threshold: ThresholdFact | None
    for_: int
    for_wait: bool
    keep_firing_for: int
    labels: Mapping[str, str]
    forms: tuple[FormFact, ...]


@dataclass(frozen=True, slots=True)
class RecordingFact:
    """A series of our own; `labels` tell its copies apart."""

    name: str
    labels: Mapping[str, str]
    forms: tuple[FormFact, ...]


@dataclass(frozen=True, slots=True)
class InhibitionFact:
    """While the alert `by` fires, `alerts` with the same labels `equal` are not sent."""

    by: str
    alerts: tuple[str, ...]
    equal: tuple[str, ...]


@cache
def alerts() -> Mapping[str, AlertFact]:
    """Return all alerts by name, in the order of the tables."""
    rows = (row for table in _TABLES for row in _data(table)["alerts"])
    return {row["name"]: _alert(row) for row in rows}


def alert_names() -> tuple[str, ...]:
    """Return the names under which a policy can change an alert."""
    return tuple(row["name"] for table in _TABLES for row in _data(table)["alerts"])


@cache
def recordings() -> tuple[RecordingFact, ...]:
    """Return the recordings, in an order in which each stands behind what it reads."""
    return tuple(each for row in _data("common")["recordings"] for each in _recordings(row))


@cache
def inhibitions() -> tuple[InhibitionFact, ...]:
    """Return which alerts make others superfluous."""
    return tuple(
        InhibitionFact(row["by"], tuple(row["alerts"]), tuple(row["equal"]))
        for row in _data("common")["inhibitions"]
    )


@cache
def serving_kinds() -> frozenset[str]:
    """Return the kinds of workloads whose pods hold devices between requests."""
    return frozenset(_data("capacity")["serving_kinds"])


def sources() -> tuple[str, ...]:
    """Return the sources of all tables as text."""
    ids = [each for table in ("common", *_TABLES) for each in _data(table)["sources"]]
    return source_texts(tuple(dict.fromkeys(ids)))


@cache
def _data(table: str) -> Mapping[str, Any]:
    data: Mapping[str, Any] = yaml_of(f"alerts/{table}.yaml")
    return data


@cache
def _macros() -> Mapping[str, str]:
    macros: dict[str, str] = _data("common")["macros"]
    return macros


def _alert(row: dict[str, Any]) -> AlertFact:
    threshold = row.get("threshold")
    waits = row.get("for") == "wait"
    return AlertFact(
        name=row["name"],
        severity=row["severity"],
        threshold=_threshold(threshold) if threshold else None,
        for_=_time(row["for_else"] if waits else row.get("for", "0s")),
        for_wait=waits,
        keep_firing_for=_time(row.get("keep_firing_for", "0s")),
        labels=row["labels"],
        forms=tuple(_forms(row, _code_words(row.get("xids")))),
    )


def _recordings(row: dict[str, Any]) -> Iterator[RecordingFact]:
    """Give a recording, or one for every value of its `repeat`."""
    repeat = row.get("repeat", {"": [""]})
    for word, values in repeat.items():
        for value in values:
            words = {word: value}
            name = filled(row["record"], words)
            yield RecordingFact(name, row["labels"], tuple(_forms(row, words)))


def _forms(row: dict[str, Any], words: Mapping[str, str]) -> Iterator[FormFact]:
    for form in row.get("forms", ({},)):
        merged = {**row, **form}
        expr = filled(merged["expr"], words)
        known = metrics().fields
        yield FormFact(
            scope=merged["scope"],
            when=(*row.get("when", ()), *(form.get("when", ()))),
            expr=expr,
            summary=filled(merged.get("summary", ""), words),
            description=filled(merged.get("description", ""), words),
            cases=tuple(_case(case, words) for case in merged.get("cases", ())),
            fields=tuple(dict.fromkeys(n for n in _NAME.findall(expr) if n in known)),
        )


def _case(row: dict[str, Any], words: Mapping[str, str]) -> CaseFact:
    fires = row.get("fires")
    return CaseFact(
        series=tuple((filled(k, words), filled(str(v), words)) for k, v in row["series"].items()),
        after=_time(row.get("after", "2m")),
        interval=_time(row.get("interval", "1m")),
        fires=None if fires is None else {k: filled(v, words) for k, v in fires.items()},
        value=row.get("value", ""),
    )


def filled(text: str, words: Mapping[str, str]) -> str:
    """Put macros and the given words in; all other words stay."""
    known = {**_macros(), **words}
    for _ in range(2):  # a macro may use another
        text = _MACRO.sub(lambda m: known.get(m[1], m[0]), text)
    return text


def _threshold(row: dict[str, str]) -> ThresholdFact:
    text = row["default"]
    value = Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    return ThresholdFact(value, row["unit"], row["fires"])  # type: ignore[arg-type]


def _time(text: str) -> int:
    return parse_duration(text)


def _code_words(chosen: Mapping[str, Any] | None) -> Mapping[str, str]:
    """Give %{xids}, a regular expression, and %{xid}, one of them, for a choice of codes."""
    if chosen is None:
        return {}
    codes = [str(xid.code) for xid in matching(xids(), chosen)]
    return {"xids": "|".join(codes), "xid": codes[0]}


def matching(codes: Iterable[Xid], chosen: Mapping[str, Any]) -> list[Xid]:
    """Choose codes by their properties: a truth, or a list of what is chosen."""
    return [
        xid
        for xid in codes
        if all(
            getattr(xid, key) in (wanted if isinstance(wanted, list) else (wanted,))
            for key, wanted in chosen.items()
        )
    ]
