"""The catalogue: from a name in a policy to the facts of a GPU model.

`facts()` costs one small text file, `INDEX.tsv`; a model's own file is read when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from typing import Any

from gpupolicy.facts.build import model_of
from gpupolicy.facts.merge import differences
from gpupolicy.facts.merge import merge
from gpupolicy.facts.model import GpuModel
from gpupolicy.facts.names import keys_of
from gpupolicy.facts.names import normalise
from gpupolicy.facts.read import text_of
from gpupolicy.facts.read import yaml_of

if TYPE_CHECKING:
    from gpupolicy.facts.alerts import AlertFact
    from gpupolicy.facts.components import Component
    from gpupolicy.facts.metrics import Metrics
    from gpupolicy.facts.overheads import Overheads
    from gpupolicy.facts.xids import Xid


@dataclass(frozen=True, slots=True)
class Found:
    """What a name stands for: no model (unknown), one, or several (ambiguous)."""

    key: str
    models: tuple[GpuModel, ...]

    def model(self) -> GpuModel | None:
        """Return the model, the merged one where several agree, or None."""
        if len(self.models) == 1:
            return self.models[0]
        return merge(self.key, self.models)

    def differences(self) -> tuple[str, ...]:
        """Say what keeps the candidates from being taken as one: "memory 40960 or 81920 MiB"."""
        return differences(self.models)


class Facts:
    """Everything that is known of hardware and of the components, read when it is asked for."""

    __slots__ = ("_index", "_models")

    def __init__(self, index: dict[str, tuple[str, ...]]) -> None:
        self._index = index
        self._models: dict[str, GpuModel] = {}

    def find(self, name: str) -> Found:
        """Return the models that a name can stand for.

        Case does not matter, blanks and underscores count as '-', the leading 'NVIDIA-' may be
        left out, and the labels that GPU Feature Discovery derives for shared and cut nodes are
        understood.
        """
        for key in keys_of(name):
            ids = self._index.get(key)
            if ids:
                return Found(key, tuple(self.load(model_id) for model_id in ids))
        return Found(normalise(name), ())

    def suggest(self, name: str, limit: int = 3) -> tuple[str, ...]:
        """Return the names as `catalog` prints them that are nearest to an unknown name."""
        from difflib import get_close_matches

        close = get_close_matches(keys_of(name)[-1], self._index, n=limit * 4, cutoff=0.65)
        shown = [self._index[key] for key in close]
        displays = [
            key.upper() if len(ids) > 1 else ids[0].upper()
            for key, ids in zip(close, shown, strict=True)
        ]
        return tuple(dict.fromkeys(displays))[:limit]

    def names(self) -> tuple[str, ...]:
        """Return the ids of all models, sorted."""
        return tuple(sorted({ids[0] for ids in self._index.values() if len(ids) == 1}))

    def load(self, model_id: str) -> GpuModel:
        """Return the model of exactly this id. Raises KeyError if there is none."""
        if model_id not in self._models:
            if self._index.get(model_id) != (model_id,):
                raise KeyError(model_id)
            self._models[model_id] = model_of(yaml_of(f"gpus/{model_id}.yaml"))
        return self._models[model_id]

    def xids(self) -> tuple[Xid, ...]:
        """Return the XID codes of the driver, by code."""
        from gpupolicy.facts.xids import xids

        return xids()

    def metrics(self) -> Metrics:
        """Return the metrics that the exporters publish, and the histograms' bounds."""
        from gpupolicy.facts.metrics import metrics

        return metrics()

    def overheads(self) -> Overheads:
        """Return the bounds of memory that the driver and the processes themselves take."""
        from gpupolicy.facts.overheads import overheads

        return overheads()

    def cluster_policy_spec(self, line: str) -> Mapping[str, Any] | None:
        """Return the complete ClusterPolicy `spec` of a GPU Operator line, None if not known."""
        from gpupolicy.facts.operator import cluster_policy_spec

        return cluster_policy_spec(line)

    def alerts(self) -> Mapping[str, AlertFact]:
        """Return the alerts that can follow from a policy, by the name that policies use."""
        from gpupolicy.facts.alerts import alerts

        return alerts()

    def alert_names(self) -> tuple[str, ...]:
        """Return the names under which a policy can change an alert."""
        from gpupolicy.facts.alerts import alert_names

        return alert_names()

    def component(self, name: str) -> Component:
        """Return the version table of a component of `platform`. Raises KeyError for another."""
        from gpupolicy.facts.components import component

        return component(name)


@cache
def facts() -> Facts:
    """Return the facts of this installation, read once."""
    index = {}
    for line in text_of("gpus/INDEX.tsv").splitlines():
        if not line.startswith("#"):
            key, _, ids = line.partition("\t")
            index[key] = tuple(ids.split(" "))
    return Facts(index)
