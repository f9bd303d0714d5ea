"""What a compiled policy makes of jobs over time, on simulated nodes with the real Kueue.

The table is `scenarios/*.yaml`; `scenarios.py` says how to read it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from gpupolicy.plan.model import Plan
from tests.testbed import scenarios
from tests.testbed import states
from tests.testbed import work
from tests.testbed.api import RefusedError
from tests.testbed.bed import Bed
from tests.testbed.bed import compiled
from tests.testbed.nodes import create_nodes
from tests.testbed.nodes import names
from tests.testbed.nodes import pods_by_node
from tests.testbed.processes import DeadProgramError
from tests.testbed.scenarios import Scenario
from tests.testbed.scenarios import Step
from tests.testbed.work import Work

# What is so must stay so: long enough for a controller to change its mind.
_SETTLED = 2.0


class Stage:
    """A scenario on the bed: its plan, and the groups of work so far.

    `overlays` are laid over its policy.
    """

    def __init__(self, bed: Bed, scenario: Scenario, *overlays: str) -> None:
        made = compiled(scenario.policy_text(), *scenario.overlays(), *overlays)
        assert made.plan is not None
        self.bed = bed
        self.plan: Plan = made.plan
        self.groups: dict[str, Work] = {}
        create_nodes(bed.api, made.plan)
        bed.lay(made, scenario.kueue)
        bed.wait_for_queues()

    def play(self, step: Step) -> None:
        if step.lose:
            self._lose(*step.lose.split("/"))
        for group, said in step.submit.items():
            self.groups[group] = scenarios.work_of(said)
            for one in work.objects(group, self.groups[group], self.plan):
                self.bed.api.create(one)
        for group, said in step.refused.items():
            self._is_answered(group, dict(said), self._refusal)
        for group, said in step.warned.items():
            self._is_answered(group, dict(said), self._warning)
        if step.finish:
            group = step.finish.rpartition("-")[0]
            self.bed.kubelets.finished.add((self._namespace(group), f"{step.finish}-"))
        if step.delete:
            self._delete(step.delete)
        self._holds(step)

    def _is_answered(
        self, group: str, said: dict[str, Any], ask: Callable[[dict[str, Any]], str]
    ) -> None:
        word = said.pop("word")
        for one in work.objects(group, scenarios.work_of(said), self.plan):
            # Admission policies work a moment after they are there.
            end = time.monotonic() + 15
            while word not in (answer := ask(one)):
                assert time.monotonic() < end, f"no '{word}' to {group}, but: {answer or 'yes'}"
                time.sleep(0.2)

    def _refusal(self, one: dict[str, Any]) -> str:
        try:
            self.bed.api.create(one, dry_run=True)
        except RefusedError as error:
            return str(error)
        return ""

    def _warning(self, one: dict[str, Any]) -> str:
        return " ".join(self.bed.api.create(one, dry_run=True).warnings)

    def _namespace(self, group: str) -> str:
        return work.namespace_of(self.groups[group], self.plan)

    def _lose(self, pool: str, what: str) -> None:
        """Take away the node of a group's first pod, or one where nothing runs."""
        busy = dict(pods_by_node(self.bed.api))
        if what == "idle":
            node = next(name for name in names(self.plan.pool(pool)) if name not in busy)
        else:
            mine = (node for node, pod in busy.items() if pod["metadata"]["name"].startswith(what))
            node = sorted(mine)[0]
        self.bed.kubelets.lose(node)

    def _delete(self, group: str) -> None:
        for one in work.objects(group, self.groups.pop(group), self.plan):
            self.bed.api.delete(self.bed.api.path_to(one))

    def _holds(self, step: Step) -> None:
        end = time.monotonic() + step.within
        since = None
        while since is None or time.monotonic() - since < _SETTLED:
            wrong = self.differences(step)
            since = None if wrong else since or time.monotonic()
            self.bed.check()
            assert not wrong or time.monotonic() < end, "\n".join(wrong)
            time.sleep(0.2)

    def differences(self, step: Step) -> list[str]:
        """Say what is not as the step expects it."""
        return [
            *self._compare("state", step.expect, self._states),
            *self._compare("used", step.used, lambda name: self._reserved(name, "total")),
            *self._compare(
                "borrowed", step.borrowed, lambda name: self._reserved(name, "borrowed")
            ),
            *self._compare("place", step.where, self._pools),
            *self._silent(step.because),
            *self._scattered(step.racks),
        ]

    def _compare(self, what: str, wanted: dict[str, dict[str, int]], ask: Any) -> list[str]:
        wrong = []
        for name, numbers in wanted.items():
            found = ask(name)
            keys = numbers if what in ("used", "borrowed") else {**found, **numbers}
            if what == "state" and "evicted" not in numbers:
                keys = {key: 0 for key in keys if key != "evicted"}
            wrong += [
                f"{what} of {name}: {key} is {found.get(key, 0)}, not {numbers.get(key, 0)}"
                for key in sorted(keys)
                if found.get(key, 0) != numbers.get(key, 0)
            ]
        return wrong

    def _states(self, group: str) -> Counter[str]:
        return states.states(self.bed.api, group, self.groups[group], self._namespace(group))

    def _reserved(self, tenant: str, key: str) -> dict[str, int]:
        if self.plan.quota_holder == "volcano":
            return states.allocated(self.bed.api, tenant)
        return states.reserved(self.bed.api, tenant, key)

    def _pools(self, group: str) -> Counter[str]:
        return states.pools(self.bed.api, group, self._namespace(group))

    def _scattered(self, wanted: dict[str, int]) -> list[str]:
        wrong = []
        for group, count in wanted.items():
            nodes = states.nodes(self.bed.api, group, self._namespace(group))
            racks = {node["metadata"]["labels"]["topology.example.com/rack"] for node in nodes}
            if len(racks) != count:
                wrong.append(f"{group} is in {len(racks)} racks, not {count}")
        return wrong

    def _silent(self, wanted: dict[str, str]) -> list[str]:
        wrong = []
        for group, word in wanted.items():
            said = states.reasons(self.bed.api, group, self._namespace(group))
            if not any(word in one for one in said):
                wrong.append(f"nobody says '{word}' of {group}, but: {said}")
        return wrong


@pytest.mark.parametrize(
    "scenario", scenarios.ALL, ids=lambda one: f"{one.observed or 'own'}: {one.scenario}"
)
def test_scenario(scenario: Scenario, bed: Bed) -> None:
    perform(scenario, Stage(bed, scenario))


def perform(scenario: Scenario, stage: Stage) -> None:
    """Play all steps; a failure says at which one."""
    for place, step in enumerate(scenario.steps):
        try:
            stage.play(step)
        except DeadProgramError:
            raise
        except AssertionError as error:
            raise AssertionError(f"step {place + 1} of '{scenario.scenario}':\n{error}") from error


def test_every_observation_is_in_the_table() -> None:
    rows = {row for one in scenarios.ALL for row in one.observed.replace(",", " ").split()}
    assert len(scenarios.ALL) >= 50
    assert {str(number) for number in range(1, 24)} <= rows
