"""The exit codes, all of them."""

from __future__ import annotations

OK = 0
FOUND = 1  # Errors in the policy, or differences.
USAGE = 2  # A wrong command line, or input or output that cannot be opened.
BUG = 3  # Ours; the report says what to send.
CLUSTER = 4  # The cluster cannot be reached, or refuses.
INTERRUPTED = 130
