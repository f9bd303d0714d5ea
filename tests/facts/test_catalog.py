"""From what people write to a model: spelling, labels of shared nodes, ambiguous names."""

from __future__ import annotations

import time

import pytest

from gpupolicy.facts.catalog import facts
from gpupolicy.facts.index import catalogue_ids
from gpupolicy.facts.index import index_text
from gpupolicy.facts.merge import same_mig
from gpupolicy.facts.names import normalise
from gpupolicy.facts.read import text_of
from gpupolicy.facts.read import yaml_of

FACTS = facts()


def ids(name: str) -> list[str]:
    return [model.id for model in FACTS.find(name).models]


def test_the_index_is_what_the_files_say() -> None:
    assert text_of("gpus/INDEX.tsv") == index_text()


def test_names_are_the_files() -> None:
    assert list(FACTS.names()) == catalogue_ids()


@pytest.mark.parametrize(
    "written",
    [
        "H100-SXM5-80GB",
        "h100-sxm5-80gb",
        "H100 SXM5 80GB",
        "h100_sxm5_80gb",
        "NVIDIA H100 80GB HBM3",
        "nvidia-h100-80gb-hbm3",
        "NVIDIA-H100-80GB-HBM3",
        "h100-sxm",
        "NVIDIA-H100-80GB-HBM3-SHARED",
        "NVIDIA-H100-80GB-HBM3-MIG-3g.40gb",
        "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb.me-SHARED",
        "NVIDIA-H100-80GB-HBM3-MIG-INVALID",
        "  H100-SXM5-80GB ",
    ],
)
def test_spellings_of_one_model(written: str) -> None:
    assert ids(written) == ["h100-sxm5-80gb"]


@pytest.mark.parametrize("model", [FACTS.load(name) for name in FACTS.names()], ids=lambda m: m.id)
def test_every_name_of_a_model_finds_it(model: object) -> None:
    names = [model.id, model.display, model.name, *model.aliases]  # type: ignore[attr-defined]
    ambiguous = {normalise(name) for name in yaml_of("ambiguous.yaml")["ambiguous"]}
    for name in names:
        if normalise(name).removeprefix("nvidia-") not in ambiguous:
            assert ids(name) == [model.id], name  # type: ignore[attr-defined]
    for label in model.product_labels:  # type: ignore[attr-defined]
        for suffix in ("", "-SHARED", "-MIG-1g.5gb", "-MIG-INVALID"):
            assert ids(label + suffix) == [model.id], label  # type: ignore[attr-defined]


def test_a_label_that_reads_like_a_family_is_still_a_label() -> None:
    """One board's label is the family's name: written as the label it is the board."""
    assert ids("NVIDIA-H100") == ["h100-sxm5-94gb"]
    assert len(ids("H100")) > 2


def test_an_unknown_name_has_suggestions() -> None:
    found = FACTS.find("H100-SXM-80GB")
    assert found.models == ()
    assert found.model() is None
    assert FACTS.suggest("H100-SXM-80GB")[0] == "H100-SXM5-80GB"
    assert FACTS.suggest("RTX4090")[0] == "RTX-4090"
    assert FACTS.suggest("nothing like it at all") == ()


@pytest.mark.parametrize("name", yaml_of("ambiguous.yaml")["ambiguous"])
def test_ambiguous_names_say_whether_the_profiles_agree(name: str) -> None:
    entry = yaml_of("ambiguous.yaml")["ambiguous"][name]
    found = FACTS.find(name)
    assert [model.id for model in found.models] == entry["models"]
    assert same_mig(found.models) == entry["same_mig_profiles"]
    assert (found.model() is None) == bool(found.differences())


def test_models_that_agree_become_one() -> None:
    found = FACTS.find("a100-80gb")
    merged = found.model()
    assert merged is not None
    assert merged.display == "A100-80GB"
    assert merged.merged_from == ("a100-sxm4-80gb", "a100-80gb-pcie")
    assert {pci.device for pci in merged.pci_ids} == {"20b2", "20b5"}
    assert "NVIDIA-A100-80GB-PCIe" in merged.product_labels
    assert merged.memory_mib == min(model.memory_mib for model in found.models)
    assert merged.usable_mib <= min(model.usable_mib for model in found.models)
    assert merged.mig
    assert {p.name for p in merged.mig.profiles} == {
        p.name for p in (found.models[0].mig or merged.mig).profiles
    }


def test_the_merged_model_is_on_the_safe_side() -> None:
    for name in yaml_of("ambiguous.yaml")["ambiguous"]:
        found = FACTS.find(name)
        merged = found.model()
        if merged is None:
            continue
        for model in found.models:
            assert merged.memory_mib <= model.memory_mib
            assert merged.profiling <= model.profiling
            assert set(model.pci_ids) <= set(merged.pci_ids)
            assert set(model.product_labels) <= set(merged.product_labels)
            for profile in model.mig.profiles if model.mig else ():
                same = merged.mig and merged.mig.profile(profile.name)
                assert same
                assert same.memory_mib <= profile.memory_mib
                assert same.confirmed <= profile.confirmed


def test_models_that_differ_say_in_what() -> None:
    found = FACTS.find("A100")
    assert found.model() is None
    memory, profiles = found.differences()
    assert memory == "memory 40960 or 81920 MiB"
    assert profiles.startswith("MIG profiles 1g.5gb, ")
    assert FACTS.find("V100").differences() == ("memory 16384 or 32768 MiB",)


def test_an_id_that_is_none() -> None:
    with pytest.raises(KeyError):
        FACTS.load("a100")
    with pytest.raises(KeyError):
        FACTS.load("../sources")


def test_finding_one_model_is_cheap() -> None:
    """Cold start: one small file and the index. The best of a few runs counts."""
    from gpupolicy.facts.catalog import Facts

    yaml_of("gpus/l4.yaml")  # the YAML library itself is imported by the loader of policies
    best = 1.0
    for _ in range(5):
        started = time.process_time()
        assert Facts(FACTS._index).find("rtx-4090").model()
        best = min(best, time.process_time() - started)
    assert best < 0.003


def test_a_066_a_consumer_card_has_no_profiling_metrics() -> None:
    """NVIDIA/dcgm-exporter issue 404: not on GeForce before Blackwell."""
    assert not FACTS.load("rtx-4090").profiling
    assert FACTS.load("a100-sxm4-40gb").profiling
    merged = FACTS.find("A100-40GB").model()
    assert merged is not None
    assert merged.profiling
