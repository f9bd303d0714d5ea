"""What is not said of a policy of which a part could not be read.

A tenant whose file is broken is missed everywhere: its children have no parent, its pool has no
user, its SLA nobody who names it. The finding about the file is the cause; these are what may
follow from it, and they are looked for again when the file is mended.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpupolicy.diagnostics.model import Diagnostic

# Codes of findings that say "there is no ...", or that count what others would lend or take.
EXPLAINED_BY_ABSENCE = frozenset(
    (
        "GP406",  # a component that holds quota or gangs is not named
        "GP408",  # a component that nobody needs
        "GP414",  # a name points at nothing
        "GP415",  # the pool offers no such device
        "GP416",  # the pool offers several
        "GP419",  # neither namespaces nor children
        "GP423",  # a tenant without quota
        "GP428",  # a limit beyond all that others lend
        "GP430",  # a resource that the pool does not count
        "GP438",  # devices that nobody uses
        "GP457",  # a taint that nobody tolerates
        "GP459",  # a resource that allocatable lacks
        "GP463",  # a quota of what others do not lend
        "GP466",  # a budget that the children do not use up
        "GP600",  # an SLA that nobody names
        "GP601",  # the classes of a parent are its children's
        "GP630",  # work without a quota
        "GP631",  # work that fits none of the quotas
        "GP635",  # work beyond all that others lend
        "GP658",  # rules that nothing selects
        "GP659",  # monitoring that nobody does
    )
)


def not_by_absence(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Leave out what the absence of something could explain."""
    return [one for one in found if one.code not in EXPLAINED_BY_ABSENCE]
