"""MIG: profiles, geometry, indices, strategy, versions, workloads."""

from __future__ import annotations

import pytest

from gpupolicy.checks import mig_geometry
from gpupolicy.checks import mig_indices
from gpupolicy.checks import mig_platform
from gpupolicy.checks import mig_profiles
from gpupolicy.checks import mig_strategy
from gpupolicy.checks import mig_workloads
from gpupolicy.diagnostics.model import Severity
from tests.checks.subject import codes
from tests.checks.subject import context
from tests.checks.subject import findings

MIG_CHECKS = (
    mig_profiles.check,
    mig_indices.check,
    mig_geometry.check,
    mig_strategy.check,
    mig_platform.check,
)


def pool(gpu: str, sharing: str, gpus: int = 8, name: str = "infer") -> str:
    return (
        "nodePools:\n"
        f"- {{name: {name}, gpu: {gpu}, nodes: 2, gpusPerNode: {gpus}, sharing: {sharing}}}\n"
    )


def all_mig(text: str) -> list[str]:
    subject = context(text)
    return [found.code for check in MIG_CHECKS for found in check(subject)]


def test_a_001_profile_of_the_40_gb_card_on_the_80_gb_card() -> None:
    (found,) = findings(mig_profiles.check, pool("A100-SXM4-80GB", "{mig: {1g.5gb: 7}}"))
    assert found.code == "GP201"
    assert "'infer'" in found.message
    assert "'1g.5gb' is no MIG profile of A100-SXM4-80GB" in found.message
    assert found.path == ("spec", "nodePools", 0, "sharing", "mig", "1g.5gb")
    assert found.hint is not None
    assert found.hint.startswith("did you mean '1g.10gb'?")
    for profile in ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"):
        assert profile in found.hint
    assert "Multi-Instance GPU User Guide" in found.notes[0]


@pytest.mark.parametrize(("wrong", "right"), [("1g.11gb", "1g.12gb"), ("2g.22gb", "2g.24gb")])
def test_a_002_h100_nvl_is_not_an_88_gb_card(wrong: str, right: str) -> None:
    (found,) = findings(mig_profiles.check, pool("H100-NVL", f"{{mig: {{{wrong}: 1}}}}"))
    assert f"did you mean '{right}'?" in (found.hint or "")
    assert "1g.12gb, 1g.12gb+me, 1g.24gb, 2g.24gb, 3g.47gb, 4g.47gb and 7g.94gb" in (
        found.hint or ""
    )


def test_a_002_the_right_name_is_accepted() -> None:
    assert all_mig(pool("H100-NVL", "{mig: {1g.12gb: 7}}")) == []


def test_a_003_a30_in_one_half_and_two_quarters_is_accepted() -> None:
    assert all_mig(pool("A30", "{mig: {2g.12gb: 1, 1g.6gb: 2}, migStrategy: mixed}")) == []


def test_a_003_a30_has_no_three_slice_profile() -> None:
    (found,) = findings(mig_profiles.check, pool("A30", "{mig: {3g.12gb: 1}}"))
    assert "'3g.12gb' is no MIG profile of A30" in found.message
    for profile in ("1g.6gb", "2g.12gb", "4g.24gb"):
        assert profile in (found.hint or "")


def test_a_004_unequal_slices_with_the_single_strategy() -> None:
    text = pool("A100-SXM4-80GB", "{mig: {3g.40gb: 1, 2g.20gb: 2}, migStrategy: single}")
    (found,) = findings(mig_strategy.check, text)
    assert found.code == "GP206"
    assert "the layout has 2 (3g.40gb and 2g.20gb)" in found.message
    assert "write 'mixed', or a uniform layout such as {2g.20gb: 3}" in (found.hint or "")


def test_a_005_one_gpu_whole_with_the_single_strategy() -> None:
    layout = "[{gpus: [0], layout: {1g.5gb: 7}}, {gpus: [1], layout: {}}]"
    text = pool("A100-SXM4-40GB", f"{{mig: {layout}, migStrategy: single}}", gpus=2)
    (found,) = findings(mig_strategy.check, text)
    assert found.code == "GP206"
    assert "GPU 1 stays whole" in found.message


def test_a_005_one_gpu_whole_with_the_mixed_strategy_is_accepted() -> None:
    layout = "[{gpus: [0], layout: {1g.5gb: 7}}, {gpus: [1], layout: {}}]"
    text = pool("A100-SXM4-40GB", f"{{mig: {layout}, migStrategy: mixed}}", gpus=2)
    assert all_mig(text) == []
    devices = context(text).capacity.pools["infer"].devices
    assert {d.resource: d.per_node for d in devices} == {
        "nvidia.com/gpu": 1,
        "nvidia.com/mig-1g.5gb": 7,
    }


