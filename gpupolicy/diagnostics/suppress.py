"""Suppressions: comments in the policy that accept a warning, and what is wrong with them.

GP050 suppression-malformed
    A comment that begins with `gpupolicy:` is meant for this program, but it cannot be read, so
    nothing is suppressed. Write the codes in brackets, then a reason, then, if it shall end, the
    last day on which it holds:

        timeSlicing: 1   # gpupolicy: ignore[GP301] the pool grows next month until=2027-03-01

    Several codes are separated by commas. A comment alone on its line speaks of the next line.

GP051 suppression-unused
    The comment names a code that is not found on its line, so it hides nothing today and may hide
    something tomorrow that nobody has looked at. Remove the code, or move the comment to the line
    that the finding names (or alone on the line before it). This is only said when the policy has
    no errors, since errors keep later findings from being looked for.

GP052 suppression-expired
    The date after `until=` has passed, so the warning is shown again. Fix what the warning says,
    or decide anew and write a later date. `--date 2027-03-01` judges by that day instead of today.

GP053 suppression-of-error
    The comment names a code that is an error. An error means that the policy cannot be honoured;
    no comment makes it so, and it is shown. Fix what the error says and remove the comment.

GP054 suppression-unknown-code
    The comment names a code that does not exist, so it suppresses nothing. `gpupolicy explain`
    lists the codes; a finding prints its code in brackets: `warning[GP312]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field

from gpupolicy.diagnostics.codes import CODES
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.suppression import Suppression

_DATE = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])\Z")
_EXAMPLE = "write '# gpupolicy: ignore[GP312] reason until=2027-03-01'"


@dataclass(slots=True)
class _Judged:
    """A suppression while it is being judged."""

    comment: Suppression
    expired: bool
    # Codes that suppressed a warning or note, and codes that met an error, on the comment's line.
    used: set[str] = field(default_factory=set)
    errors: set[str] = field(default_factory=set)


def apply(
    kept: Sequence[Diagnostic],
    found: Sequence[Diagnostic],
    suppressions: Sequence[Suppression],
    today: str | None,
    phases: str,
) -> list[Diagnostic]:
    """Take away from `kept` what is suppressed and add what is wrong with the suppressions.

    `found` is everything that was found, consequences included: a comment on one of them is not
    unused. All have their spans. `today` is as for `settle`, `phases` the first digits of the
    codes that may be called unused.
    """
    judged = _judge(suppressions, today)
    hidden = {id(one) for one in found if _is_suppressed(one, judged)}
    left = [one for one in kept if id(one) not in hidden]
    every = {id(one): one for entries in judged.values() for one in entries}
    return left + [fault for one in every.values() for fault in _faults(one, today, phases)]


def _judge(
    suppressions: Sequence[Suppression], today: str | None
) -> dict[tuple[str, int], list[_Judged]]:
    """Sort the comments by the line of which they speak."""
    judged: dict[tuple[str, int], list[_Judged]] = {}
    target: dict[tuple[str, int], int] = {}  # Line of a comment alone -> the line it speaks of.
    for one in sorted(suppressions, key=lambda one: one.line, reverse=True):
        line = one.line
        if one.alone:
            line = target.get((one.file, line + 1), line + 1)
            target[one.file, one.line] = line
        entry = _Judged(one, _is_expired(one, today))
        judged.setdefault((one.file, line), []).append(entry)
    return judged


def _is_expired(one: Suppression, today: str | None) -> bool:
    if one.until is None or not _DATE.match(one.until):
        return False
    return (today or _utc_date()) > one.until


def _utc_date() -> str:
    import time  # Only here does a run depend on the clock, and `--date` avoids it.

    return time.strftime("%Y-%m-%d", time.gmtime())


def _is_suppressed(found: Diagnostic, judged: dict[tuple[str, int], list[_Judged]]) -> bool:
    suppressed = False
    if found.span is None:
        return False
    for one in judged.get((found.span.file, found.span.line), ()):
        if found.code not in one.comment.codes:
            continue
        if found.severity is Severity.ERROR:
            one.errors.add(found.code)
        else:
            one.used.add(found.code)
            suppressed = suppressed or not (one.expired or _fault_in_form(one.comment))
    return suppressed


def _fault_in_form(one: Suppression) -> str | None:
    if not one.codes:
        return "this comment is meant for gpupolicy but cannot be read"
    if one.until is not None and not _DATE.match(one.until):
        return f"'until={one.until}' is not a date"
    return None


def _faults(one: _Judged, today: str | None, phases: str) -> Iterator[Diagnostic]:
    comment = one.comment
    fault = _fault_in_form(comment)
    if fault is not None:
        yield _finding("GP050", comment, fault, _EXAMPLE)
        return
    if one.expired:
        message = f"this suppression ended on {comment.until}"
        yield _finding("GP052", comment, message, "fix what it hid, or decide on a later date")
    for code in comment.codes:
        yield from _faults_of_code(one, code, phases)


def _faults_of_code(one: _Judged, code: str, phases: str) -> Iterator[Diagnostic]:
    comment = one.comment
    row = CODES.get(code)
    if row is None:
        hint = "'gpupolicy explain' lists the codes"
        yield _finding("GP054", comment, f"there is no code '{code}'", hint)
    elif code in one.used or one.expired:
        return
    elif code in one.errors or row.severity is Severity.ERROR:
        message = f"{code} is an error, and errors cannot be suppressed"
        yield _finding("GP053", comment, message, f"'gpupolicy explain {code}' says what to do")
    elif code[2] in phases:
        yield _finding("GP051", comment, f"{code} is not found here", f"remove '{code}'")


def _finding(code: str, comment: Suppression, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code, message, severity=Severity.WARNING, hint=hint, span=comment.span)
