"""Policies for tests of checks: YAML in, findings out."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from typing import Any

import yaml

from gpupolicy.capacity.resolve import resolve
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.facts.catalog import facts
from gpupolicy.scalars import PlainScalar
from gpupolicy.spec.validate import validate

Check = Callable[[CheckContext], Iterator[Diagnostic]]

_PLATFORM = {"kubernetes": "1.34", "kueue": {"version": "0.19"}}


class _Loader(yaml.SafeLoader):
    pass


def _scalar(loader: _Loader, node: yaml.ScalarNode) -> Any:
    if node.style is not None:
        return node.value
    return None if node.value in ("", "~", "null") else PlainScalar(node.value)


_Loader.yaml_implicit_resolvers = {}
_Loader.add_constructor("tag:yaml.org,2002:str", _scalar)


def spec_of(text: str) -> dict[str, Any]:
    """Read the inside of `spec`; without `platform` it is Kueue 0.19 alone."""
    data: dict[str, Any] = yaml.load(text, Loader=_Loader) or {}
    data.setdefault("platform", dict(_PLATFORM))
    return data


def context(text: str) -> CheckContext:
    """Build what a check gets, from the inside of `spec`."""
    data = {"apiVersion": "gpupolicy.dev/v1alpha1", "kind": "GPUClusterPolicy"}
    policy, found = validate({**data, "metadata": {"name": "ai"}, "spec": spec_of(text)})
    assert policy is not None, found
    known = facts()
    return CheckContext(policy, known, resolve(policy, known))


def findings(check: Check, text: str, *codes: str) -> list[Diagnostic]:
    """Run one check; with codes, give only findings of these."""
    return [found for found in check(context(text)) if not codes or found.code in codes]


def codes(found: list[Diagnostic]) -> list[str]:
    """Give the codes in the order found."""
    return [one.code for one in found]