def test_single_with_a_uniform_layout_is_accepted() -> None:
    assert all_mig(pool("A100-SXM4-80GB", "{mig: {1g.10gb: 7}, migStrategy: single}")) == []
    assert all_mig(pool("A100-SXM4-80GB", "{mig: all-2g.20gb, migStrategy: single}")) == []


@pytest.mark.parametrize(
    ("gpu", "large", "small"),
    [("A100-SXM4-80GB", "3g.40gb", "1g.10gb"), ("H100-SXM5-80GB", "3g.40gb", "1g.10gb")],
)
def test_a_008_seven_compute_slices_that_cannot_be_placed(gpu: str, large: str, small: str) -> None:
    text = pool(gpu, f"{{mig: {{{large}: 2, {small}: 1}}}}")
    (found,) = findings(mig_geometry.check, text)
    assert found.code == "GP203"
    assert f"2 x {large} and 1 x {small} do not fit together on one {gpu}" in found.message
    assert "they need 9 of 8 memory slices" in found.message
    assert f"a {large} takes 4 of 8 memory slices, starting at 0 or 4" in found.message
    hint = found.hint or ""
    assert f"{{{large}: 2}}" in hint
    assert f"{{{large}: 1, {small}: 4}}" in hint
    assert f"{{{large}: 1, 2g.20gb: 2}}" in hint


def test_a_009_one_large_and_four_small_slices_are_accepted() -> None:
    assert all_mig(pool("H100-SXM5-80GB", "{mig: {3g.40gb: 1, 1g.10gb: 4}}")) == []


def test_a_009_one_large_and_five_small_slices_are_eight_compute_slices() -> None:
    text = pool("H100-SXM5-80GB", "{mig: {3g.40gb: 1, 1g.10gb: 5}}")
    (found,) = findings(mig_geometry.check, text)
    assert "they need 8 of 7 compute slices" in found.message


def test_the_smallest_conflict_is_named_inside_a_larger_layout() -> None:
    text = pool("A100-SXM4-80GB", "{mig: {4g.40gb: 1, 2g.20gb: 2, 1g.10gb: 1}}")
    (found,) = findings(mig_geometry.check, text)
    assert "1 x 4g.40gb and 2 x 2g.20gb of {4g.40gb: 1, 2g.20gb: 2, 1g.10gb: 1}" in found.message


@pytest.mark.parametrize("gpu", ["A40", "V100-SXM2-32GB", "T4", "L40S", "L4", "RTX-4090"])
def test_a_014_a_card_without_mig(gpu: str) -> None:
    (found,) = findings(mig_profiles.check, pool(gpu, "{mig: all-balanced}"))
    assert found.code == "GP200"
    assert f"pool 'infer': {gpu} has no MIG" == found.message
    assert "timeSlicing" in (found.hint or "")
    assert "mps" in (found.hint or "")
    assert codes(findings(mig_geometry.check, pool(gpu, "{mig: all-balanced}"))) == []


def test_a_014_names_vgpu_where_the_card_has_it() -> None:
    (found,) = findings(mig_profiles.check, pool("A40", "{mig: all-balanced}"))
    assert "vgpu" in (found.hint or "")
    (found,) = findings(mig_profiles.check, pool("RTX-4090", "{mig: all-balanced}"))
    assert "vgpu" not in (found.hint or "")


PER_GPU = "[{gpus: [0], layout: {1g.6gb: 4}}, {gpus: [1], layout: {2g.12gb: 2}}]"


@pytest.mark.parametrize(
    ("version", "warned"), [("26.7", False), ("26.3.3", True), ("25.3", True), ("27.1", False)]
)
def test_a_015_unequal_a30_layouts_and_an_older_operator(version: str, warned: bool) -> None:
    platform = f'platform: {{kubernetes: "1.34", gpuOperator: {{version: "{version}"}}}}\n'
    found = findings(mig_platform.check, platform + pool("A30", f"{{mig: {PER_GPU}}}", gpus=2))
    assert codes(found) == (["GP216"] if warned else [])
    if warned:
        assert found[0].severity is Severity.WARNING
        assert "before mig-manager 0.15.0" in found[0].message
        assert "GPU Operator 26.7" in (found[0].hint or "")


