"""The text itself: words that YAML reads differently, doubled keys, tabs, units, line ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.cases.outcome import FILE
from tests.cases.outcome import Outcome
from tests.cases.outcome import accepted
from tests.cases.outcome import cells
from tests.cases.outcome import compile_text
from tests.cases.outcome import compiled
from tests.cases.outcome import policy
from tests.cases.outcome import refused
from tests.cases.outcome import refused_text
from tests.cli.command import run

_ROOM = 'cpu: "120", memory: 960Gi, ephemeral-storage: 3Ti'


def cluster(tenant: str, pool: str = "") -> str:
    return f"""
        nodePools:
          - name: train
            gpu: H100-SXM5-80GB
            nodes: 2
            gpusPerNode: 8
            allocatable: {{{_ROOM}}}{pool}
        tenants:
          - {tenant}
    """


def team(fields: str) -> str:
    quotas = "quotas: [{pool: train, guaranteed: 8}]"
    return cluster(f"{{name: team, namespaces: [team], {quotas}, {fields}}}")


def namespace_labels(outcome: Outcome) -> dict[str, str]:
    labels: dict[str, str] = outcome.only("Namespace")["metadata"]["labels"]
    return labels


def test_a_070_words_that_look_like_truths_stay_words() -> None:
    written = "{country: NO, switch: on, answer: No, state: yes, off: off, n: n, nothing: 'null'}"
    outcome = accepted(team(f"labels: {written}"))
    labels = namespace_labels(outcome)
    assert {
        "country": "NO",
        "switch": "on",
        "answer": "No",
        "state": "yes",
        "off": "off",
        "n": "n",
        "nothing": "null",
    }.items() <= labels.items()
    text = outcome.tree["tenancy/namespace-team.yaml"]
    assert 'country: "NO"' in text
    assert 'switch: "on"' in text
    assert 'answer: "No"' in text


def test_a_070_a_pool_and_a_tenant_called_no() -> None:
    outcome = accepted(
        """
        nodePools:
          - {name: on, gpu: L4, nodes: 2, gpusPerNode: 1, allocatable: {cpu: 8, memory: 8Gi,
             ephemeral-storage: 1Ti}}
        tenants:
          - {name: no, namespaces: [y], quotas: [{pool: on, guaranteed: 1}]}
        """
    )
    assert outcome.only("ClusterQueue")["metadata"]["name"] == "no"
    assert outcome.only("LocalQueue")["metadata"]["namespace"] == "y"
    assert outcome.only("ResourceFlavor")["spec"]["nodeLabels"] == {"gpupolicy.dev/pool": "on"}


def test_a_070_a_tenant_called_norway() -> None:
    tenant = "{name: «NO», namespaces: [norway], quotas: [{pool: train, guaranteed: 8}]}"
    refused(cluster(tenant), "GP106").says("NO").helps("no")


def _lines(text: str, word: str) -> list[int]:
    return [number for number, line in enumerate(text.split("\n"), 1) if word in line]


@pytest.mark.parametrize(
    ("spec", "code", "word"),
    [
        (
            "nodePools:\n"
            "  - {name: train, gpu: L4, nodes: 2, gpusPerNode: 1}\n"
            "  - {name: dev, gpu: A10, nodes: 2, gpusPerNode: 1}\n"
            "  - {name: train, gpu: T4, nodes: 2, gpusPerNode: 1}",
            "GP410",
            "name: train",
        ),
        (
            "nodePools:\n"
            "  - name: train\n    gpu: L4\n    nodes: 2\n    gpusPerNode: 1\n    nodes: 4",
            "GP010",
            " nodes:",
        ),
        (
            cluster(
                "name: team\n            namespaces: [team]\n"
                "            quotas: [{pool: train, guaranteed: 8}]\n"
                "            quotas: [{pool: train, guaranteed: 4}]"
            ),
            "GP010",
            "quotas:",
        ),
        (
            cluster(
                "name: team\n            namespaces: [team]\n            quotas:\n"
                "              - {pool: train, guaranteed: 8}\n"
                "              - {pool: train, guaranteed: 4}"
            ),
            "GP411",
            "pool: train",
        ),
    ],
)
def test_a_071_the_same_thing_twice(spec: str, code: str, word: str) -> None:
    text = policy(spec)
    outcome = compile_text(text)
    assert outcome.compiled.bundle is None
    (finding,) = outcome.found()
    assert finding.code == code
    assert finding.span is not None
    (other,) = [place.span for place in finding.related]
    assert other is not None
    assert [other.line, finding.span.line] == _lines(text, word), outcome.shown
    # A reader of the machine's form has both lines too.
    assert f"{FILE}:{other.line}:" in outcome.shown
    assert f"{FILE}:{finding.span.line}:" in outcome.shown


@pytest.mark.parametrize("spec", ["\tnodePools: []\n", "  nodePools:\n\t- {name: a, nodes: 1}\n"])
def test_a_072_tabs(spec: str, tmp_path: Path) -> None:
    head = policy("").replace("\n\n", "\n")
    text = head + spec
    (tmp_path / "policy.yaml").write_text(text)
    done = run("compile", "policy.yaml", "--out", "deploy", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert not (tmp_path / "deploy").exists()
    (line,) = _lines(text, "\t")
    assert f"policy.yaml:{line}:" in done.err
    assert re.search(r"error\[GP005\]: .*\btab\b", done.err)
    assert "found 1 error\n" in done.err


@pytest.mark.parametrize(
    ("memory", "right"),
    [("64GiB", "64Gi"), ("64GB", "64G"), ("64K", "64k"), ("64gi", "64Gi"), ("64 Gi", "64Gi")],
)
def test_a_073_units_that_kubernetes_does_not_have(memory: str, right: str) -> None:
    spec = team("labels: {}").replace("guaranteed: 8", f"guaranteed: 8, memory: «{memory}»")
    refused(spec, "GP108").says("team", memory).helps(right)


def test_a_073_a_part_of_a_byte() -> None:
    spec = team("labels: {}").replace("guaranteed: 8", "guaranteed: 8, memory: «1.1Gi»")
    finding = refused(spec, "GP108").says("team", "1.1Gi")
    assert re.search(r"\b\d+(Mi|Ki)?\b", finding.one.hint or "")


@pytest.mark.parametrize("memory", ["64Gi", "64G", "1.5Gi", "65536Mi", "64e9"])
def test_a_073_units_that_it_has(memory: str) -> None:
    spec = team("labels: {}").replace("guaranteed: 8", f"guaranteed: 8, memory: {memory}")
    assert compiled(spec)


@pytest.mark.parametrize(
    ("name", "proposed"),
    [
        ("ML_Research", "ml-research"),
        ("Zoë", "zoe"),
        ("user@example.org", "user-example-org"),
        ("a" * 70, "a" * 63),
        ("-team", "team"),
        ("团队", ""),
    ],
)
def test_a_074_names_that_kubernetes_does_not_take(name: str, proposed: str) -> None:
    tenant = f"{{name: «{name}», namespaces: [team], quotas: [{{pool: train, guaranteed: 8}}]}}"
    finding = refused(cluster(tenant), "GP106")
    assert name[:50] in finding.one.message
    assert ("70 characters" if len(name) > 63 else "a-z, 0-9 and '-'") in finding.one.message
    assert (finding.one.hint or "") == (f"write '{proposed}'" if proposed else "")


def test_a_074_names_of_namespaces() -> None:
    tenant = "{name: team, namespaces: [«ML_Research»], quotas: [{pool: train, guaranteed: 8}]}"
    refused(cluster(tenant), "GP106").says("ML_Research").helps("ml-research")


def test_a_075_numbers_and_dates_as_labels() -> None:
    written = "{cost-centre: 12345, since: 2024-01-01, flag: true, room: 007, hex: 0x1F, v: 1.10}"
    outcome = accepted(team(f"labels: {written}"))
    expected = {
        "cost-centre": "12345",
        "since": "2024-01-01",
        "flag": "true",
        "room": "007",
        "hex": "0x1F",
        "v": "1.10",
    }
    labels = namespace_labels(outcome)
    assert {key: labels[key] for key in expected} == expected
    text = outcome.tree["tenancy/namespace-team.yaml"]
    for key, value in expected.items():
        assert f'{key}: "{value}"' in text


def test_a_075_every_label_and_annotation_is_text() -> None:
    spec = cluster(
        "{name: team, namespaces: [team], quotas: [{pool: train, guaranteed: 8}]}",
        "\n            labels: {example.org/rack: 12, example.org/since: 2024-01-01}",
    )
    outcome = accepted(spec)
    for one in outcome.objects():
        for field in ("labels", "annotations"):
            kept = one["metadata"].get(field, {})
            assert [v for v in kept.values() if not isinstance(v, str)] == []
    (rule,) = outcome.only("NodeFeatureRule")["spec"]["rules"]
    assert rule["labels"]["example.org/rack"] == "12"
    assert rule["labels"]["example.org/since"] == "2024-01-01"


@pytest.mark.parametrize("place", ["quota", "allocatable", "workload", "gpu"])
def test_a_076_memory_in_thousandths_of_a_byte(place: str) -> None:
    spec = team("workloads: [{name: job, pool: train}]")
    spec = {
        "quota": spec.replace("guaranteed: 8", "guaranteed: 8, memory: «500m»"),
        "allocatable": spec.replace("960Gi", "«500m»"),
        "workload": spec.replace("name: job", "name: job, memory: «500m»"),
        "gpu": spec.replace("name: job", "name: job, gpuMemory: «500m»"),
    }[place]
    refused(spec, "GP458" if place == "allocatable" else "GP108").says("500m").helps(
        "500M", "500Mi"
    )


def test_a_076_half_a_core_is_a_core_in_thousandths() -> None:
    spec = team("labels: {}").replace("guaranteed: 8", "guaranteed: 8, cpu: 500m")
    found = cells(compiled(spec).named("ClusterQueue", "team"))
    assert found["train", "cpu"]["nominalQuota"] == "500m"


_WHOLE = policy(
    """
    # Trailing blanks and comments, as editors leave them.
    platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}, kueue: {version: "0.19"}}
    nodePools:
      - name: slices
        gpu: A100-SXM4-80GB
        nodes: 2
        gpusPerNode: 8
        sharing:
          mig:
            1g.10gb: 4
            3g.40gb: 1
          timeSlicing:
            1g.10gb: 2
    tenants:
      - name: team
        namespaces:
          - team
        labels: {note: "a b"}
        quotas:
          - {pool: slices, device: 3g.40gb, guaranteed: 8}
    """.replace('labels: {note: "a b"}', "labels: {note: a-b}")
)


def _as_windows_writes_it(text: str) -> bytes:
    lines = [
        line + "  " if line.endswith((":", "1g.10gb: 4")) else line for line in text.split("\n")
    ]
    return b"\xef\xbb\xbf" + "\r\n".join(lines).encode()


def test_a_077_line_ends_marks_and_blanks_change_no_byte() -> None:
    plain = compile_text(_WHOLE).tree
    assert compile_text(_as_windows_writes_it(_WHOLE)).tree == plain


def test_a_077_what_is_embedded_can_be_reviewed() -> None:
    for text in (_WHOLE.encode(), _as_windows_writes_it(_WHOLE)):
        outcome = compile_text(text)
        embedded = 0
        for path, written in outcome.tree.items():
            assert "\r" not in written, path
            assert "\ufeff" not in written, path
            assert not re.search(r"[ \t]+$", written, re.MULTILINE), path
            data = yaml.safe_load(written) if path.endswith(".yaml") else None
            if isinstance(data, dict) and data.get("kind") == "ConfigMap":
                for key in data["data"]:
                    assert re.search(rf"^  {re.escape(key)}: \|$", written, re.MULTILINE)
                    embedded += 1
        assert embedded == 3


def test_a_077_the_same_files_are_written(tmp_path: Path) -> None:
    (tmp_path / "unix.yaml").write_text(_WHOLE)
    (tmp_path / "windows.yaml").write_bytes(_as_windows_writes_it(_WHOLE))
    for name in ("unix", "windows"):
        assert run("compile", f"{name}.yaml", "--out", name, cwd=tmp_path).code == 0
    trees = [
        {
            str(path.relative_to(tmp_path / name)): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in ("unix", "windows")
    ]
    assert trees[0] == trees[1]


def test_a_072_a_tab_is_where_it_is() -> None:
    text = policy("nodePools:\n").rstrip("\n") + "\n«»\t- {name: a, nodes: 1}\n"
    refused_text(text, "GP005").says("tab")
