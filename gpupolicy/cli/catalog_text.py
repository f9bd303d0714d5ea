"""The catalogue for people: a table of all models, and a page for each."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping

from gpupolicy.capacity.placement import feasible_layouts
from gpupolicy.capacity.placement import maximal_layouts
from gpupolicy.cli.table import table
from gpupolicy.facts.catalog import Found
from gpupolicy.facts.model import GpuModel
from gpupolicy.facts.model import MigFacts
from gpupolicy.facts.model import MigProfile

_UNCONFIRMED = "?"
_HEAD = ("GPU", "ARCHITECTURE", "MEMORY MiB", "MIG PROFILES", "MPS CLIENTS")
_PROFILE_HEAD = ("PROFILE", "COMPUTE", "MEMORY", "MiB", "MAX", "STARTS", "RESOURCE")


def list_text(models: Iterable[GpuModel]) -> str:
    """Lay out one line a model."""
    rows = [
        (
            model.display,
            model.architecture,
            _memory(model),
            (len(model.mig.profiles) or _UNCONFIRMED) if model.mig else "-",
            model.mps_max_replicas or "-",
        )
        for model in models
    ]
    return table(_HEAD, rows, right="..rrr")


def page_text(found: Found) -> str:
    """Show what a name stands for: one model, or several and what tells them apart."""
    model = found.model()
    if model is not None:
        return "\n".join(_page(model)) + "\n"
    differences = "".join(f"  {text}\n" for text in found.differences())
    head = f"'{found.key}' stands for {len(found.models)} models, which differ:\n{differences}\n"
    return head + list_text(found.models)


def _page(model: GpuModel) -> Iterator[str]:
    yield f"{model.display}  {model.name}"
    yield ""
    yield from (f"  {name:<16}{text}" for name, text in _properties(model) if text)
    if model.mig is not None:
        yield ""
        yield from _mig(model.mig)
    if model.notes:
        yield "\nNotes"
        yield from (f"  {note.strip()}" for note in model.notes)
    if model.unconfirmed_fields:
        yield "\nNot confirmed by any source"
        yield f"  {', '.join(model.unconfirmed_fields)}"
    yield "\nSources"
    yield from (f"  {source}" for source in model.sources)


def _properties(model: GpuModel) -> Iterator[tuple[str, str]]:
    capability = ".".join(map(str, model.compute_capability))
    yield "architecture", f"{model.architecture}, compute capability {capability}"
    yield "form factor", model.form_factor
    yield "memory", f"{_memory(model)} MiB"
    yield "node label", ", ".join(model.product_labels)
    yield "also called", ", ".join(sorted(model.aliases))
    yield "stands for", ", ".join(one.upper() for one in model.merged_from)
    yield "resource", model.resource
    yield "time-slicing", "any number of replicas, which share the memory unprotected"
    yield "MPS", _mps(model)
    yield "MIG", _mig_line(model.mig)


def _memory(model: GpuModel) -> str:
    if not model.memory_mib:
        return _UNCONFIRMED
    mark = _UNCONFIRMED if "memory.reported_mib" in model.unconfirmed_fields else ""
    return f"{model.memory_mib}{mark}"


def _mps(model: GpuModel) -> str:
    if not model.mps:
        return "not on this model"
    return f"up to {model.mps_max_replicas} clients, each held to memory / clients"


def _mig_line(mig: MigFacts | None) -> str:
    if mig is None:
        return "not on this model"
    if not mig.profiles:
        return "yes, but the profiles are not known"
    driver = f", from driver {mig.min_driver}" if mig.min_driver else ""
    return (
        f"{mig.compute_slices} compute slices, {mig.memory_slices} memory slices, "
        f"up to {mig.max_instances} instances{driver}"
    )


def _mig(mig: MigFacts) -> Iterator[str]:
    if not mig.profiles:
        return
    yield "MIG profiles (compute and memory in slices; starts in memory slices)"
    rows = [_profile(profile) for profile in mig.profiles]
    yield from _indented(table(_PROFILE_HEAD, rows, right=".rrrr"))
    if mig.all_balanced:
        yield f"  'all-balanced' is {_written(mig.all_balanced)}"
    yield ""
    full, layouts = maximal_layouts(mig), feasible_layouts(mig)
    yield f"Layouts: {len(layouts)} fit, {len(full)} of them are full (no instance can be added)"
    yield from (f"  {_written(layout)}" for layout in full)
    yield "Layouts with room left"
    yield from (f"  {_written(layout)}" for layout in layouts if layout not in full)


def _profile(profile: MigProfile) -> tuple[str | int, ...]:
    mark = {True: _UNCONFIRMED, False: ""}
    unconfirmed = profile.unconfirmed_fields
    return (
        profile.name + mark["name" in unconfirmed],
        profile.compute_slices,
        f"{profile.memory_slices}{mark['memory_slices' in unconfirmed]}",
        f"{profile.memory_mib or ''}{mark['memory_mib' in unconfirmed]}",
        profile.max_instances,
        " ".join(map(str, profile.placements.starts)) + mark["placements" in unconfirmed],
        profile.resource,
    )


def _written(layout: Mapping[str, int]) -> str:
    """Write a layout as it stands in a policy."""
    return "{" + ", ".join(f"{name}: {count}" for name, count in layout.items()) + "}"


def _indented(text: str) -> Iterator[str]:
    return (f"  {line}" for line in text.splitlines())