@pytest.mark.parametrize("text", ["{mig: {1g.6gb: 4}}", f"{{mig: {PER_GPU}}}"])
def test_a_015_the_layout_itself_is_valid(text: str) -> None:
    platform = 'platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}}\n'
    assert all_mig(platform + pool("A30", text, gpus=2)) == []


def test_a_015_equal_layouts_are_no_concern() -> None:
    platform = 'platform: {kubernetes: "1.34", gpuOperator: {version: "25.3"}}\n'
    layout = "[{gpus: [0], layout: {1g.6gb: 4}}, {gpus: [1], layout: {1g.6gb: 4}}]"
    text = platform + pool("A30", f"{{mig: {layout}}}", gpus=2)
    assert findings(mig_platform.check, text) == []


def test_a_016_index_that_no_gpu_has() -> None:
    layout = "[{gpus: [0, 1, 2, 3, 4, 5, 6, 7], layout: {}}, {gpus: [8], layout: {1g.10gb: 7}}]"
    (found,) = findings(mig_indices.check, pool("A100-SXM4-80GB", f"{{mig: {layout}}}"))
    assert found.code == "GP207"
    assert "a layout is for GPU 8, and its nodes have GPUs 0 to 7" in found.message
    assert found.path[-4:] == ("mig", 1, "gpus", 0)


def test_a_016_gpus_that_no_layout_names() -> None:
    layout = "[{gpus: [0, 1, 2, 3], layout: {1g.10gb: 7}}]"
    (found,) = findings(mig_indices.check, pool("A100-SXM4-80GB", f"{{mig: {layout}}}"))
    assert found.code == "GP208"
    assert "GPUs 4, 5, 6 and 7 stand in no layout" in found.message
    assert "add {gpus: [4, 5, 6, 7], layout: {}}" in (found.hint or "")


@pytest.mark.parametrize(
    "layout",
    [
        "[{gpus: [0, 1], layout: {}}, {gpus: [1], layout: {1g.10gb: 7}}]",
        "[{gpus: [0, 1, 1], layout: {}}]",
        "[{layout: {}}, {gpus: [1], layout: {1g.10gb: 7}}]",
        "[{gpus: [1], layout: {1g.10gb: 7}}, {layout: {}}]",
    ],
)
def test_an_index_stands_once(layout: str) -> None:
    (found,) = findings(mig_indices.check, pool("A100-SXM4-80GB", f"{{mig: {layout}}}", gpus=2))
    assert found.code == "GP209"
    assert "GPU 1 stands twice" in found.message


def test_a_negative_index_is_out_of_range() -> None:
    layout = "[{gpus: [0, -1], layout: {}}]"
    (found,) = findings(mig_indices.check, pool("A100-SXM4-80GB", f"{{mig: {layout}}}", gpus=1))
    assert found.code == "GP207"
    assert "GPU -1, and its nodes have GPU 0 only" in found.message


def test_many_missing_indices_are_counted() -> None:
    layout = "[{gpus: [0], layout: {}}]"
    (found,) = findings(mig_indices.check, pool("A100-SXM4-80GB", f"{{mig: {layout}}}", gpus=16))
    assert "15 of the GPUs stand in no layout" in found.message


def test_attributes_are_suggested_in_the_spelling_of_the_policy() -> None:
    text = pool("A100-SXM4-80GB", "{mig: {1g.10gb.me: 1}}")
    (found,) = findings(mig_profiles.check, text)
    assert "did you mean '1g.10gb+me'?" in (found.hint or "")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("all-1g.5gb", "did you mean 'all-1g.10gb'?"),
        ("all-balance", "did you mean 'all-balanced'?"),
        ("1g.10gb", "write {1g.10gb: <count>}, or 'all-1g.10gb'"),
        ("production", "names for A100-SXM4-80GB are all-balanced, all-disabled, all-1g.10gb"),
    ],
)
def test_a_layout_name_that_the_card_does_not_have(name: str, hint: str) -> None:
    (found,) = findings(mig_profiles.check, pool("A100-SXM4-80GB", f"{{mig: {name}}}"))
    assert found.code == "GP202"
    assert hint in (found.hint or "")


@pytest.mark.parametrize(
    "name", ["all-balanced", "all-1g.10gb", "all-1g.10gb+me", "all-1g.10gb.me"]
)
def test_layout_names_that_the_card_has(name: str) -> None:
    assert all_mig(pool("A100-SXM4-80GB", f"{{mig: {name}}}")) == []


