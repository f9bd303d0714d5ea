"""Quantities, percentages and durations, against Kubernetes' own parser where there is Go."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from hypothesis import settings

from gpupolicy import quantity
from gpupolicy.quantity import QuantityError
from tests.tools import go_reader

SUFFIXES = ["", *"numkMGTPE", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2", "e+1", "e0", "E6"]
NUMBERS = st.from_regex(r"[+-]?([0-9]{1,7}(\.[0-9]{0,4})?|\.[0-9]{1,4})", fullmatch=True)
QUANTITIES = st.builds(str.__add__, NUMBERS, st.sampled_from(SUFFIXES))
NEARLY = st.text("0123456789.+-eEinumkKMGTPBb _x,", max_size=8)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0), ("1", 1), ("1.5", Fraction(3, 2)), (".5", Fraction(1, 2)), ("5.", 5), ("+1", 1),
        ("-1", -1),
        ("500m", Fraction(1, 2)), ("3u", Fraction(3, 10**6)), ("7n", Fraction(7, 10**9)),
        ("2k", 2000),
        ("1M", 10**6), ("1G", 10**9), ("1T", 10**12), ("1P", 10**15), ("1E", 10**18), ("1Ki", 1024),
        ("1.5Gi", 3 * 2**29), ("1Ti", 2**40), ("1Pi", 2**50), ("1Ei", 2**60), ("1e3", 1000),
        ("1E3", 1000),
        ("12e-3", Fraction(12, 1000)), ("1e+2", 100), ("007", 7),
    ],
)  # fmt: skip
def test_parse(text: str, value: Fraction | int) -> None:
    assert quantity.parse(text) == value


@pytest.mark.parametrize(
    ("text", "advice", "nearest"),
    [
        ("64GiB", "write 64Gi", "64Gi"),
        ("64GB", "write 64G", "64G"),
        ("64gb", "write 64G", "64G"),
        ("64gi", "write 64Gi", "64Gi"),
        ("64 Gi", "write 64Gi", "64Gi"),
        ("64K", "write 64k (thousands) or 64Ki (1024s)", "64k"),
        ("64KiB", "write 64Ki", "64Ki"),
        ("64ki", "write 64Ki", "64Ki"),
        ("1,5G", "write 1.5G", "1.5G"),
        ("64B", "write 64", "64"),
        ("", "it is empty", ""),
    ],
)
def test_a_073_units_that_kubernetes_does_not_have(text: str, advice: str, nearest: str) -> None:
    with pytest.raises(QuantityError) as caught:
        quantity.parse(text)
    assert str(caught.value) == f"'{text}' is not a quantity: {advice}"
    assert caught.value.nearest == nearest


def test_a_073_fraction_of_a_byte() -> None:
    with pytest.raises(
        QuantityError, match=r"'1.1Gi' is not a whole number of bytes: write 1126Mi"
    ):
        quantity.memory_bytes("1.1Gi")
    assert quantity.memory_bytes("1.5Gi") == 1536 * 2**20


@pytest.mark.parametrize("text", ["500m", "1000m", "3u", "5n"])
def test_a_076_memory_in_thousandths_of_a_byte(text: str) -> None:
    with pytest.raises(QuantityError) as caught:
        quantity.memory_bytes(text)
    assert f"write {text[:-1]}M or {text[:-1]}Mi" in str(caught.value)
    if text.endswith("m"):
        assert quantity.cpu_millis(text) == int(text[:-1])


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("1900000000000m", "1900M"),
        ("128974848000m", "128974848"),
        ("128974848001m", "123Mi"),
        ("2000000000000000u", "2G"),
    ],
)
def test_memory_that_programs_print_in_thousandths(text: str, nearest: str) -> None:
    """Kubernetes prints a quotient so; the hint is what it is, not a thousand million times it."""
    with pytest.raises(QuantityError, match=f"'{text}' counts parts of a byte: write {nearest}$"):
        quantity.memory_bytes(text)
    near = quantity.memory_bytes(nearest)
    assert near <= quantity.parse(text) < near + 2**20


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("64 gigabytes", "64G"),
        ("64 GibiBytes", "64Gi"),
        ("1megabyte", "1M"),
        ("512 bytes", "512"),
        ("16 cores", "16"),
        ("4 vCPU", "4"),
        ("1_000", "1000"),
        ("1_024Mi", "1024Mi"),
        ("-4Gi", "4Gi"),
        ("9Ei", "9E"),
        ("1e70", "9E"),
        ("1e-70", "1n"),
        ("1.0000000001", "1"),
    ],
)
def test_every_refusal_names_a_quantity_that_is_one(text: str, nearest: str) -> None:
    with pytest.raises(QuantityError) as caught:
        quantity.cpu_millis(text) if text.startswith("-") else quantity.parse(text)
    assert caught.value.nearest == nearest
    assert nearest in str(caught.value)
    quantity.parse(nearest)


NO_QUANTITIES = [
    "a", "Gi", ".", "-", "+", "m", "e3", "1e", "1e1.5", "0x10", "1_000", "1K", "1kB", "1 1", "--1",
    "\u0661", "1e3Gi", "1\n", "1m ", "\xbd", "inf", "nan", "1.2.3", "1e99999", "9" * 60, "9Ei",
    "1e65",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_QUANTITIES)
def test_parse_refuses(text: str) -> None:
    with pytest.raises(QuantityError):
        quantity.parse(text)


def test_what_kubernetes_would_round_or_cap_is_refused() -> None:
    for text in ("0.1n", "1e-10", "9223372036854775808", "8Ei"):
        with pytest.raises(QuantityError, match="than Kubernetes can hold"):
            quantity.parse(text)
    assert quantity.parse("9223372036854775807") == 2**63 - 1


@pytest.mark.parametrize(
    "read", [quantity.cpu_millis, quantity.memory_bytes, quantity.memory_mib, quantity.count]
)
def test_negative_amounts_are_refused(read: Any) -> None:
    with pytest.raises(QuantityError, match="'-1' is negative"):
        read("-1")
    assert read("-0") == 0


def test_readers_of_one_resource() -> None:
    assert quantity.cpu_millis("1.5") == quantity.cpu_millis("1500m") == 1500
    assert quantity.memory_mib("1900Gi") == 1900 * 1024
    assert quantity.memory_mib("1M") == 0
    assert quantity.count("2k") == 2000
    with pytest.raises(QuantityError, match="finer than a thousandth of a core"):
        quantity.cpu_millis("0.0001")
    with pytest.raises(QuantityError, match=r"'1.5' is not a whole number: write 1"):
        quantity.count("1.5")


@pytest.mark.parametrize(
    ("millis", "text"),
    [
        (0, "0"), (1, "1m"), (1500, "1500m"), (1440000, "1440"), (102857142, "102857142m"),
        (2000000, "2k"),
        (1500000, "1500"), (10**12, "1G"), (100, "100m"), (-1000, "-1"),
    ],
)  # fmt: skip
def test_format_cpu(millis: int, text: str) -> None:
    assert quantity.format_cpu(millis) == text


@pytest.mark.parametrize(
    ("mib", "text"),
    [
        (0, "0"),
        (1, "1Mi"),
        (28800, "28800Mi"),
        (1900 * 1024, "1900Gi"),
        (2**20, "1Ti"),
        (2**30, "1Pi"),
    ],
)
def test_format_memory_mib(mib: int, text: str) -> None:
    assert quantity.format_memory_mib(mib) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (8, "8"),
        (999, "999"),
        (1000, "1k"),
        (1500, "1500"),
        (10**6, "1M"),
        (12 * 10**5, "1200k"),
    ],
)
def test_format_count(number: int, text: str) -> None:
    assert quantity.format_count(number) == text


def test_format_bytes() -> None:
    assert quantity.format_bytes(7 * 2**40) == "7Ti"
    assert quantity.format_bytes(1000) == "1k"
    assert quantity.format_bytes(1025) == "1025"
    assert quantity.format_bytes(2**70) == "1024Ei"


@given(st.integers(0, 2**62))
def test_what_is_written_is_read_back(number: int) -> None:
    assert quantity.count(quantity.format_count(number)) == number
    assert quantity.memory_bytes(quantity.format_bytes(number)) == number
    millis = number // 1000
    assert quantity.cpu_millis(quantity.format_cpu(millis)) == millis


def _refusal(read: Any, text: str) -> QuantityError | None:
    try:
        read(text)
    except QuantityError as error:
        return error
    return None


@given(st.text(max_size=20) | NEARLY)
def test_any_text_is_read_or_refused_in_one_printable_line(text: str) -> None:
    for read in (quantity.parse, quantity.parse_duration, quantity.parse_percentage):
        assert "\n" not in str(_refusal(read, text))


@given(st.from_regex(r"[0-9]{1,3}([.,][0-9]{1,2})? ?[kKmMgGtT]?i?[bB]?", fullmatch=True))
def test_a_spelling_that_is_proposed_is_right(text: str) -> None:
    refusal = _refusal(quantity.parse, text)
    if refusal is not None:
        assert refusal.nearest is not None
        quantity.parse(refusal.nearest)


def _is_beyond_reason(text: str) -> bool:
    """Tell whether Kubernetes would make a number of thousands of digits of it."""
    exponent = re.search(r"[eE][+-]?([0-9]+)\Z", text)
    return exponent is not None and int(exponent[1]) > 64


@pytest.mark.tools
def test_kubernetes_reads_the_same_numbers() -> None:
    texts: list[str] = []

    @settings(max_examples=3000, database=None)
    @given(QUANTITIES | NEARLY)
    def collect(text: str) -> None:
        texts.append(text)

    collect()
    checked = 0
    for text, answer in zip(texts, go_reader.read("quantity", texts), strict=True):
        try:
            value = quantity.parse(text)
        except QuantityError:
            assert "error" in answer or _is_loose(text) or _is_beyond_reason(text), text
            continue
        assert value * 10**9 == int(answer["nano"]), text
        checked += 1
    assert checked > 500


def _is_loose(text: str) -> bool:
    """Tell what apimachinery lets pass and we do not: no digit, finer than 1n, over 2^63-1."""
    if not any(character.isdigit() for character in text.partition("e")[0].partition("E")[0]):
        return True
    return "than Kubernetes can hold" in str(_refusal(quantity.parse, text))


@pytest.mark.tools
def test_kubernetes_writes_the_same_canonical_form() -> None:
    numbers = [0, 1, 7, 999, 1000, 1024, 1500, 2000, 1_000_000, 1_048_576, 123_456, 10**9, 2**40]
    cases = [
        *((quantity.format_count(n), str(n)) for n in numbers),
        *((quantity.format_cpu(n), f"{n}m") for n in numbers),
        *((quantity.format_memory_mib(n), f"{n}Mi") for n in numbers),
        *((quantity.format_bytes(n * 1024), f"{n}Ki") for n in numbers),
    ]
    answers = go_reader.read("quantity", [text for _, text in cases])
    assert [ours for ours, _ in cases] == [answer["value"] for answer in answers]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("50%", Fraction(1, 2)),
        ("33.3%", Fraction(333, 1000)),
        ("99.95%", Fraction(1999, 2000)),
        ("0%", 0),
        ("100%", 1),
    ],
)
def test_parse_percentage(text: str, part: Fraction) -> None:
    assert quantity.parse_percentage(text) == part


@pytest.mark.parametrize(
    "text", ["50", "", "%", "-5%", "5 %", "1e2%", ".5%", "101%", "100.1%", "\uff15%"]
)
def test_parse_percentage_refuses(text: str) -> None:
    with pytest.raises(QuantityError):
        quantity.parse_percentage(text)


@pytest.mark.parametrize(
    ("text", "seconds", "written", "prometheus"),
    [
        ("30s", 30, "30s", "30s"),
        ("36h", 129600, "36h", "36h"),
        ("1.5h", 5400, "1h30m", "1h30m"),
        ("90m", 5400, "1h30m", "1h30m"),
        ("2d", 172800, "48h", "2d"),
        ("1d12h", 129600, "36h", "36h"),
        ("500ms", 0.5, "500ms", "500ms"),
        ("1m0.5s", 60.5, "1m500ms", "1m500ms"),
        ("0s", 0, "0s", "0s"),
        ("1000000us", 1, "1s", "1s"),
        ("1000000µs", 1, "1s", "1s"),
    ],
)
def test_durations(text: str, seconds: float, written: str, prometheus: str) -> None:
    nanoseconds = quantity.parse_duration(text)
    assert nanoseconds == seconds * 10**9
    assert quantity.format_duration(nanoseconds) == written
    assert quantity.format_prometheus_duration(nanoseconds) == prometheus
    assert quantity.parse_duration(written) == nanoseconds
    assert quantity.parse_duration(prometheus) == nanoseconds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("30", "'30' has no unit: write 30s, 30m or 30h"),
        ("0", "'0' has no unit: write 0s, 0m or 0h"),
        ("-1h", "'-1h' is negative: write 1h"),
        ("1w", "'1w' is not a duration: write numbers with ms, s, m, h or d, such as 30s or 1h30m"),
        (
            "1h30",
            "'1h30' is not a duration: write numbers with ms, s, m, h or d, such as 30s or 1h30m",
        ),
        ("0.1ns", "'0.1ns' is finer than 1ns: write 1ns or more"),
        ("300000d", "'300000d' is longer than 292 years"),
    ],
)
def test_duration_errors(text: str, message: str) -> None:
    with pytest.raises(QuantityError) as caught:
        quantity.parse_duration(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "text", ["", "h", ".h", "1 h", "1H", "one hour", "1h ", "1hm", "9" * 60 + "s"]
)
def test_parse_duration_refuses(text: str) -> None:
    with pytest.raises(QuantityError, match="is not a duration"):
        quantity.parse_duration(text)


def test_prometheus_has_no_microseconds() -> None:
    with pytest.raises(QuantityError, match="'1us' is finer than Prometheus can hold"):
        quantity.format_prometheus_duration(1000)
