"""Policies made by chance, the same ones every time: clusters of pools cut and shared in all ways.

They are drawn so that most are sound; those that are not are left out, so what comes is compiled.
Their number is fixed by the caller, and a draw that hardly ever succeeds fails instead of looping.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.facts.catalog import facts
from gpupolicy.facts.model import GpuModel
from gpupolicy.source.load import SourceText

Data = dict[str, Any]
OPERATORS = ("24.9", "25.3", "25.10", "26.3", "26.7")
# Versions of the component that holds quota; without one, ResourceQuotas do.
QUEUEING = (
    {"kueue": {"version": "0.19"}},
    {"kueue": {"version": "0.19"}},
    {"kueue": {"version": "0.14"}},
    {"volcano": {"version": "1.15"}},
    {},
)


@dataclass(frozen=True, slots=True)
class Generated:
    """A policy that compiles, and what it compiles to."""

    name: str
    text: str
    made: Compiled


@functools.cache
def generated(count: int, seed: int = 1, platform: str = "") -> tuple[Generated, ...]:
    """Give `count` policies that compile; `platform` is JSON of components laid over what is drawn.

    Raises `AssertionError` if fewer than one in six drawn is sound.
    """
    found = list(_sound(count, seed, json.loads(platform or "{}")))
    assert len(found) == count, f"only {len(found)} of {count} policies are sound"
    return tuple(found)


def _sound(count: int, seed: int, platform: Data) -> Iterator[Generated]:
    draw = random.Random(seed)
    left = count
    for index in range(6 * count):
        spec = _spec(draw)
        spec["platform"] |= platform
        name = f"g{seed}-{index}"
        text = json.dumps(_document(name, spec), indent=1)
        made = compile_policy([SourceText(f"{name}.yaml", text.encode())], today="2026-01-01")
        if made.bundle is not None:
            yield Generated(name, text, made)
            left -= 1
        if not left:
            return


def _document(name: str, spec: Data) -> Data:
    head = {"apiVersion": "gpupolicy.dev/v1alpha1", "kind": "GPUClusterPolicy"}
    return {**head, "metadata": {"name": name}, "spec": spec}


def _spec(draw: random.Random) -> Data:
    queueing = draw.choice(QUEUEING)
    platform = {"kubernetes": "1.36", "gpuOperator": {"version": draw.choice(OPERATORS)}}
    if draw.random() < 0.5:
        platform["prometheus"] = {"labels": {"release": draw.choice("ab")}}
    pools = [_pool(draw, name) for name in ("train", "infer", "dev")[: draw.randint(1, 3)]]
    return {
        "platform": platform | queueing,
        "guardRails": draw.choice(["off", "warn", "deny"]),
        "nodePools": pools,
        "priorityClasses": [
            {"name": "high", "value": draw.randint(1000, 9999)},
            {"name": "low", "value": draw.randint(0, 999), "preemptionPolicy": "Never"},
        ],
        "tenants": _tenants(draw, pools, queueing),
    }


@functools.cache
def _models() -> tuple[tuple[GpuModel, ...], tuple[GpuModel, ...]]:
    """Give the models that can be cut, and the others that are NVIDIA's."""
    catalogue = facts()
    known = [catalogue.load(name) for name in catalogue.names()]
    cut = tuple(one for one in known if one.mig and one.mig.profiles)
    return cut, tuple(one for one in known if one.mig is None and one.pci_ids)


def _pool(draw: random.Random, name: str) -> Data:
    cut, others = _models()
    gpus = draw.choice([1, 2, 4, 8])
    pool: Data = {
        "name": name,
        "nodes": {"count": draw.choice([4, 8, 16]), "selector": {"example.com/pool": name}},
        "gpusPerNode": gpus,
        "taints": draw.choice([[], [{"key": "nvidia.com/gpu", "value": name}]]),
    }
    for taint in pool["taints"]:
        taint["effect"] = draw.choice(["NoSchedule", "NoExecute"])
    if draw.random() < 0.7:
        pool["allocatable"] = {"cpu": "64", "memory": "500Gi"}
    way = draw.choice(["whole", "timeSlicing", "mps", "mig", "mig", "mig", "mig"])
    model = draw.choice(cut if way == "mig" else others + cut)
    pool["gpu"] = model.name
    if way in ("timeSlicing", "mps"):
        pool["sharing"] = {way: draw.randint(2, 8)}
    elif way == "mig":
        pool["sharing"] = _mig(draw, model, gpus)
    if "sharing" in pool and draw.random() < 0.3:
        pool["sharing"]["rename"] = False
    return pool


