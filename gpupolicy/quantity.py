"""Kubernetes quantities, percentages and durations: the only unit arithmetic of the compiler.

Everything is exact: a quantity is a `Fraction` of its base unit (cores, bytes, devices), a duration
a whole number of nanoseconds. Source of the quantity grammar and of the canonical form:
k8s.io/apimachinery v0.34, pkg/api/resource/quantity.go and suffix.go. Where apimachinery silently
changes a number (it rounds what is finer than a nano unit and caps what is over 2^63-1), we refuse.
"""

from __future__ import annotations

import re
from fractions import Fraction

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([^0-9.].*)?\Z", re.DOTALL)
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]{1,3})\Z")
_PERCENTAGE = re.compile(r"([0-9]{1,12})(?:\.([0-9]{1,12}))?%\Z")
_DURATION_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h|d)")
LONGEST = 48  # characters; a longer text is no quantity
_MAX = 2**63 - 1
MIB = 2**20

_NANOSECONDS = {
    "d": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ns": 1,
}


class QuantityError(ValueError):
    """Text that is no quantity, percentage or duration of the kind that is due.

    The message says what is wrong and what to write; `nearest` is that spelling alone, if any.
    """

    def __init__(self, message: str, nearest: str | None = None) -> None:
        super().__init__(message)
        self.nearest = nearest


def parse(text: str) -> Fraction:
    """Read a Kubernetes quantity, exactly, in its base unit: `500m` is 1/2, `64Gi` is 64 * 2^30.

    Raises `QuantityError` for anything that the API server refuses, rounds or caps.
    """
    match = _NUMBER.match(text) if len(text) <= LONGEST else None
    if match is None or not (match[2] or match[3]):
        raise _no_quantity(text)
    sign, whole, decimals, suffix = match[1], match[2], match[3] or "", match[4] or ""
    value = Fraction(int(whole + decimals or "0"), 10 ** len(decimals)) * _factor(text, suffix)
    if value > _MAX:
        raise _too_large(text)
    if (value * 10**9).denominator != 1:
        raise _too_fine(text, value)
    return -value if sign == "-" else value


