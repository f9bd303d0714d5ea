"""Scenarios as data: a policy, what happens in which order, and what must be so after each step.

A scenario is a map in `scenarios/*.yaml`:

    scenario: a sentence that must be true
    observed: "2"            # the row of observations that it repeats, if any
    policy: two-tenants      # of policies/
    overlay: {...}           # laid over it (`spec` and below)
    steps:
    - submit: {a: {tenant: research, pool: train, count: 13, devices: 8}}
      expect: {a: {running: 12, waiting: 1}}
      used: {research: {train/nvidia.com/gpu: 96}}

A step does something (`submit`, `refused`, `warned`, `finish`, `delete`,
`lose`), then `expect` holds: for a
group of work, how many pieces are `running`, `waiting` (suspended or gated), `hanging` (let in, but
not running), `done`, and `evicted` at least once. What is not mentioned is 0. `used` is what a
tenant's queue has reserved, by pool and resource, `borrowed` how much of it is not its own; `where`
are the pools in which a group's pods are, `because` a word of why it waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any

import yaml

from tests.testbed.work import Work

HERE = Path(__file__).parent
STATES = ("running", "waiting", "hanging", "done", "evicted")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens, and what must be so after it."""

    submit: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Work that is not let in, by a word of the reason.
    refused: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Work that is let in with a warning, by a word of it.
    warned: dict[str, dict[str, Any]] = field(default_factory=dict)
    # A piece of work that ends well: `group-index`.
    finish: str = ""
    delete: str = ""
    # A node that is lost before all else: `pool/idle`, or `pool/group` of the group's first pod.
    lose: str = ""
    expect: dict[str, dict[str, int]] = field(default_factory=dict)
    used: dict[str, dict[str, int]] = field(default_factory=dict)
    borrowed: dict[str, dict[str, int]] = field(default_factory=dict)
    because: dict[str, str] = field(default_factory=dict)
    # In how many domains of the level `rack` the pods of a group are.
    racks: dict[str, int] = field(default_factory=dict)
    where: dict[str, dict[str, int]] = field(default_factory=dict)
    within: float = 30


@dataclass(frozen=True, slots=True)
class Scenario:
    """A row of the table."""

    scenario: str
    policy: str
    steps: tuple[Step, ...]
    observed: str = ""
    overlay: dict[str, Any] = field(default_factory=dict)
    # How Kueue's configuration differs from the one that is emitted: only where that is the point.
    kueue: dict[str, Any] = field(default_factory=dict)

    def policy_text(self) -> str:
        """Read the policy."""
        return (HERE / "policies" / f"{self.policy}.yaml").read_text(encoding="utf-8")

    def overlays(self) -> list[str]:
        """Give the overlay as a file's text."""
        if not self.overlay:
            return []
        head = {"apiVersion": "gpupolicy.dev/v1alpha1", "kind": "GPUClusterPolicy"}
        name = yaml.safe_load(self.policy_text())["metadata"]["name"]
        return [yaml.safe_dump(head | {"metadata": {"name": name}, "spec": self.overlay})]


def work_of(said: dict[str, Any]) -> Work:
    """Read a group of work. Raises `TypeError` for a word that it does not know."""
    return Work(**said)


def _read(path: Path) -> Iterator[Scenario]:
    for said in yaml.safe_load(path.read_text(encoding="utf-8")):
        steps = tuple(Step(**step) for step in said.pop("steps"))
        yield Scenario(steps=steps, **said)


ALL = tuple(one for path in sorted((HERE / "scenarios").glob("*.yaml")) for one in _read(path))
