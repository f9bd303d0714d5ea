"""How findings spell devices, layouts, sizes and facts that are not confirmed."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

from gpupolicy.capacity.model import PoolCapacity
from gpupolicy.facts.model import GpuModel
from gpupolicy.facts.model import MigProfile
from gpupolicy.quantity import format_resource
from gpupolicy.quantity import is_bytes

# Up to so many tenants are named in a sum.
_NAMED = 4
# Fields of a profile that decide whether a layout can be built.
_GEOMETRY = frozenset({"name", "profile_id", "memory_slices", "placements"})


def listed(items: Iterable[object], last: str = "and") -> str:
    """Join with commas and a word before the last: `a, b and c`."""
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def quoted(items: Iterable[object], last: str = "and") -> str:
    """Join user values: `'a', 'b' and 'c'`."""
    return listed((f"'{item}'" for item in items), last)


def number(count: int, thing: str) -> str:
    """Count things: `1 node`, `2 nodes`, `2 copies`."""
    if count == 1:
        return f"1 {thing}"
    return f"{count} {thing[:-1]}ies" if thing.endswith("y") else f"{count} {thing}s"


def amount_text(resource: str, amount: int) -> str:
    """Spell an amount for people: 1000 cores are `1000`, where manifests have the canonical `1k`.

    cpu is in millicores, what is counted in bytes in MiB, the rest in pieces.
    """
    if resource == "cpu":
        return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"
    return format_resource(resource, amount) if is_bytes(resource) else str(amount)


def addends(parts: Sequence[tuple[str, int]], resource: str) -> str:
    """Spell the sum of what tenants hold: `6 for 'red' + 4 for 'blue' + 8 for 2 others`."""
    held = [(name, amount) for name, amount in parts if amount]
    named = held if len(held) <= _NAMED else held[: _NAMED - 1]
    texts = [f"{amount_text(resource, amount)} for '{name}'" for name, amount in named]
    rest = [amount for _, amount in held[len(named) :]]
    if rest:
        texts.append(f"{amount_text(resource, sum(rest))} for {len(rest)} others")
    return " + ".join(texts)


def layout_text(layout: Mapping[str, int]) -> str:
    """Spell a MIG layout as the policy writes it: `{3g.40gb: 1, 1g.10gb: 4}`."""
    return "{" + ", ".join(f"{name}: {count}" for name, count in layout.items()) + "}"


def instances_text(layout: Mapping[str, int]) -> str:
    """Spell instances for a sentence: `2 x 3g.40gb and 1 x 1g.10gb`."""
    return listed(f"{count} x {name}" for name, count in layout.items())


def gpu_name(pool: PoolCapacity) -> str:
    """Name the GPU of a pool as the catalogue does, or as the user described it."""
    if pool.gpu is not None:
        return pool.gpu.name
    return pool.spec.gpu.name if pool.spec.gpu else "no GPU"


def mig_source(model: GpuModel) -> tuple[str, ...]:
    """Say where the MIG facts of a model come from, in one line."""
    texts = sorted(model.sources, key=lambda text: "Multi-Instance GPU User Guide" not in text)
    return (f"MIG facts of {model.display}: {texts[0]}",) if texts else ()


def unconfirmed_geometry(model: GpuModel, profiles: Iterable[MigProfile]) -> tuple[str, ...]:
    """Say which geometry of these profiles no source confirms; empty if all is confirmed."""
    fields = sorted({name for p in profiles for name in p.unconfirmed_fields} & _GEOMETRY)
    if "mig" in model.unconfirmed_fields:
        fields = ["mig", *fields]
    if not fields:
        return ()
    return (f"not confirmed for {model.display}: {', '.join(fields)}; read them from a node",)


def unconfirmed_memory(
    model: GpuModel | None, profile: MigProfile | None, *, decides: bool
) -> tuple[str, ...]:
    """Say which sizes of a device are no confirmed facts.

    `decides` says that without driver's reserve and CUDA contexts there would be no finding.
    """
    if model is None:
        return ()
    notes = []
    if profile is not None and "memory_mib" in profile.unconfirmed_fields:
        notes.append(f"not confirmed: the {profile.memory_mib} MiB of {profile.name}")
    if profile is None and "memory.reported_mib" in model.unconfirmed_fields:
        notes.append(f"not confirmed: the {model.memory_mib} MiB of {model.display}")
    if decides:
        notes.append("reserve and context are the largest seen, not figures of the vendor")
        if profile is None and model.reserved_mib is None:
            notes.append(f"not confirmed: what the driver keeps of {model.display}")
    return tuple(notes)
