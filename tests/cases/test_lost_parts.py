"""What could not be read, or is misspelt, is said; what only misses it is not."""

from __future__ import annotations

import pytest

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import check_policy
from gpupolicy.diagnostics.absence import EXPLAINED_BY_ABSENCE
from gpupolicy.diagnostics.codes import CODES
from gpupolicy.diagnostics.model import Severity
from gpupolicy.diagnostics.render.text import render_text
from gpupolicy.source.load import SourceText
from tests.cases.outcome import compile_text
from tests.cases.outcome import policy

# Every word here is used by `_TEAM` alone, so that without it each would be missed.
_POLICY = """
    nodePools:
      - name: train
        gpu: A10
        nodes: 2
        gpusPerNode: 4
        taints: [{key: example.com/team, effect: NoSchedule}]
      - {name: cut, gpu: L4, nodes: 1, gpusPerNode: 4}
    slas: [{name: fast, preemptible: false}]
    tenants:
      - {name: research, quotas: [{pool: train, guaranteed: 4}]}
      - {name: other, namespaces: [other], quotas: [{pool: cut, guaranteed: 0, limit: 4}]}
"""
_HEAD = "apiVersion: gpupolicy.dev/v1alpha1\nkind: GPUTenant\nmetadata: {name: team}\n"
_TEAM = (
    "spec:\n  parent: research\n  namespaces: [team]\n  sla: fast\n"
    "  quotas: [{pool: train, guaranteed: 4}]\n"
)
_CHILD = (
    "apiVersion: gpupolicy.dev/v1alpha1\nkind: GPUTenant\nmetadata: {name: child}\n"
    "spec: {parent: team, namespaces: [child], quotas: [{pool: train, guaranteed: 0}]}\n"
)
# The team as a parent of `child`, in a file that cannot be taken.
_BROKEN = {
    "wrong kind": ("GP023", _HEAD.replace("GPUTenant", "GPUTeam") + _TEAM),
    "no kind": ("GP023", _HEAD.replace("kind: GPUTenant\n", "") + _TEAM),
    "another program's": (
        "GP022",
        "apiVersion: example.com/v1\nkind: Team\nmetadata: {name: team}\n" + _TEAM,
    ),
    "no head": ("GP024", _TEAM),
    "no map": ("GP021", "- " + _HEAD.replace("\n", "\n  ") + "\n"),
    "no name": ("GP027", _HEAD.replace("{name: team}", "{}") + _TEAM),
    "not YAML": ("GP006", _HEAD + _TEAM + "  x: [\n"),
    "a tab": ("GP005", _HEAD + "spec:\n\tparent: research\n"),
    "not UTF-8": ("GP001", _HEAD + _TEAM + "# \udcff\n"),
    "UTF-16": ("GP002", "\ufeffa: b"),
    "an undefined alias": ("GP013", _HEAD + _TEAM + "  members: *none\n"),
    "a key that is a list": ("GP011", _HEAD + _TEAM + "  ? [a]\n  : b\n"),
    "fields beside the spec": ("GP029", _HEAD + _TEAM.replace("spec:\n", "spek:\n")),
    "a spec that is no map": ("GP030", _HEAD + "spec: research\n"),
}


def _checked(*files: bytes, overlay: bytes | None = None) -> Compiled:
    sources = [SourceText(f"{name}.yaml", text) for name, text in zip("abc", files, strict=False)]
    overlays = [SourceText("o.yaml", overlay)] if overlay else []
    return check_policy(sources, overlays, today="2026-11-30")


def _codes(compiled: Compiled) -> list[str]:
    return [one.code for one in compiled.diagnostics]


def test_the_whole_policy_is_silent() -> None:
    team, child = _HEAD + _TEAM, _CHILD.replace("parent: team", "parent: research")
    compiled = _checked(policy(_POLICY).encode(), team.encode(), child.encode())
    assert _codes(compiled) == [], render_text(compiled.diagnostics, compiled.texts)


def test_without_the_team_everything_misses_it() -> None:
    compiled = _checked(policy(_POLICY).encode(), _CHILD.encode())
    assert sorted(_codes(compiled)) == ["GP414", "GP600"]


@pytest.mark.parametrize(("code", "text"), _BROKEN.values(), ids=_BROKEN)
def test_only_the_broken_file_is_reported(code: str, text: str) -> None:
    encoding = "utf-16-le" if text.startswith("\ufeff") else "utf-8"
    team = text.encode(encoding, "surrogateescape")
    compiled = _checked(policy(_POLICY).encode(), team, _CHILD.encode())
    assert _codes(compiled) == [code], render_text(compiled.diagnostics, compiled.texts)


