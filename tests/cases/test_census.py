"""Every case about `validate` and `compile` has a test that carries its id."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

# By category. Missing are 12, 22, 34 and 46, which are about `diff` and `apply` alone.
CASES = {
    "test_mig.py": [*range(1, 12), *range(13, 17)],
    "test_time_slicing.py": [*range(17, 22), 23],
    "test_mps.py": [*range(24, 28)],
    "test_vgpu.py": [28],
    "test_taints_labels.py": [*range(29, 33)],
    "test_priority.py": [33, 35],
    "test_kueue.py": [*range(36, 46), 47],
    "test_volcano.py": [*range(48, 52)],
    "test_quota.py": [*range(52, 57)],
    "test_vendors.py": [57, 58],
    "test_operator_objects.py": [59, 60],
    # test_monitoring.py has more about the same.
    "test_rules.py": [*range(61, 68)],
    "test_gitops.py": [68, 69],
    "test_yaml_input.py": [*range(70, 78)],
}
_NAME = re.compile(r"^def test_a_(\d{3})_\w+\(", re.MULTILINE)


@pytest.mark.parametrize(("file", "cases"), CASES.items(), ids=CASES)
def test_every_case_of_a_category_has_a_test(file: str, cases: list[int]) -> None:
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    assert sorted({int(found) for found in _NAME.findall(text)}) == cases


def test_the_list_is_whole() -> None:
    listed = sorted(case for cases in CASES.values() for case in cases)
    assert listed == [case for case in range(1, 78) if case not in (12, 22, 34, 46)]


def test_no_test_is_defined_twice() -> None:
    for path in Path(__file__).parent.glob("test_*.py"):
        names = re.findall(r"^def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(set(names)) == len(names), path.name
