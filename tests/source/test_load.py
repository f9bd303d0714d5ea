from __future__ import annotations

import pytest

from gpupolicy.diagnostics.model import Severity
from gpupolicy.source.load import SourceText
from gpupolicy.source.load import load
from tests.source.loading import POLICY
from tests.source.loading import TENANT
from tests.source.loading import document
from tests.source.loading import finding
from tests.source.loading import findings
from tests.source.loading import load_texts
from tests.source.loading import place

LAB = POLICY + "metadata: {name: lab}\nspec:\n  tenants: [{name: own}]\n"
VISION = TENANT + "metadata: {name: vision}\nspec:\n  parent: own\n  quotas: [{pool: train}]\n"
AUDIO = TENANT + "metadata: {name: audio, annotations: {a: b}, labels: {c: d}}\n"


def test_one_file_is_a_policy() -> None:
    assert document(LAB).data == {
        "apiVersion": "gpupolicy.dev/v1alpha1",
        "kind": "GPUClusterPolicy",
        "metadata": {"name": "lab"},
        "spec": {"tenants": [{"name": "own"}]},
    }


def test_tenants_of_other_files_come_after_those_of_the_policy_in_the_order_given() -> None:
    tenants = document(VISION, LAB, AUDIO).data["spec"]["tenants"]
    assert tenants == [
        {"name": "own"},
        {"name": "vision", "parent": "own", "quotas": [{"pool": "train"}]},
        {"name": "audio"},
    ]


def test_documents_of_one_file_are_like_files() -> None:
    loaded = document(f"---\n{VISION}---\n# nothing\n---\n{LAB}...\n---\n{AUDIO}---\n")
    assert loaded.data == document(VISION, LAB, AUDIO).data


@pytest.mark.parametrize("spec", ["spec: {}\n", "spec:\n  tenants:\n", "spec: {tenants: []}\n"])
def test_tenants_are_added_to_a_policy_without_any(spec: str) -> None:
    loaded = document(POLICY + spec, AUDIO)
    assert loaded.data["spec"] == {"tenants": [{"name": "audio"}]}
    assert place(loaded.span_of(("spec", "tenants", 0))) == ("b.yaml", 1, 1)


@pytest.mark.parametrize("spec", ["", "spec: x\n", "spec: {tenants: x}\n", "spec: [1]\n"])
def test_what_is_no_spec_is_left_to_the_models(spec: str) -> None:
    assert document(POLICY + spec, AUDIO).data == document(POLICY + spec).data


def test_no_policy_is_an_error_that_names_the_files() -> None:
    found = finding(VISION, AUDIO)
    assert (found.code, place(found.span)) == ("GP025", ("a.yaml", 1, 1))
    assert "'a.yaml', 'b.yaml'" in found.message


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only a comment\n", "---\n", "---\n---\n...\n", "~\n", "\ufeff"]
)
def test_an_empty_file_is_no_policy(text: str) -> None:
    found = finding(text)
    assert found.code == "GP025"
    assert "is empty" in found.message


def test_nothing_at_all_is_no_policy() -> None:
    assert finding().code == "GP025"
    assert finding().span is None


def test_an_empty_file_beside_a_policy_is_a_warning() -> None:
    loaded, (found,) = load_texts(LAB, "# lost\n")
    assert loaded is not None
    assert (found.code, found.severity) == ("GP020", Severity.WARNING)
    assert place(found.span) == ("b.yaml", 1, 1)


def test_two_policies_are_an_error_with_both_places() -> None:
    loaded, (found,) = load_texts("# c\n" + LAB, LAB)
    assert loaded is None
    assert (found.code, place(found.span)) == ("GP026", ("b.yaml", 1, 1))
    assert place(found.related[0].span) == ("a.yaml", 2, 1)


