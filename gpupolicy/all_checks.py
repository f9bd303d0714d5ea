"""The checks, in the order in which they run: hardware first, then what is promised on it."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator

from gpupolicy.check_base import CheckContext
from gpupolicy.checks import amounts
from gpupolicy.checks import gpu_models
from gpupolicy.checks import guarantees
from gpupolicy.checks import limits
from gpupolicy.checks import names
from gpupolicy.checks import namespaces
from gpupolicy.checks import node_sets
from gpupolicy.checks import pool_overlap
from gpupolicy.checks import pool_resources
from gpupolicy.checks import priorities
from gpupolicy.checks import references
from gpupolicy.checks import scheduling
from gpupolicy.checks import tenant_tree
from gpupolicy.checks import versions
from gpupolicy.diagnostics.model import Diagnostic

Check = Callable[[CheckContext], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    versions.check,
    scheduling.check,
    gpu_models.check,
    node_sets.check,
    pool_overlap.check,
    names.check,
    references.check,
    tenant_tree.check,
    namespaces.check,
    amounts.check,
    guarantees.check,
    limits.check,
    pool_resources.check,
    priorities.check,
)
