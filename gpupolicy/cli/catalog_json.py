"""The catalogue for programs: an array of models, with every layout that a card can be cut into."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from gpupolicy.capacity.placement import feasible_layouts
from gpupolicy.capacity.placement import maximal_layouts
from gpupolicy.capacity.placement import place
from gpupolicy.facts.model import GpuModel
from gpupolicy.facts.model import MigFacts


def models_json(models: Iterable[GpuModel]) -> str:
    """Give the models as a JSON array. Memory is in MiB, placements in memory slices."""
    import json

    return json.dumps([_model(model) for model in models], indent=2) + "\n"


def _model(model: GpuModel) -> dict[str, Any]:
    data = asdict(model)
    data["compute_capability"] = ".".join(map(str, model.compute_capability))
    data["display"] = model.display
    data["sources"] = list(model.sources)
    if model.mig is not None:
        data["mig"]["layouts"] = _layouts(model.mig)
    return data


def _layouts(mig: MigFacts) -> list[dict[str, Any]]:
    full = maximal_layouts(mig)
    return [
        {"profiles": layout, "starts": place(mig, layout), "full": layout in full}
        for layout in feasible_layouts(mig)
    ]
