from __future__ import annotations

import pytest

from gpupolicy.diagnostics.model import Span
from gpupolicy.diagnostics.suppression import Suppression
from gpupolicy.source.suppressions import find
from tests.source.loading import POLICY
from tests.source.loading import document

MARK = "# gpupolicy: ignore[GP312]"


def lines(text: str) -> list[int]:
    return [found.line for found in find({"a.yaml": text})]


def test_a_suppression_is_read_whole() -> None:
    text = f"a: 1  {MARK} the pool grows until=2027-03-01\n"
    span = Span("a.yaml", 1, 7, 1, len(text))
    assert find({"a.yaml": text}) == [
        Suppression("a.yaml", 1, ("GP312",), "the pool grows", "2027-03-01", span, alone=False)
    ]


@pytest.mark.parametrize(
    ("comment", "codes", "reason", "until"),
    [
        ("ignore[GP312]", ("GP312",), "", None),
        ("ignore[GP312, GP101]  why ", ("GP312", "GP101"), "why", None),
        ("ignore[GP312] until=2027-03-01 why", ("GP312",), "why", "2027-03-01"),
        ("ignore[GP312] until= why", ("GP312",), "why", ""),
        ("ignore[] why", (), "why", None),
        ("ignore GP312 why", (), "ignore GP312 why", None),
        ("ignroe[GP312]", (), "ignroe[GP312]", None),
        ("", (), "", None),
    ],
)
def test_forms(comment: str, codes: tuple[str, ...], reason: str, until: str | None) -> None:
    (found,) = find({"a.yaml": f"a: 1 # gpupolicy: {comment}\n"})
    assert (found.codes, found.reason, found.until) == (codes, reason, until)


@pytest.mark.parametrize(
    "spelling",
    ["#gpupolicy:ignore[GP1]", "#  gpupolicy:   ignore[GP1]", "# c # gpupolicy: ignore[GP1]"],
)
def test_blanks_and_other_comments_do_not_matter(spelling: str) -> None:
    assert find({"a.yaml": f"a: 1 {spelling}\n"})[0].codes == ("GP1",)


def test_two_on_one_line() -> None:
    found = find({"a.yaml": "a: 1 # gpupolicy: ignore[GP1] x # gpupolicy: ignore[GP2] y\n"})
    assert [(one.codes, one.reason) for one in found] == [(("GP1",), "x"), (("GP2",), "y")]


def test_a_comment_alone_on_its_line() -> None:
    assert [one.alone for one in find({"a.yaml": f"{MARK}\n  {MARK}\n- {MARK}\n  a {MARK}\n"})] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"a: 'x {MARK} y'\n",
        f'a: "x {MARK} y"\n',
        f"a: 'x\n  {MARK}\n  y'\n",
        f"a: |\n  x\n  {MARK}\n  y\n",
        f"a: >-\n  {MARK}\n",
        f"a: x{MARK}\n",
        f"'{MARK} x': 1\n",
        f"a: [b, 'x {MARK}']\n",
    ],
)
def test_what_only_looks_like_a_comment(text: str) -> None:
    assert find({"a.yaml": text}) == []


def test_comments_are_found_everywhere_else() -> None:
    text = (
        f"{MARK}\n"
        f"a:   {MARK}\n"
        f"  - | {MARK}\n"
        f"    x {MARK}\n"
        f"  {MARK}\n"
        f"  - 'x'   {MARK}\n"
        f"  - [a,   {MARK}\n"
        f"     b]   {MARK}\n"
        f"  - plain {MARK}\n"
        f"  - é\n"
        f"---     {MARK}\n"
        f"b: {{}}\n"
        f"{MARK}"
    )
    assert lines(text) == [1, 2, 3, 5, 6, 7, 8, 9, 11, 13]


def test_they_are_sorted_by_file_and_line() -> None:
    found = find({"b.yaml": f"{MARK}\n{MARK}\n", "a.yaml": f"\n{MARK}\n"})
    assert [(one.file, one.line) for one in found] == [("a.yaml", 2), ("b.yaml", 1), ("b.yaml", 2)]


def test_after_a_syntax_error_nothing_is_raised() -> None:
    assert lines(f"a: 1 {MARK}\nb: [\n") == [1]


def test_a_document_has_those_of_all_its_files() -> None:
    loaded = document(POLICY + f"a: 1 {MARK}\n", overlays=(f"# x\r\nb: 1 {MARK}\r\n",))
    assert [(one.file, one.line) for one in loaded.suppressions] == [("a.yaml", 3), ("x.yaml", 2)]