def test_every_further_policy_is_shown() -> None:
    assert [place(one.span)[0] for one in findings(LAB, LAB, LAB)] == ["b.yaml", "c.yaml"]


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "said"),
    [
        ("a: 1\n", "GP024", 1, 1, "no 'apiVersion' and no 'kind'"),
        ("{}\n", "GP024", 1, 1, "no 'apiVersion' and no 'kind'"),
        ("kind: GPUTenant\nmetadata: {name: x}\n", "GP024", 1, 1, "no 'apiVersion'"),
        (
            "apiVersion: gpupolicy.dev/v2\nkind: GPUTenant\nmetadata: {name: x}\n",
            "GP024",
            1,
            13,
            "'gpupolicy.dev/v2'",
        ),
        ("apiVersion: [x]\nkind: GPUTenant\nmetadata: {name: x}\n", "GP024", 1, 13, "no version"),
        ("apiVersion: gpupolicy.dev/v1alpha1\n", "GP023", 1, 1, "no 'kind'"),
        ("apiVersion: gpupolicy.dev/v1alpha1\nkind: Policy\n", "GP023", 2, 7, "'Policy'"),
        ("kind: gpuclusterpolicy\n", "GP023", 1, 7, "'gpuclusterpolicy'"),
        ("apiVersion: gpupolicy.dev/v1alpha1\nkind: {a: b}\n", "GP023", 2, 7, "no kind"),
        ("apiVersion: apps/v1\nkind: Deployment\n", "GP022", 1, 13, "'Deployment' of 'apps/v1'"),
        ("apiVersion: nvidia.com/v1\nkind: ClusterPolicy\n", "GP022", 1, 13, "'b.yaml'"),
        ("apiVersion: v1\n", "GP022", 1, 13, "'v1'"),
        ("- a\n", "GP021", 1, 1, "not a map"),
        ("text\n", "GP021", 1, 1, "not a map"),
    ],
)
def test_other_documents_are_refused(
    text: str, code: str, line: int, column: int, said: str
) -> None:
    found = finding(LAB, text)
    assert (found.code, place(found.span)) == (code, ("b.yaml", line, column))
    assert said in found.message
    assert found.hint


@pytest.mark.parametrize(
    ("kind", "meant"), [("GPUPolicy", "GPUClusterPolicy"), ("gputenant", "GPUTenant")]
)
def test_the_nearest_kind_is_suggested(kind: str, meant: str) -> None:
    found = finding(f"apiVersion: gpupolicy.dev/v1alpha1\nkind: {kind}\n")
    assert found.hint == f"did you mean '{meant}'?"


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("", "GP027", 2, 1),
        ("metadata:\n", "GP027", 3, 1),
        ("metadata: x\n", "GP027", 3, 1),
        ("metadata: {name: }\n", "GP027", 3, 1),
        ("metadata: {name: x, namespace: y}\n", "GP029", 3, 21),
        ("metadata: {name: x}\nquotas: []\n", "GP029", 4, 1),
        ("metadata: {name: x}\nspec: [a]\n", "GP030", 4, 7),
        ("metadata: {name: x}\nspec: {weight: 1, name: y}\n", "GP028", 4, 19),
    ],
)
def test_what_is_wrong_in_a_tenant_is_shown_in_its_file(
    text: str, code: str, line: int, column: int
) -> None:
    found = finding(LAB, TENANT + text)
    assert (found.code, place(found.span)) == (code, ("b.yaml", line, column))


def test_a_misspelt_key_of_a_tenant_is_recognised() -> None:
    assert (
        finding(LAB, TENANT + "metadat: {}\nmetadata: {name: x}\n").hint
        == "did you mean 'metadata'?"
    )


def test_the_name_of_a_tenant_is_that_of_its_metadata() -> None:
    loaded, _ = load_texts(LAB, TENANT + "metadata: {name: x}\nspec: {name: y}\n")
    assert loaded.data["spec"]["tenants"][1] == {"name": "x"}


def test_the_same_file_twice_is_an_error() -> None:
    policy = SourceText("lab.yaml", LAB.encode())
    for sources, overlays in [([policy, policy], []), ([policy], [policy])]:
        loaded, (found,) = load(sources, overlays)
        assert loaded is None
        assert (found.code, place(found.span)) == ("GP017", ("lab.yaml", 1, 1))


def test_findings_of_many_documents_end_at_the_hundredth() -> None:
    loaded, found = load_texts(LAB + "---\napiVersion: v1\n" * 500)
    assert loaded is None
    assert len(found) == 100


def test_ten_thousand_tenants_in_one_file() -> None:
    text = LAB + "".join(f"---\n{TENANT}metadata: {{name: t{i}}}\n" for i in range(10_000))
    loaded = document(text)
    assert loaded.data["spec"]["tenants"][10_000] == {"name": "t9999"}
    assert place(loaded.span_of(("spec", "tenants", 10_000, "name"))) == ("a.yaml", 5 + 40_000, 18)


def test_more_than_twenty_thousand_documents_are_refused() -> None:
    found = finding(LAB + "---\n" * 20_001)
    assert (found.code, found.span.line) == ("GP009", 20_005)
