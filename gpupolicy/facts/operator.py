"""The complete ClusterPolicy of a GPU Operator release, for clusters whose chart makes none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from gpupolicy.facts.read import yaml_of


@cache
def cluster_policy_spec(line: str) -> Mapping[str, Any] | None:
    """Return the `spec` that the chart of a release line ("26.7") makes from its defaults.

    Every image stands in it. None where it is not known: lines whose chart cannot be told to
    leave the object to somebody else. The result is shared, copy before changing it.
    """
    try:
        data = yaml_of(f"clusterPolicy/{line}.yaml")
    except OSError:
        return None
    spec: Mapping[str, Any] = data["spec"]
    return spec
