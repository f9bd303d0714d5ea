"""vGPU: types are checked against the card; nothing is compiled for VMs yet."""

from __future__ import annotations

import pytest

from gpupolicy.compiler import check_policy
from gpupolicy.diagnostics.model import Severity
from gpupolicy.source.load import SourceText
from tests.cases.outcome import FILE
from tests.cases.outcome import Outcome
from tests.cases.outcome import policy
from tests.cases.outcome import refused
from tests.cases.outcome import unmark


def pool(gpu: str, sharing: str) -> str:
    return f"""
        nodePools:
          - {{name: desktops, gpu: {gpu}, nodes: 2, gpusPerNode: 4, sharing: {sharing}}}
    """


def checked(spec: str) -> Outcome:
    text = unmark(policy(spec))[0]
    return Outcome(check_policy([SourceText(FILE, text.encode())]), text)


def test_a_028_a_type_that_the_card_has_needs_its_licence() -> None:
    outcome = checked(pool("A2", "{vgpu: {A2-1B: 16}}"))
    (finding,) = outcome.found()
    assert (finding.code, finding.severity) == ("GP333", Severity.WARNING), outcome.shown
    assert "NVIDIA vPC for series B" in finding.message


def test_a_028_a_type_that_nobody_knows() -> None:
    outcome = checked(pool("A2", "{vgpu: {A2-1Z: 16}}"))
    assert [one.code for one in outcome.found()] == ["GP331"], outcome.shown
    assert "A2-1Z" in outcome.found()[0].message


def test_a_028_a_type_of_another_card() -> None:
    refused(pool("A2", "{vgpu: {«T4-1B»: 16}}"), "GP330").says("desktops", "T4-1B", "T4", "A2")


def test_a_028_seventeen_types_of_one_gigabyte_on_sixteen() -> None:
    outcome = checked(pool("T4", "{vgpu: {T4-1Q: 17}}"))
    (finding,) = outcome.found(Severity.ERROR)
    assert finding.code == "GP332"
    assert "17 GB of 16 GB" in finding.message, outcome.shown
    assert "16" in (finding.hint or "")


def test_a_028_sixteen_of_them_fit() -> None:
    assert checked(pool("T4", "{vgpu: {T4-1Q: 16}}")).found(Severity.ERROR) == []


@pytest.mark.parametrize("sharing", ["«vgpu»: {A2-1B: 16}", "«passthrough»: true"])
def test_a_028_devices_for_vms_are_refused_at_compile(sharing: str) -> None:
    from tests.cases.outcome import compile_text

    text, ((line, column, _, end_column),) = unmark(policy(pool("A2", f"{{{sharing}}}")))
    outcome = compile_text(text)
    assert outcome.compiled.bundle is None
    (finding,) = outcome.found(Severity.ERROR)
    assert finding.code == "GP500"
    assert "desktops" in finding.message
    assert "later version" in finding.message
    assert finding.span is not None
    assert (finding.span.line, finding.span.column, finding.span.end_column) == (
        line,
        column,
        end_column,
    )