def test_all_balanced_where_mig_manager_makes_none() -> None:
    (found,) = findings(mig_profiles.check, pool("RTX-PRO-5000-Blackwell", "{mig: all-balanced}"))
    assert found.code == "GP202"
    assert "all-balanced" not in (found.hint or "")
    assert any("not confirmed" in note for note in found.notes)


def test_counts_below_zero_and_zero() -> None:
    text = pool("A100-SXM4-80GB", "{mig: {3g.40gb: 1, 1g.10gb: 0, 2g.20gb: -1}}")
    found = findings(mig_profiles.check, text)
    assert [(f.code, f.severity) for f in found] == [
        ("GP205", Severity.WARNING),
        ("GP204", Severity.ERROR),
    ]
    assert findings(mig_geometry.check, text) == []


def test_a_huge_count_is_refused_at_once() -> None:
    (found,) = findings(mig_geometry.check, pool("A30", "{mig: {1g.6gb: 1000000000}}"))
    assert "5 x 1g.6gb of {1g.6gb: 1000000000} do not fit" in found.message


@pytest.mark.parametrize("layout", ["{}", "all-disabled", "[{layout: {}}]", "{1g.10gb: 0}"])
def test_mig_off_everywhere_is_a_warning(layout: str) -> None:
    found = findings(mig_geometry.check, pool("A100-SXM4-80GB", f"{{mig: {layout}}}"))
    assert [(f.code, f.severity) for f in found] == [("GP210", Severity.WARNING)]


def test_an_unknown_profile_is_not_also_an_impossible_layout() -> None:
    text = pool("A100-SXM4-80GB", "{mig: {1g.5gb: 2, 3g.40gb: 9}, migStrategy: single}")
    assert all_mig(text) == ["GP201"]


def test_unconfirmed_geometry_is_said() -> None:
    (found,) = findings(mig_geometry.check, pool("H200-SXM", "{mig: {3g.71gb: 3}}"))
    assert any("not confirmed for H200-SXM: placements" in note for note in found.notes)
    (found,) = findings(mig_geometry.check, pool("A100-SXM4-40GB", "{mig: {3g.20gb: 3}}"))
    assert not any("not confirmed" in note for note in found.notes)


def test_a_layout_accepted_on_unconfirmed_geometry_is_a_note() -> None:
    (found,) = findings(mig_geometry.check, pool("H200-SXM", "{mig: {3g.71gb: 2}}"))
    assert (found.code, found.severity) == ("GP219", Severity.NOTE)
    assert found.notes == ("not confirmed for H200-SXM: placements; read them from a node",)
    assert findings(mig_geometry.check, pool("H100-NVL", "{mig: {3g.47gb: 2}}")) == []


def test_a_strategy_without_mig_is_unused() -> None:
    found = findings(mig_strategy.check, pool("A10", "{timeSlicing: 4, migStrategy: single}"))
    assert [(f.code, f.severity) for f in found] == [("GP211", Severity.WARNING)]


DRIVER = 'platform: {{kubernetes: "1.34", gpuOperator: {{version: "26.7", driver: "{0}"}}}}\n'


@pytest.mark.parametrize(
    ("gpu", "layout", "driver", "needs"),
    [
        ("A100-SXM4-40GB", "{1g.5gb+me: 1}", "460.32.03", "470 or newer"),
        ("A100-SXM4-40GB", "{1g.10gb: 4}", "515.65", "525 or newer"),
        ("A100-SXM4-40GB", "{1g.5gb: 7}", "440.33", "450 or newer"),
        ("B200", "{1g.23gb: 7}", "570.124.06", "570.133.20 or newer"),
    ],
)
def test_a_driver_that_is_too_old(gpu: str, layout: str, driver: str, needs: str) -> None:
    found = findings(
        mig_platform.check, DRIVER.format(driver) + pool(gpu, f"{{mig: {layout}}}"), "GP215"
    )
    assert len(found) == 1
    assert f"needs driver {needs}, and {driver} is installed" in found[0].message
    assert found[0].path == ("spec", "platform", "gpuOperator", "driver")


@pytest.mark.parametrize("driver", ["525.60.13", "570.133.20", "595.91.07", "525"])
def test_a_driver_that_is_new_enough(driver: str) -> None:
    text = DRIVER.format(driver) + pool("A100-SXM4-40GB", "{mig: {1g.10gb: 4}}")
    assert findings(mig_platform.check, text, "GP215") == []


