"""Findings get places, an order, and are said once."""

from __future__ import annotations

import pytest

from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Part
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Related
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.model import Span
from gpupolicy.diagnostics.settle import settle


def span(line: int, column: int = 1, file: str = "policy.yaml") -> Span:
    return Span(file, line, column, line, column + 4)


class Places:
    """A document that knows a few paths."""

    def __init__(self, places: dict[tuple[Path, Part], Span]) -> None:
        self.places = places

    def span_of(self, path: Path, part: Part = "value") -> Span | None:
        return self.places.get((path, part))


DOCUMENT = Places(
    {
        (("spec",), "key"): span(3),
        (("spec", "nodePools"), "key"): span(4),
        (("spec", "nodePools", 0, "gpu"), "key"): span(5, 5),
        (("spec", "nodePools", 0, "gpu"), "value"): span(5, 10),
    }
)
GPU: Path = ("spec", "nodePools", 0, "gpu")


def test_a_path_becomes_the_place_of_its_value() -> None:
    (found,) = settle([Diagnostic("GP201", "x", GPU)], DOCUMENT)
    assert found.span == span(5, 10)


def test_a_path_becomes_the_place_of_its_key_where_the_key_is_wrong() -> None:
    (found,) = settle([Diagnostic("GP101", "x", GPU, "key")], DOCUMENT)
    assert found.span == span(5, 5)


def test_what_is_missing_is_placed_at_the_key_of_what_it_is_missing_from() -> None:
    path = ("spec", "nodePools", 7, "nodes")
    (found,) = settle([Diagnostic("GP102", "x", path)], DOCUMENT)
    assert found.span == span(4)


def test_related_places_are_found_too() -> None:
    one = Diagnostic("GP401", "x", GPU, related=(Related("here", GPU, "key"), Related("no path")))
    (found,) = settle([one], DOCUMENT)
    assert [other.span for other in found.related] == [span(5, 5), None]


def test_a_place_that_the_loader_gave_is_kept() -> None:
    (found,) = settle([Diagnostic("GP005", "x", GPU, span=span(9))], DOCUMENT)
    assert found.span == span(9)


def test_without_a_document_findings_keep_their_paths() -> None:
    (found,) = settle([Diagnostic("GP001", "x", GPU)], None)
    assert found.span is None
    assert found.path == GPU


def test_the_order_is_file_line_column_code() -> None:
    expected = [
        Diagnostic("GP002", "x", span=span(2, 7, "a.yaml")),
        Diagnostic("GP001", "x", span=span(10, 1, "a.yaml")),
        Diagnostic("GP001", "x", span=span(1, 1, "b.yaml")),
        Diagnostic("GP002", "x", span=span(1, 1, "b.yaml")),
        Diagnostic("GP001", "x", span=span(1, 2, "b.yaml")),
    ]
    for shuffled in (expected[::-1], expected[2:] + expected[:2]):
        assert settle(shuffled, None) == expected


def test_what_is_said_twice_of_one_place_is_shown_once() -> None:
    one = Diagnostic("GP201", "x", ("spec", "a"), span=span(5))
    same = Diagnostic("GP201", "x", ("spec", "b"), span=span(5))
    other = Diagnostic("GP201", "y", ("spec", "b"), span=span(5))
    assert settle([one, same, other], None) == [one, other]


def test_equal_messages_at_two_paths_without_a_place_are_both_shown() -> None:
    found = [Diagnostic("GP201", "x", ("spec", "a")), Diagnostic("GP201", "x", ("spec", "b"))]
    assert settle(found, None) == found


def test_consequences_of_a_finding_are_dropped() -> None:
    cause = Diagnostic("GP201", "no such GPU", span=span(9), group="pool train")
    effect = Diagnostic("GP401", "no capacity", span=span(2), group="pool train")
    other = Diagnostic("GP401", "no capacity", span=span(3), group="pool infer")
    assert settle([cause, effect, other], None) == [other, cause]


@pytest.mark.parametrize("severity", [Severity.WARNING, Severity.NOTE])
def test_a_warning_never_hides_an_error_of_its_group(severity: Severity) -> None:
    first = Diagnostic("GP301", "w", severity=severity, span=span(1), group="g")
    error = Diagnostic("GP302", "e", span=span(2), group="g")
    assert settle([first, error], None) == [error]
