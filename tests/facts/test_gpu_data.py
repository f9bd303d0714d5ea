"""Every file of the GPU catalogue, held against itself and the rules of the vendor's tools."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from gpupolicy.capacity.placement import feasible
from gpupolicy.capacity.placement import max_count
from gpupolicy.facts.build import memory_floor
from gpupolicy.facts.catalog import facts
from gpupolicy.facts.index import catalogue_ids
from gpupolicy.facts.model import GpuModel
from gpupolicy.facts.model import MigFacts
from gpupolicy.facts.model import MigProfile
from gpupolicy.facts.read import sources
from gpupolicy.facts.read import yaml_of

MODELS = [facts().load(name) for name in catalogue_ids()]
CUT = [model for model in MODELS if model.mig]
PROFILES = [(model, profile) for model in CUT for profile in (model.mig or MigFacts).profiles]
LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
NAME = re.compile(r"([1-7])g\.(\d+)gb((?:\+me(?:\.all)?|\+gfx|-me)?)")

KEYS = {
    "id",
    "name",
    "product_labels",
    "aliases",
    "architecture",
    "gfd_family",
    "compute_capability",
    "form_factor",
    "memory",
    "pci",
    "in_default_mig_filters",
    "nvlink",
    "tdp_watts",
    "sm_count",
    "mps_max_replicas",
    "profiling",
    "unconfirmed_fields",
    "sources",
}
OPTIONAL = {"kubevirt_vgpu", "mig", "notes"}
MIG_KEYS = {
    "compute_slices",
    "memory_slices",
    "max_instances",
    "media_engines_total",
    "mode_change_needs_gpu_reset",
    "min_driver",
    "all_balanced",
    "profiles",
}
MIG_OPTIONAL = {
    "all_balanced_static",
    "name_variants",
    "note",
    "caps",
    "per_gpu_layouts_since",
}
PROFILE_KEYS = {
    "name",
    "profile_id",
    "compute_slices",
    "memory_slices",
    "memory_mib",
    "max_instances",
    "placements",
    "resource",
    "static_config",
}
PROFILE_OPTIONAL = {"media", "min_driver_branch", "sm_count", "unconfirmed_fields"}


def every_model(function: Any) -> Any:
    return pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)(function)


def every_profile(function: Any) -> Any:
    ids = [f"{model.id}:{profile.name}" for model, profile in PROFILES]
    return pytest.mark.parametrize(("model", "profile"), PROFILES, ids=ids)(function)


def test_the_catalogue_is_not_empty() -> None:
    assert len(MODELS) >= 57
    assert len(CUT) >= 36
    assert len(PROFILES) >= 254


@pytest.mark.parametrize("name", catalogue_ids())
def test_a_file_has_the_known_keys_and_no_others(name: str) -> None:
    data = yaml_of(f"gpus/{name}.yaml")
    assert data["id"] == name
    assert KEYS <= set(data) <= KEYS | OPTIONAL
    assert {"reported_mib", "marketing_gb"} <= set(data["memory"])
    assert set(data["memory"]) <= {"reported_mib", "marketing_gb", "reserved_mib"}
    if "mig" in data:
        assert MIG_KEYS <= set(data["mig"]) <= MIG_KEYS | MIG_OPTIONAL
        for row in data["mig"]["profiles"]:
            assert PROFILE_KEYS <= set(row) <= PROFILE_KEYS | PROFILE_OPTIONAL


@pytest.mark.parametrize("name", catalogue_ids())
def test_a_file_says_what_it_is(name: str) -> None:
    from gpupolicy.facts.read import text_of

    assert text_of(f"gpus/{name}.yaml").startswith("# ")


@every_model
def test_sources_are_known(model: GpuModel) -> None:
    assert model.source_ids
    assert len(model.sources) == len(model.source_ids)
    assert all(model.sources)


def test_every_source_of_the_table_is_cited() -> None:
    from gpupolicy.facts.components import component
    from gpupolicy.facts.components import component_names
    from gpupolicy.facts.dashboards import sources as sources_of_dashboards
    from gpupolicy.facts.metrics import metrics
    from gpupolicy.facts.overheads import overheads
    from gpupolicy.facts.xids import xid_table

    texts = {text for model in MODELS for text in model.sources}
    texts |= {text for name in component_names() for text in component(name).sources}
    texts |= {*metrics().sources, *overheads().sources, *xid_table().sources}
    texts |= {*sources_of_dashboards()}
    assert set(sources().values()) - texts == set()


@every_model
def test_labels_are_legal_label_values(model: GpuModel) -> None:
    for label in model.product_labels:
        assert LABEL.fullmatch(label), label


@every_model
def test_identity(model: GpuModel) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", model.id)
    assert model.architecture in {
        "pascal",
        "volta",
        "turing",
        "ampere",
        "ada",
        "hopper",
        "blackwell",
    }
    assert model.display.lower() == model.id
    for pci in model.pci_ids:
        assert re.fullmatch(r"[0-9a-f]{4}", pci.device)
        assert re.fullmatch(r"0x[0-9A-F]{4}10DE(:0x[0-9A-F]{4}10DE)?", pci.mig_parted)


def test_cards_that_share_a_pci_id_are_told_apart_by_subsystem() -> None:
    seen = Counter(pci.device for model in MODELS for pci in model.pci_ids)
    for model in MODELS:
        for pci in model.pci_ids:
            assert (seen[pci.device] > 1) == (pci.subsystem is not None), model.id
    full = [pci for model in MODELS for pci in model.pci_ids]
    assert len(full) == len(set(full))


def test_aliases_and_labels_belong_to_one_model() -> None:
    owners = Counter(
        name
        for model in MODELS
        for name in {n.lower() for n in (*model.aliases, *model.product_labels, model.id)}
    )
    ambiguous = set(yaml_of("ambiguous.yaml")["ambiguous"])
    assert [name for name, count in owners.items() if count > 1] == []
    assert ambiguous.isdisjoint({name for m in MODELS for name in {*m.aliases, m.id}})


@every_model
def test_mps_limit_follows_from_the_compute_capability(model: GpuModel) -> None:
    """NVIDIA/k8s-device-plugin v0.20.0, cmd/mps-control-daemon/mps: 48 from 7.5 on, 16 below."""
    expected = 48 if model.compute_capability >= (7, 5) else 16
    assert model.mps_max_replicas == (0 if model.compute_capability < (7, 0) else expected)
    assert model.mps is (model.mps_max_replicas > 0)


@every_model
def test_memory_is_plausible_and_the_floor_lies_below_it(model: GpuModel) -> None:
    """The decimal size is below every reported total: a safe stand-in for a missing one."""
    floor = memory_floor(model.marketing_gb)
    unconfirmed = "memory.reported_mib" in model.unconfirmed_fields
    data = yaml_of(f"gpus/{model.id}.yaml")["memory"]
    if data["reported_mib"] is None:
        assert model.memory_mib >= floor
    else:
        assert (
            floor <= data["reported_mib"] <= (model.marketing_gb or 0) * 1024 + 2048 or unconfirmed
        )
    assert 0 <= model.usable_mib <= model.memory_mib
    if model.reserved_mib is not None:
        assert 0 < model.reserved_mib < 1024


@every_model
def test_nvlink_is_said_consistently(model: GpuModel) -> None:
    assert isinstance(model.nvlink, bool)
    assert model.nvlink or model.nvlink_gb_per_s is None
    assert model.nvlink_bridge == (model.nvlink and model.form_factor == "PCIe")


@every_model
def test_unconfirmed_entries_say_what_is_unconfirmed(model: GpuModel) -> None:
    assert model.confirmed == (not model.unconfirmed_fields)
    if model.mig and any(not profile.confirmed for profile in model.mig.profiles):
        assert {"mig", "mig.profiles"} & set(model.unconfirmed_fields)


@every_model
def test_profiling_follows_the_vendors_word(model: GpuModel) -> None:
    """None before Volta, none on GeForce before Blackwell; with MIG there is nothing else."""
    if model.compute_capability < (7, 0):
        assert not model.profiling
    if "GeForce" in model.name:
        assert model.profiling is (model.architecture == "blackwell")
    if model.mig and model.form_factor != "SoC":
        assert model.profiling


@every_profile
def test_profile_name_says_the_slices(model: GpuModel, profile: MigProfile) -> None:
    match = NAME.fullmatch(profile.name)
    assert match
    assert int(match[1]) == profile.compute_slices
    if profile.memory_mib:
        # The name rounds a share of the card up; where drivers differ, the smaller size is kept.
        assert 0.85 <= profile.memory_mib / 1024 / int(match[2]) <= 1.02


@every_profile
def test_resource_is_derived_as_the_plugin_does(model: GpuModel, profile: MigProfile) -> None:
    """NVIDIA/k8s-device-plugin v0.20.0, internal/rm/nvml_devices.go: '+' is '.', a minus stays."""
    assert profile.resource == "nvidia.com/mig-" + profile.name.replace("+", ".")
    assert len(profile.resource) <= 63
    # The name of the per-profile configuration that mig-manager generates on the node.
    generated = "all-" + profile.name.replace("+", ".")
    assert LABEL.fullmatch(generated)
    if profile.static_config:
        assert profile.static_config == generated


@every_profile
def test_placements_stay_on_the_card(model: GpuModel, profile: MigProfile) -> None:
    assert model.mig
    size, starts = profile.placements.size, profile.placements.starts
    assert starts == tuple(sorted(set(starts)))
    assert starts[0] >= 0
    assert starts[-1] + size <= model.mig.memory_slices
    assert size == profile.memory_slices


@every_profile
def test_max_instances_is_what_a_card_holds(model: GpuModel, profile: MigProfile) -> None:
    """The vendor's count and the search agree; a smaller count is a cap that says why."""
    assert model.mig
    uncapped = min(len(disjoint(profile)), model.mig.compute_slices // profile.compute_slices)
    assert max_count(model.mig, profile.name) == profile.max_instances
    if profile.max_instances < uncapped:
        assert "+me" in profile.name or any(profile.name in cap.profiles for cap in model.mig.caps)


def disjoint(profile: MigProfile) -> list[int]:
    chosen: list[int] = []
    for start in profile.placements.starts:
        if not chosen or start >= chosen[-1] + profile.placements.size:
            chosen.append(start)
    return chosen


@every_profile
def test_instances_fit_into_the_memory_of_the_card(model: GpuModel, profile: MigProfile) -> None:
    assert profile.memory_mib * profile.max_instances <= model.memory_mib or not model.memory_mib


@every_profile
def test_media_engines_exist(model: GpuModel, profile: MigProfile) -> None:
    assert model.mig
    total = model.mig.media_engines_total
    if profile.media is not None and total is not None:
        assert set(profile.media) == set(total)
        for engine, count in profile.media.items():
            assert 0 <= count * profile.max_instances <= total[engine] or "+me" in profile.name
            assert count <= total[engine]


@pytest.mark.parametrize("model", CUT, ids=lambda model: model.id)
def test_profiles_of_a_card_are_distinct(model: GpuModel) -> None:
    assert model.mig
    names = [profile.name for profile in model.mig.profiles]
    ids = [p.profile_id for p in model.mig.profiles if p.profile_id is not None]
    assert len(names) == len(set(names))
    assert len(ids) == len(set(ids))
    for cap in model.mig.caps:
        assert set(cap.profiles) <= set(names)
    assert set(model.mig.name_variants).isdisjoint(names)


@pytest.mark.parametrize("model", CUT, ids=lambda model: model.id)
def test_balanced_layouts_can_be_built(model: GpuModel) -> None:
    """2 x 1g, 2g and 3g on seven slices, 2 x 1g and 2g on four (mig-parted v0.15, pkg/mig)."""
    assert model.mig
    for balanced in (model.mig.all_balanced, model.mig.all_balanced_static):
        if balanced is not None:
            assert feasible(model.mig, balanced)
    if model.mig.all_balanced is not None:
        slices = Counter(
            int(name[0]) for name, n in model.mig.all_balanced.items() for _ in range(n)
        )
        expected = {1: 2, 2: 1, 3: 1} if model.mig.compute_slices == 7 else {1: 2, 2: 1}
        assert slices == expected


def test_the_card_with_an_unknown_profile_list_promises_nothing() -> None:
    model = facts().load("b100")
    assert model.mig
    assert model.mig.profiles == ()
    assert "mig" in model.unconfirmed_fields