def _mig(draw: random.Random, model: GpuModel, gpus: int) -> Data:
    assert model.mig is not None
    sharing: Data = {"mig": _layout(draw, model)}
    half = gpus // 2
    if half and draw.random() < 0.3:
        rest = draw.choice([{}, _layout(draw, model)])
        sharing["mig"] = [
            {"gpus": list(range(half)), "layout": sharing["mig"]},
            {"gpus": list(range(half, gpus)), "layout": rest},
        ]
    elif draw.random() < 0.4:
        profile = draw.choice(model.mig.profiles)
        sharing["mig"] = {profile.name: profile.max_instances}
        sharing["migStrategy"] = draw.choice(["single", "mixed"])
    elif draw.random() < 0.4:
        profiles = draw.sample(sorted(sharing["mig"]), draw.randint(1, len(sharing["mig"])))
        sharing["timeSlicing"] = {name: draw.randint(2, 4) for name in profiles}
    return sharing


def _layout(draw: random.Random, model: GpuModel) -> Data:
    """Draw profiles until the card is full; whether they can be placed is for the checks to say."""
    assert model.mig is not None
    free = {"memory": model.mig.memory_slices, "compute": model.mig.compute_slices}
    layout: dict[str, int] = {}
    for _ in range(draw.randint(1, 5)):
        one = draw.choice(model.mig.profiles)
        if one.memory_slices <= free["memory"] and one.compute_slices <= free["compute"]:
            layout[one.name] = layout.get(one.name, 0) + 1
            free["memory"] -= one.memory_slices
            free["compute"] -= one.compute_slices
    return layout or {model.mig.profiles[0].name: 1}


def _devices(pool: Data) -> list[str | None]:
    """Name what a quota on the pool may be of; None where it need not be said."""
    mig = pool.get("sharing", {}).get("mig")
    if mig is None or pool["sharing"].get("migStrategy") == "single":
        return [None]
    layouts = [entry["layout"] for entry in mig] if isinstance(mig, list) else [mig]
    whole = ["gpu"] if {} in layouts else []
    return [*whole, *sorted({profile for layout in layouts for profile in layout})]


def _tenants(draw: random.Random, pools: list[Data], queueing: Data) -> list[Data]:
    names = ["algorithm", "product", "research"][: draw.randint(1, 3)]
    tenants = [_tenant(draw, name, pools, 30, borrows=bool(queueing)) for name in names]
    if queueing and draw.random() < 0.4:
        parent = tenants[0]
        for key in ("namespaces", "priorityClasses"):
            parent.pop(key, None)
        for place in range(2):
            child = _tenant(draw, f"team-{place}", pools, 12, borrows=True)
            child["quotas"] = [
                one for one in child["quotas"] if _key(one) in map(_key, parent["quotas"])
            ] or [dict(parent["quotas"][0], guaranteed="10%")]
            tenants.append(child | {"parent": parent["name"]})
    return tenants


def _key(quota: Data) -> tuple[str, str | None]:
    return quota["pool"], quota.get("device")


def _tenant(draw: random.Random, name: str, pools: list[Data], most: int, *, borrows: bool) -> Data:
    tenant: Data = {"name": name, "namespaces": [f"{name}-ns"], "quotas": []}
    if draw.random() < 0.5:
        tenant["priorityClasses"] = draw.choice([["high"], ["low"], ["high", "low"]])
    if borrows and draw.random() < 0.5:
        tenant["weight"] = draw.randint(1, 5)
    for pool in draw.sample(pools, draw.randint(1, len(pools))):
        devices = _devices(pool)
        for device in draw.sample(devices, draw.randint(1, len(devices))):
            quota: Data = {"pool": pool["name"], "guaranteed": f"{draw.randint(most // 2, most)}%"}
            if device is not None:
                quota["device"] = device
            if borrows and draw.random() < 0.4:
                quota["limit"] = f"{draw.randint(60, 100)}%"
            tenant["quotas"].append(quota)
    return tenant
