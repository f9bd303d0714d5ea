"""PromQL as policies write it: is the text a legal expression for an alert, and where is it not.

The verdict is that of a parser made after Prometheus' own grammar, with its types and functions
(promql-parser, Rust). It says what is wrong and not where, so the place is looked for here: by the
brackets, and by operands and operators, which alternate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`[^`]*`)
    |(?P<duration>(?:[0-9]+(?:ms|[smhdwy]))+(?![A-Za-z0-9_]))
    |(?P<number>0x[0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
    |(?P<word>[A-Za-z_:][A-Za-z0-9_:.]*)
    |(?P<open>[({\[])
    |(?P<close>[)}\]])
    |(?P<operator>==|!=|>=|<=|=~|!~|[-+*/%^<>=@,:])""",
    re.VERBOSE,
)
# promql-parser 0.12 takes time and memory by the square of the depth (0.2 s and 150 MiB for 1,000
# operators), and overflows the stack at some 3,000.
_LONGEST = 10_000  # characters
_MOST_STEPS = 150
_CLOSES = {"(": ")", "{": "}", "[": "]"}
_SET = frozenset({"and", "or", "unless", "atan2"})
# Part of a message -> what to write.
_ADVICE = (
    ("is never closed", "add the bracket that closes it"),
    ("closes nothing", "take it out, or open it before"),
    ("without its closing quote", "close the quotes"),
    ("expected type matrix", "write a range, such as [5m], behind the metric"),
    ("got matrix", "a range needs a function such as rate or max_over_time around it"),
    ("ranges only allowed", "a range of an expression is a subquery: [5m:1m]"),
    ("range of samples", "put a function such as rate or max_over_time around it"),
    ("set operator", "both sides are series: a number is one as vector(5)"),
    ("between scalars", "compare a series with a number, or write 'bool' behind the operator"),
    ("at least one non-empty matcher", "name the metric, or a label with a value"),
    ("illegal regex", "Prometheus takes RE2 regular expressions; escape brackets"),
    ("in label matching", "write the value of the label in quotes"),
    ("no unit", "write the number of seconds"),
    ("an operator is due", "write an operator, such as 'and', between the two"),
    ("a value is due", "write a metric, a number or an expression there"),
    ("only scalar and instant vector", "operands are numbers and series: no texts and no ranges"),
    ("got string", "take the quotes away"),
    ("expected type string", "write it in quotes"),
    ("got scalar", "a number is a series as vector(5)"),
    ("expected type scalar", "write a number, or scalar(...) around the series"),
    ("argument(s)", "see the functions of Prometheus for what it takes"),
    ("unknown function", "see the functions of Prometheus for their names"),
    ("more than 1", "put its parts into recording rules, and compare those here"),
    ("text is no result", "an alert compares a series, such as up == 0"),
)
_LISTS = frozenset({"by", "without", "on", "ignoring", "group_left", "group_right"})


class Fault(NamedTuple):
    """What is wrong with an expression. `offset` counts characters from 0; None if not found."""

    message: str
    offset: int | None


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def fault(expression: str) -> Fault | None:
    """Find what keeps an expression from being one of an alert; None if nothing does."""
    too_large = _too_large(expression)
    if too_large is not None:
        return too_large
    import promql_parser  # only a policy with an alert of its own needs the parser

    try:
        tree = promql_parser.parse(expression)
    except ValueError as error:
        return _locate(expression) or Fault(str(error), _place(str(error), expression))
    if isinstance(tree, promql_parser.MatrixSelector | promql_parser.SubqueryExpr):
        return Fault("a range of samples is no result for an alert", 0)
    if isinstance(tree, promql_parser.StringLiteral):
        return Fault("a text is no result for an alert", 0)
    return _number_with_unit(expression)


def _too_large(expression: str) -> Fault | None:
    """Refuse what the parser must not see: it recurses without a bound, and ends the process."""
    if len(expression) > _LONGEST:
        return Fault(f"{len(expression):,} characters are more than {_LONGEST:,}", None)
    steps = (token for token in _tokens(expression) if _is_step(token))
    beyond = next(islice(steps, _MOST_STEPS, None), None)
    if beyond is None:
        return None
    return Fault(f"it has more than {_MOST_STEPS} operators and brackets", beyond.at)


def _is_step(token: _Token) -> bool:
    """Tell whether a token can make the parser's tree a level deeper."""
    return token.kind in ("open", "operator") or token.text.lower() in _SET


def _number_with_unit(expression: str) -> Fault | None:
    """Find a duration where a number is due, which Prometheus takes from 3.0 on only."""
    depth, before = 0, ""
    for token in _tokens(expression):
        depth += {"[": 1, "]": -1}.get(token.text, 0)
        if token.kind == "duration" and not depth and before not in ("offset", "-offset"):
            return Fault(f"a number has no unit: '{token.text}'", token.at)
        before = f"-{before}" if token.text == "-" else token.text
    return None


def _tokens(expression: str) -> Iterator[_Token]:
    at = 0
    while at < len(expression):
        match = _TOKEN.match(expression, at)
        if match is None:
            yield _Token("unknown", expression[at], at)
            return
        if match.lastgroup != "space":
            yield _Token(str(match.lastgroup), match[0], at)
        at = match.end()


