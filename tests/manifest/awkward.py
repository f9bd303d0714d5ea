"""Text that some YAML reader would take for something else, or lose a part of."""

# ruff: noqa: RUF001
from __future__ import annotations

BOOLEANS = [
    case(word)
    for word in ("true", "false", "yes", "no", "on", "off", "y", "n")
    for case in (str.lower, str.title, str.upper)
]
NULLS = ["", "~", "null", "Null", "NULL", "nUll", "nil", "None", "none"]
INTEGERS = [
    "0", "1", "-1", "+1", "007", "0008", "08", "010", "0o17", "0O17", "0x1f", "0X1F", "-0x1f",
    "0b101", "0B1", "-0b1", "1_000", "0x_1", "_1", "1_", "12345678901234567890", "1:30", "22:00",
    "190:20:30", "-1:30", "0:0", "1,000", "00", "-0", "+0",
]  # fmt: skip
FLOATS = [
    "1.5", "1.10", "570.10", "1.", ".5", "-.5", "+.5", ".", "..", "-.", "1e3", "1E3", "1e+3",
    "1e-3", "1.e5",
    ".5e1", "1.5e300", "1e999", "1e", "e1", "0e0", "0x1p-2", "0x1.8p1", "1_0.5", "1.5_0", ".inf",
    "-.inf", "+.inf", ".Inf", ".INF", "inf", "Inf", "-inf", "+inf", "infinity", "Infinity", "nan",
    "NaN", "NAN", ".nan", ".NaN", ".NAN", "190:20:30.15",
]  # fmt: skip
TIMES = [
    "2024-01-01", "2024-1-1", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.10 -5",
    "2001-12-15T02:59:43.1Z", "2024-13-45", "20:30:00", "30s", "1h30m", "5d", "3e5d",
]  # fmt: skip
INDICATORS = [
    "-", "--", "---", "----", "...", "....", "- a", "-a", "?", "? a", "?a", ":", ": a", ":a", "a:",
    "a: b", "a : b", "a:b", "a :b", "::", "#", "# a", "#a", "a #b", "a# b", "a#b", "&", "&a", "*",
    "*a", "!", "!a", "!!str a", "!!binary aGk=", "%", "%YAML 1.2", "@", "@a", "`", "`a`", "|",
    "|-", "|\n", ">", ">a",
    "[", "[]", "[a]", "{", "{}", "{a: b}", "a]", "a}", ",", ", a", "a,b", "a, b", "<<", "<<: *a",
    "=",
    "'", "''", "'a'", "it's", '"', '""', '"a"', 'say "hi"', "\\", "\\n", "a\\b", 'C:\\"x"', "'\"",
    "--- a", "---\na", "a\n---\nb", "a\n...\nb", "a\n- b", "a\n# b", "a\nb: c", "a\n  b: c",
]  # fmt: skip
BLANKS = [
    " ", "  ", "\t", " a", "a ", "\ta", "a\t", "a  b", "a\tb", "\n", "\n\n", "\n\n\n", "a\n",
    "a\n\n",
    "a\n\n\n", "\na", "\n\na", "\na\n", "a\nb", "a\nb\n", "a\n\nb", "a\n \nb", "a \nb", "a\t\nb",
    "a\n b",
    " a\nb", "  a\nb\n", "\n a\nb", "\n\n  a\n", "\ta\nb", "a\n\tb", "\n\ta\n", "a\nb ", "a\nb\t",
    "a\n ",
    "a\n\n ", "\r", "\r\n", "a\r\nb", "a\rb", "a\r\nb\r\n", "a\n\rb", " \n", " \n ", "\n ", "\t\n",
    "a\n\n\n\nb\n",
    "x" * 600, "x " * 200, "x " * 200 + "x", "x" * 200 + "\n" + "y" * 200,
]  # fmt: skip
UNICODE = [
    "Zoë", "日本語", "\U0001f680", "\U0001f469\u200d\U0001f680", "a\u0301", "\x85", "a\x85b",
    "a\nb\x85c",
    "\u2028", "a\u2028b", "\u2029", "a\n\u2029b", "\ufeff", "\ufeffa", "a\ufeffb", "\ufffe",
    "\uffff", "\ufffd",
    "\xa0", "a\xa0b", "\xad", "\x00", "a\x00", "\x01", "\x07", "\x08", "\x0b", "\x0c", "\x1b[31m",
    "\x1f", "\x7f",
    "\x80", "\x9f", "\u200b", "\u202eabc", "a\u2066b\u2069", "\u3000", "\ue000", "\U0010ffff",
    "\U0001fffe",
    "é: ü", "é #ü", "日\n本\n", "\x1b\n", "ſ", "İ", "K", "①", "１２", "ｙｅｓ",
]  # fmt: skip
REAL = [
    "nvidia.com/gpu", "nvidia.com/mig-1g.10gb.shared", "1g.10gb", "1g.10gb+me", "all-1g.10gb",
    "900Gi", "102857m", "2k", "1Ti", "1E", "1e3", "8", "v1.31.2", "1.34", "26.7", "sha256:0e1",
    "100%",
    'sum(rate(x{pool="a"}[5m])) by (pool) > 0.5', "vllm:time_to_first_token_seconds", "10.0.0.1",
    "10.0.0.0/8", "::1", "fe80::1", "http://a.b/c?d=e&f#g", "https://a b", "a@b.c",
    "{{ $labels.pool }}", "$value",
    "{{ $value | humanize }} of it", "-Xmx4g", "--flag=1", "*.example.com", "~/.kube", "0e1",
    "00e1", "1e1e", "deadbeef",
    "12e4567", "0xdeadbeef", "0b12", "0o9", "123abc", "1-2", "1.2.3", "1/2", "+1-2", "NO", "No",
    "on", "DCGM_FI_DEV_X",
]  # fmt: skip

AWKWARD = list(
    dict.fromkeys(
        BOOLEANS + NULLS + INTEGERS + FLOATS + TIMES + INDICATORS + BLANKS + UNICODE + REAL
    )
)