def test_names_that_depend_on_the_driver() -> None:
    text = pool("A100-SXM4-80GB", "{mig: {7g.80gb: 1}}")
    (found,) = findings(mig_platform.check, DRIVER.format("535.104") + text)
    assert (found.code, found.severity) == ("GP214", Severity.WARNING)
    assert "'7g.80gb' is also '7g.79gb'" in found.message
    assert "driver 535.104" in (found.hint or "")
    assert codes(findings(mig_platform.check, text)) == ["GP214"]


def test_names_that_do_not_depend_on_the_driver() -> None:
    text = DRIVER.format("535.104") + pool("A100-SXM4-80GB", "{mig: {3g.40gb: 2}}")
    assert findings(mig_platform.check, text) == []


def test_a_name_of_another_driver_is_explained() -> None:
    (found,) = findings(mig_profiles.check, pool("A100-SXM4-80GB", "{mig: {7g.79gb: 1}}"))
    assert "did you mean '7g.80gb'?" in (found.hint or "")
    assert "some drivers call a profile of this card '7g.79gb'; write '7g.80gb'" in found.notes


def test_mig_reboot_without_mig() -> None:
    platform = 'platform: {kubernetes: "1.34", gpuOperator: {version: "26.7", migReboot: true}}\n'
    text = platform + pool("A10", "{timeSlicing: 4}")
    assert codes(findings(mig_platform.check, text)) == ["GP218"]
    assert findings(mig_platform.check, platform + pool("A30", "{mig: all-balanced}")) == []


TENANT = """
tenants:
- name: team
  namespaces: [team]
  quotas: [{pool: infer, device: %s, guaranteed: 8}]
  workloads: [%s]
"""


def workload_on(gpu: str, layout: str, device: str, workload: str) -> str:
    return pool(gpu, layout) + TENANT % (device, workload)


def test_a_013_multi_gpu_training_on_slices() -> None:
    text = workload_on(
        "A100-SXM4-80GB",
        "{mig: {3g.40gb: 2}}",
        "3g.40gb",
        "{name: train, pool: infer, device: 3g.40gb, pods: 2, gpusPerPod: 4, gang: true}",
    )
    text = text.replace(
        "nodePools:\n", "nodePools:\n- {name: whole, gpu: A10, nodes: 1, gpusPerNode: 4}\n"
    )
    (found,) = findings(mig_workloads.check, text)
    assert (found.code, found.severity) == ("GP212", Severity.ERROR)
    assert "4 slices 3g.40gb per pod" in found.message
    assert "no peer-to-peer access or NVLink" in found.message
    assert "use a pool of whole GPUs ('whole')" in (found.hint or "")


def test_a_013_a_gang_on_slices_only_implies_the_need() -> None:
    text = workload_on(
        "A100-SXM4-80GB",
        "{mig: {3g.40gb: 2}}",
        "3g.40gb",
        "{name: train, pool: infer, pods: 8, gang: true}",
    )
    (found,) = findings(mig_workloads.check, text)
    assert (found.code, found.severity) == ("GP213", Severity.WARNING)


@pytest.mark.parametrize("extra", ["pods: 8", "pods: 1, gang: true", "pods: 8, gpusPerPod: 1"])
def test_a_013_one_slice_a_pod_is_accepted(extra: str) -> None:
    text = workload_on(
        "A100-SXM4-80GB", "{mig: {3g.40gb: 2}}", "3g.40gb", f"{{name: serve, pool: infer, {extra}}}"
    )
    assert findings(mig_workloads.check, text) == []


def test_a_007_mig_on_one_pool_of_a_model_and_whole_gpus_on_the_other() -> None:
    text = """
nodePools:
- {name: cut, gpu: A100-SXM4-80GB, gpusPerNode: 8, nodes: {names: [a]}, sharing: {mig: all-1g.10gb}}
- {name: whole, gpu: A100-SXM4-80GB, gpusPerNode: 8, nodes: {names: [b]}}
"""
    assert all_mig(text) == []


@pytest.mark.parametrize("mig", ["[]", "{}", "all-disabled"])
def test_a_layout_of_nothing_is_a_warning_however_it_is_written(mig: str) -> None:
    pool = f"name: p, gpu: A100-SXM4-80GB, nodes: 1, gpusPerNode: 1, sharing: {{mig: {mig}}}"
    assert codes(findings(mig_geometry.check, f"nodePools: [{{{pool}}}]")) == ["GP210"]