def cpu_millis(text: str) -> int:
    """Read a number of cores in millicores: `1.5` and `1500m` are 1500. Errors: as `parse`."""
    millis = _not_negative(text) * 1000
    if millis.denominator != 1:
        nearest = format_cpu(-(-millis.numerator // millis.denominator))
        raise QuantityError(
            f"'{text}' is finer than a thousandth of a core: write {nearest}", nearest
        )
    return millis.numerator


def memory_bytes(text: str) -> int:
    """Read an amount of memory in bytes. Errors: as `parse`, a sign, fractions of a byte.

    `500m` is legal in Kubernetes and means half a byte; nobody means that, so it is refused.
    """
    value = _not_negative(text)
    if text[-1] in "mun" and value:
        raise _parts_of_bytes(text, value)
    if value.denominator == 1:
        return value.numerator
    nearest = _nearest_whole(value)
    raise QuantityError(f"'{text}' is not a whole number of bytes: write {nearest}", nearest)


def memory_mib(text: str) -> int:
    """Read an amount of memory in MiB, rounded down. Errors: as `memory_bytes`."""
    return memory_bytes(text) // MIB


def count(text: str) -> int:
    """Read a whole number of things that are counted (devices, `rdma/ib`). Errors: as `parse`."""
    value = _not_negative(text)
    if value.denominator != 1:
        nearest = format_count(max(1, value.numerator // value.denominator))
        raise QuantityError(f"'{text}' is not a whole number: write {nearest}", nearest)
    return value.numerator


def format_cpu(millis: int) -> str:
    """Write millicores in the canonical form: 1440000 is `1440`, 102857142 is `102857142m`."""
    return _decimal(millis, -3)


def format_count(number: int) -> str:
    """Write a whole number in the canonical form: 8 is `8`, 1000 is `1k`."""
    return _decimal(number, 0)


def format_bytes(number: int) -> str:
    """Write bytes in the canonical binary form: factors of 1024 are cut, below 1024 decimal."""
    if number < 1024:
        return format_count(number)
    exponent = 0
    while number % 1024 == 0 and exponent < 60:
        number //= 1024
        exponent += 10
    return str(number) + next((s for s, e in _BINARY.items() if e == exponent), "")


def format_memory_mib(mib: int) -> str:
    """Write MiB in the canonical form: 1945600 is `1900Gi`, 1048576 is `1Ti`."""
    return format_bytes(mib * MIB)


def is_bytes(resource: str) -> bool:
    """Tell whether a resource is counted in bytes (core/v1 resource names), here in MiB."""
    return resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-")


def format_resource(resource: str, amount: int) -> str:
    """Write an amount: cpu is in millicores, what is counted in bytes in MiB, the rest pieces."""
    if resource == "cpu":
        return format_cpu(amount)
    return format_memory_mib(amount) if is_bytes(resource) else format_count(amount)


def parse_percentage(text: str) -> Fraction:
    """Read a percentage as an exact part of one: `33.3%` is 333/1000. More than 100% is refused."""
    match = _PERCENTAGE.match(text)
    if match is None:
        raise QuantityError(
            f"{_shown(text)} is not a percentage: write a number and %, such as 50%"
        )
    decimals = match[2] or ""
    value = Fraction(int(match[1] + decimals), 100 * 10 ** len(decimals))
    if value > 1:
        raise QuantityError(f"'{text}' is more than 100%: write at most 100%", "100%")
    return value


def parse_duration(text: str) -> int:
    """Read a Go duration (`30s`, `1h30m`, `1.5h`), or days (`2d`), in nanoseconds.

    Raises `QuantityError` for a bare number, a sign, and what is over 2^63-1 ns (292 years).
    """
    total, at = Fraction(0), 0
    while at < len(text):
        match = _DURATION_PART.match(text, at) if len(text) <= LONGEST else None
        if match is None or not (match[1] or match[2]):
            raise QuantityError(_duration_advice(text))
        decimals = match[2] or ""
        number = Fraction(int(match[1] + decimals), 10 ** len(decimals))
        total += number * _NANOSECONDS[match[3]]
        at = match.end()
    if not text:
        raise QuantityError(_duration_advice(text))
    if total.denominator != 1 or total > _MAX:
        fault = "longer than 292 years" if total > _MAX else "finer than 1ns: write 1ns or more"
        raise QuantityError(f"'{text}' is {fault}")
    return total.numerator


def format_duration(nanoseconds: int) -> str:
    """Write a duration in Go's units, largest first: `36h`, `1h30m`, `500ms`, `0s`."""
    return _compound(nanoseconds, ("h", "m", "s", "ms", "us", "ns"))


def format_prometheus_duration(nanoseconds: int) -> str:
    """Write a duration for Prometheus: whole days as `30d`, otherwise `36h`, `1h30m`, `500ms`.

    Raises `QuantityError` for what Prometheus cannot say: less than a millisecond.
    """
    if nanoseconds % _NANOSECONDS["ms"]:
        shown = format_duration(nanoseconds)
        raise QuantityError(f"'{shown}' is finer than Prometheus can hold (1ms)")
    if nanoseconds and nanoseconds % _NANOSECONDS["d"] == 0:
        return f"{nanoseconds // _NANOSECONDS['d']}d"
    return _compound(nanoseconds, ("h", "m", "s", "ms"))


def _compound(nanoseconds: int, units: tuple[str, ...]) -> str:
    text = ""
    for unit in units:
        number, nanoseconds = divmod(nanoseconds, _NANOSECONDS[unit])
        if number:
            text += f"{number}{unit}"
    return text or "0s"


def _factor(text: str, suffix: str) -> Fraction:
    if suffix in _BINARY:
        return Fraction(2 ** _BINARY[suffix])
    exponent = _DECIMAL.get(suffix)
    if exponent is None:
        match = _EXPONENT.match(suffix)
        if match is None:
            raise _no_quantity(text)
        exponent = int(match[1])
        if abs(exponent) > 64:
            raise _too_large(text) if exponent > 0 else _too_fine(text, Fraction(0))
    return Fraction(10) ** exponent


def _not_negative(text: str) -> Fraction:
    value = parse(text)
    if value < 0:
        nearest = text.lstrip("-")
        raise QuantityError(f"'{text}' is negative: write {nearest}", nearest)
    return value


def _no_quantity(text: str) -> QuantityError:
    from gpupolicy import respell  # only a refusal needs it

    message = f"{_shown(text)} is not a quantity: {respell.advice(text)}"
    return QuantityError(message, respell.nearest(text))


def _shown(text: str) -> str:
    if len(text) > LONGEST:
        return f"{text[:LONGEST]!r}..."
    return f"'{text}'" if text.isprintable() else repr(text)


def _too_large(text: str) -> QuantityError:
    return QuantityError(
        f"'{text}' is larger than Kubernetes can hold (2^63-1): write at most 9E", "9E"
    )


def _too_fine(text: str, value: Fraction) -> QuantityError:
    nearest = _decimal(max(1, int(value * 10**9)), -9)
    message = f"'{text}' is finer than Kubernetes can hold (1n): write {nearest}"
    return QuantityError(message, nearest)


def _parts_of_bytes(text: str, value: Fraction) -> QuantityError:
    """Read `500m` as the slip of the pen that it is, `1900000000000m` as what programs print."""
    number = text[:-1]
    if value < 1024:
        message = f"'{text}' counts thousandths of a byte or less: write {number}M or {number}Mi"
        return QuantityError(message, f"{number}Mi")
    whole = value.denominator == 1
    nearest = format_count(value.numerator) if whole else _nearest_whole(value)
    return QuantityError(f"'{text}' counts parts of a byte: write {nearest}", nearest)


def _decimal(number: int, exponent: int) -> str:
    while number and number % 1000 == 0 and exponent < 18:
        number //= 1000
        exponent += 3
    if not number:
        return "0"
    return str(number) + next(s for s, e in _DECIMAL.items() if e == exponent)


def _nearest_whole(value: Fraction) -> str:
    """Give the largest amount that is not above `value` and reads well: whole MiB, else bytes."""
    mib = value.numerator // (value.denominator * MIB)
    return format_memory_mib(mib) if mib else str(max(1, value.numerator // value.denominator))


def _duration_advice(text: str) -> str:
    written = _shown(text)
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
        return f"{written} has no unit: write {text}s, {text}m or {text}h"
    if text.startswith("-"):
        return f"{written} is negative: write {text.lstrip('-')}"
    return f"{written} is not a duration: write numbers with ms, s, m, h or d, such as 30s or 1h30m"