@pytest.mark.parametrize(("code", "text"), _BROKEN.values(), ids=_BROKEN)
def test_what_is_wrong_elsewhere_is_still_said(code: str, text: str) -> None:
    encoding = "utf-16-le" if text.startswith("\ufeff") else "utf-8"
    team = text.encode(encoding, "surrogateescape")
    wrong = policy(_POLICY).replace("{name: cut, gpu: L4,", "{name: cut, gpu: A100-SXM5-40GB,")
    compiled = _checked(wrong.encode(), team, _CHILD.encode())
    assert sorted(_codes(compiled)) == sorted([code, "GP440"]), compiled.diagnostics
    assert "A100-SXM5-40GB" in render_text(compiled.diagnostics, compiled.texts)


@pytest.mark.parametrize(
    "overlay",
    [
        b"kind: GPUPolicy\nspec: {nodePools: [{name: infer, gpu: A10, nodes: 1, gpusPerNode: 1}]}",
        b"spec: {nodePools: [{gpu: A10, nodes: 1, gpusPerNode: 1}]}",
        b"spec: {nodePools: [{name: infer, gpu: A10, nodes: 1, gpusPerNode: 1}]\n",
    ],
    ids=["wrong kind", "item without a name", "not YAML"],
)
def test_a_lost_overlay_explains_what_is_missed(overlay: bytes) -> None:
    text = policy("""
        nodePools: [{name: train, gpu: A10, nodes: 2, gpusPerNode: 4}]
        tenants: [{name: a, namespaces: [a], quotas: [{pool: infer, guaranteed: 1}]}]
    """)
    assert _codes(_checked(text.encode())) == ["GP414"]
    compiled = _checked(text.encode(), overlay=overlay)
    assert len(compiled.diagnostics) == 1
    assert compiled.diagnostics[0].code.startswith("GP0")


def test_the_second_of_two_keys_explains_what_is_missed() -> None:
    outcome = compile_text(
        policy("""
        nodePools: [{name: train, gpu: A10, nodes: 2, gpusPerNode: 4}]
        tenants: [{name: a, namespaces: [a], quotas: [{pool: infer, guaranteed: 1}]}]
        nodePools: [{name: infer, gpu: A10, nodes: 2, gpusPerNode: 4}]
        """)
    )
    assert [one.code for one in outcome.found()] == ["GP010"], outcome.shown


_TWO = "nodePools: [{name: train, gpu: A10, nodes: 2, gpusPerNode: 4}]\n"


@pytest.mark.parametrize(
    "spec",
    [
        _TWO + "tenants:\n"
        "- {name: research, quotas: [{pool: train, guaranteed: 4}]}\n"
        "- {name: t, parent: reserch, namespaces: [t], quotas: [{pool: train, guaranteed: 4}]}",
        _TWO + "slas: [{name: fast, preemptible: false}]\ntenants:\n"
        "- {name: t, sla: fsat, namespaces: [t], quotas: [{pool: train, guaranteed: 4}]}",
        _TWO + "priorityClasses: [{name: batch, value: 5, preemptionPolicy: Never}]\ntenants:\n"
        "- {name: t, priorityClasses: [bacth], namespaces: [t], "
        "quotas: [{pool: train, guaranteed: 4}], "
        "workloads: [{name: w, pool: train, priorityClass: batch}]}",
        _TWO + "tenants:\n- {name: t, namespaces: [t], quotas: [{pool: trian, guaranteed: 4}], "
        "workloads: [{name: w, pool: train}]}",
    ],
    ids=["parent", "SLA", "class", "pool"],
)
def test_a_misspelt_name_is_said_once(spec: str) -> None:
    indented = "\n".join(f"    {line}" for line in spec.split("\n"))
    outcome = compile_text(policy("\n" + indented + "\n"))
    found = outcome.found(Severity.ERROR, Severity.WARNING)
    assert [one.code for one in found] == ["GP414"], outcome.shown


def test_a_child_of_a_misspelt_parent_is_not_counted_beside_its_budget() -> None:
    outcome = compile_text(
        policy("""
        nodePools:
          - {name: train, gpu: A10, nodes: 2, gpusPerNode: 4, allocatable: {cpu: "8", memory: 8Gi}}
        tenants:
          - {name: research, quotas: [{pool: train, guaranteed: 8, cpu: "16", memory: 16Gi}]}
          - name: team
            parent: reserch
            namespaces: [team]
            quotas: [{pool: train, guaranteed: 8, cpu: "16", memory: 16Gi}]
        """)
    )
    found = outcome.found(Severity.ERROR, Severity.WARNING)
    assert [one.code for one in found] == ["GP414"], outcome.shown


def test_a_default_class_that_is_misspelt_in_a_list_is_said_once() -> None:
    outcome = compile_text(
        policy("""
        nodePools: [{name: train, gpu: A10, nodes: 2, gpusPerNode: 4}]
        priorityClasses: [{name: batch, value: 5, globalDefault: true}]
        tenants: [{name: a, priorityClasses: [bacth], namespaces: [a],
                   quotas: [{pool: train, guaranteed: 1}]}]
        """)
    )
    assert [one.code for one in outcome.found()] == ["GP473", "GP414"], outcome.shown


def test_what_absence_explains_are_codes() -> None:
    assert CODES.keys() >= EXPLAINED_BY_ABSENCE