def _named(message: str, expression: str) -> int | None:
    """Find what the parser's message names, in quotes or behind a colon."""
    names = [*re.findall(r"'([^']+)'", message), message.rpartition(": ")[2]]
    names += [f'"{text}"' for text in re.findall(r"regex for (.+)", message)]
    found = [expression.find(name) for name in names if name]
    return next((at for at in found if at >= 0), None)


def advice(message: str) -> str | None:
    """Say what to write instead, for what the parser or this module finds; None if unknown."""
    return next((hint for part, hint in _ADVICE if part in message), None)


def _place(message: str, expression: str) -> int | None:
    """Find what the message is about: by what it names, else in the smallest piece that has it."""
    named = _named(message, expression)
    if named is not None:
        return named
    tokens = list(_tokens(expression))
    first, last = _smallest(message, expression, tokens)
    return _pinpoint(message, tokens[first : last + 1])


def _smallest(message: str, expression: str, tokens: list[_Token]) -> tuple[int, int]:
    """Find the shortest call, or inside of brackets, that is refused with the same words."""
    best = (0, len(tokens) - 1)
    for at in (at for at, token in enumerate(tokens) if token.text == "("):
        end = _skip(tokens, at)
        for first, last in ((at - 1, end), (at + 1, end - 1)):
            if 0 <= first <= last < len(tokens) and last - first < best[1] - best[0]:
                piece = expression[tokens[first].at : tokens[last].at + len(tokens[last].text)]
                if _refusal(piece) == message:
                    best = (first, last)
    return best


def _refusal(expression: str) -> str | None:
    import promql_parser

    try:
        promql_parser.parse(expression)
    except ValueError as error:
        return str(error)
    return None


def _pinpoint(message: str, tokens: list[_Token]) -> int | None:
    """Find the token of a piece that cannot stand there, outside of the piece's own brackets."""
    depth, before = 0, ""
    for token in tokens:
        depth -= token.kind == "close"
        if depth == 0 and _is_at_fault(message, token, before):
            return token.at
        depth += token.kind == "open"
        before = token.text
    return tokens[0].at if tokens else None


def _is_at_fault(message: str, token: _Token, before: str) -> bool:
    if message.startswith(("binary expression", "unary expression")):
        return token.kind == "text" or token.text == "["
    if message.startswith("comparisons between scalars"):
        return token.text in ("==", "!=", ">", "<", ">=", "<=")
    if message.startswith("ranges only"):
        return token.text == "[" and before in ("]", ")")
    return message.startswith("vector selector") and token.text == "{"


def _locate(expression: str) -> Fault | None:
    """Find the first token that cannot stand where it stands; None if all can."""
    tokens = list(_tokens(expression))
    return _brackets(tokens) or _alternation(tokens, len(expression))


def _brackets(tokens: list[_Token]) -> Fault | None:
    opened: list[_Token] = []
    for token in tokens:
        if token.kind == "unknown":
            what = "text without its closing quote" if token.text in "\"'`" else "no such character"
            return Fault(f"{what}: '{token.text}'", token.at)
        if token.kind == "open":
            opened.append(token)
        elif token.kind == "close":
            if not opened or _CLOSES[opened[-1].text] != token.text:
                return Fault(f"'{token.text}' closes nothing", token.at)
            opened.pop()
    return Fault(f"'{opened[-1].text}' is never closed", opened[-1].at) if opened else None


def _alternation(tokens: list[_Token], end: int) -> Fault | None:
    """Walk through operands and operators outside of braces, brackets and lists of labels."""
    value, at = False, 0
    while at < len(tokens):
        token = tokens[at]
        if token.text in ("{", "["):
            at, value = _skip(tokens, at), True
        elif token.text in _LISTS and token.kind == "word":
            listed = at + 1 < len(tokens) and tokens[at + 1].text == "("
            at = _skip(tokens, at + 1) if listed else at
        elif token.text in ("offset", "bool", "@"):
            at += token.text != "bool"
        else:
            found = _step(tokens, at, value=value)
            if isinstance(found, Fault):
                return found
            value = found
        at += 1
    return None if value else Fault("a value is due at the end", end)


def _step(tokens: list[_Token], at: int, *, value: bool) -> Fault | bool:
    """Tell whether a value stands before the next token; a fault if this one cannot stand here."""
    token = tokens[at]
    before = tokens[at - 1] if at else None
    if token.kind == "close":
        empty = before is not None and before.text == "("
        return True if value or empty else Fault(f"a value is due before '{token.text}'", token.at)
    if token.text == "(":
        called = before is not None and (before.kind == "word" or before.text == ")")
        return False if not value or called else Fault("an operator is due before '('", token.at)
    if token.kind == "operator" or token.text in _SET:
        if value or token.text in "-+":
            return False
        return Fault(f"a value is due before '{token.text}'", token.at)
    return Fault(f"an operator is due before '{token.text}'", token.at) if value else True


def _skip(tokens: list[_Token], at: int) -> int:
    """Find the bracket that closes the one at `at`."""
    depth = 0
    for index in range(at, len(tokens)):
        depth += {"open": 1, "close": -1}.get(tokens[index].kind, 0)
        if depth == 0:
            return index
    return len(tokens)
