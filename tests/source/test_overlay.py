from __future__ import annotations

import types
import typing

import pytest
from pydantic import BaseModel

from gpupolicy.source.overlay import KEYED_LISTS
from gpupolicy.spec.v1alpha1.policy import Policy
from tests.source.loading import POLICY
from tests.source.loading import TENANT
from tests.source.loading import document
from tests.source.loading import finding
from tests.source.loading import findings
from tests.source.loading import place
from tests.source.loading import written

BASE = (
    POLICY
    + """\
metadata: {name: ai}
spec:
  platform: {kubernetes: "1.34", kueue: {version: "0.19"}, nodes: {write: script}}
  nodePools:
    - name: train
      nodes: {min: 1, max: 4}
      labels: {a: x, b: y}
      taints: [{key: k, effect: NoSchedule}]
      sharing: {timeSlicing: 4, rename: false}
      topology: {levels: [{name: rack, nodes: 4}]}
    - {name: dev, nodes: 2}
  tenants:
    - name: a
      namespaces: [n1, n2]
      quotas: [{pool: train, guaranteed: 8}, {pool: dev, device: x, limit: 1}]
      workloads: [{name: w, pods: 1}]
    - name: b
  monitoring:
    alerts: [{name: hot, threshold: 1}]
    routes: [{severity: critical, receiver: r}]
"""
)


def over(*texts: str) -> dict:
    """Give the spec with overlays whose `spec:` are the texts."""
    return document(BASE, overlays=tuple("spec:\n" + text for text in texts)).data["spec"]


@pytest.mark.parametrize(
    "text",
    ["", "# nothing\n", "{}\n", "spec:\n", "spec: {}\n", POLICY, TENANT + "metadata: {name: a}\n"],
)
def test_an_overlay_that_says_nothing_changes_nothing(text: str) -> None:
    expected = document(BASE).data
    if text == "spec:\n":
        expected = {key: value for key, value in expected.items() if key != "spec"}
    assert document(BASE, overlays=(text,)).data == expected


def test_maps_merge_by_key() -> None:
    spec = over(
        "  platform: {kubernetes: '1.35', kueue: {namespace: q}, nodes: {write: external}}\n"
    )
    assert spec["platform"] == {
        "kubernetes": "1.35",
        "kueue": {"version": "0.19", "namespace": "q"},
        "nodes": {"write": "external"},
    }


def test_null_removes_a_key_and_may_find_none() -> None:
    spec = over("  platform: {kueue: null, volcano: ~}\n  monitoring:\n  slas:\n")
    assert spec["platform"] == {"kubernetes": "1.34", "nodes": {"write": "script"}}
    assert "monitoring" not in spec
    assert "slas" not in spec


def test_metadata_merge_too() -> None:
    assert document(BASE, overlays=("metadata: {name: prod}\n",)).data["metadata"] == {
        "name": "prod"
    }


def test_named_things_merge_by_name_and_new_ones_are_appended() -> None:
    pools = over("  nodePools: [{name: new, nodes: 1}, {name: dev, gpu: A10}]\n")["nodePools"]
    assert [pool["name"] for pool in pools] == ["train", "dev", "new"]
    assert pools[1] == {"name": "dev", "nodes": "2", "gpu": "A10"}
    assert pools[0] == document(BASE).data["spec"]["nodePools"][0]


def test_nested_named_things_merge_by_name() -> None:
    spec = over(
        "  nodePools: [{name: train, topology: {levels: [{name: rack, nodes: 8}, {name: row}]}}]\n"
        "  tenants: [{name: a, workloads: [{name: w, gang: true}]}]\n"
        "  monitoring: {alerts: [{name: hot, for: 1h}], receivers: [{name: r}]}\n"
    )
    assert spec["nodePools"][0]["topology"]["levels"] == [
        {"name": "rack", "nodes": "8"},
        {"name": "row"},
    ]
    assert spec["tenants"][0]["workloads"] == [{"name": "w", "pods": "1", "gang": "true"}]
    assert spec["monitoring"]["alerts"] == [{"name": "hot", "threshold": "1", "for": "1h"}]
    assert spec["monitoring"]["receivers"] == [{"name": "r"}]


def test_quotas_merge_by_pool_and_device() -> None:
    quotas = over(
        "  tenants:\n    - name: a\n      quotas:\n"
        "        - {pool: train, limit: 9}\n        - {pool: dev, limit: 2}\n"
        "        - {pool: dev, device: x, lend: 1}\n"
    )["tenants"][0]["quotas"]
    assert quotas == [
        {"pool": "train", "guaranteed": "8", "limit": "9"},
        {"pool": "dev", "device": "x", "limit": "1", "lend": "1"},
        {"pool": "dev", "limit": "2"},
    ]


def test_other_lists_are_replaced() -> None:
    spec = over(
        "  nodePools: [{name: train, taints: [{key: other}]}]\n"
        "  tenants: [{name: a, namespaces: [n3]}]\n"
        "  monitoring: {routes: []}\n"
    )
    assert spec["nodePools"][0]["taints"] == [{"key": "other"}]
    assert spec["tenants"][0]["namespaces"] == ["n3"]
    assert spec["monitoring"]["routes"] == []


def test_sharing_and_nodes_are_replaced() -> None:
    spec = over("  nodePools: [{name: train, sharing: {mps: 2}, nodes: {count: 3, spot: null}}]\n")
    assert spec["nodePools"][0]["sharing"] == {"mps": "2"}
    assert spec["nodePools"][0]["nodes"] == {"count": "3"}
    assert over("  nodePools: [{name: train, nodes: 3}]\n")["nodePools"][0]["nodes"] == "3"


def test_a_scalar_and_a_map_replace_each_other() -> None:
    spec = over(
        "  nodePools: [{name: dev, nodes: {min: 1}, labels: x}, {name: train, labels: x}]\n"
    )
    assert spec["nodePools"][1] == {"name": "dev", "nodes": {"min": "1"}, "labels": "x"}
    assert spec["nodePools"][0]["labels"] == "x"


def test_nulls_of_new_maps_are_left_out_but_those_of_lists_stay() -> None:
    spec = over(
        "  slas: [{name: s, x: null, y: {z: null}}]\n  new: {a: null, b: [null, {c: null}]}\n"
    )
    assert spec["slas"] == [{"name": "s", "y": {}}]
    assert spec["new"] == {"b": [None, {"c": None}]}


def test_delete_drops_an_item() -> None:
    spec = over(
        "  nodePools: [{name: dev, $patch: delete}]\n"
        "  tenants: [{name: a, quotas: [{pool: dev, device: x, $patch: delete}]}]\n"
    )
    assert [pool["name"] for pool in spec["nodePools"]] == ["train"]
    assert spec["tenants"][0]["quotas"] == [{"pool": "train", "guaranteed": "8"}]


def test_overlays_apply_in_order() -> None:
    assert over("  a: {x: 1, y: 1}\n", "  a: {x: 2}\n")["a"] == {"x": "2", "y": "1"}
    assert over("  nodePools: [{name: dev, $patch: delete}]\n", "  nodePools: [{name: dev}]\n")[
        "nodePools"
    ][1] == {"name": "dev"}


def test_the_base_of_an_alias_is_not_changed_elsewhere() -> None:
    base = POLICY + "spec:\n  x: &x {a: {b: 1}}\n  y: *x\n"
    spec = document(base, overlays=("spec: {y: {a: {b: 2}}}\n",)).data["spec"]
    assert spec == {"x": {"a": {"b": "1"}}, "y": {"a": {"b": "2"}}}


def test_a_tenant_document_is_an_overlay_too() -> None:
    text = f"{TENANT}metadata: {{name: b}}\nspec: {{weight: 2}}\n"
    text += f"---\n{TENANT}metadata: {{name: new}}\n"
    tenants = document(BASE, overlays=(text,)).data["spec"]["tenants"]
    assert tenants[1:] == [{"name": "b", "weight": "2"}, {"name": "new"}]
    text = f"{TENANT}metadata: {{name: b}}\n$patch: delete\n"
    assert len(document(BASE, overlays=(text,)).data["spec"]["tenants"]) == 1


def test_a_tenant_of_its_own_file_can_be_overlaid() -> None:
    tenant = TENANT + "metadata: {name: c}\nspec: {weight: 2, sla: x}\n"
    loaded = document(BASE, tenant, overlays=("spec: {tenants: [{name: c, weight: 3}]}\n",))
    assert loaded.data["spec"]["tenants"][2] == {"name": "c", "weight": "3", "sla": "x"}
    assert loaded.span_of(("spec", "tenants", 2, "weight")).file == "x.yaml"
    assert loaded.span_of(("spec", "tenants", 2, "sla")).file == "b.yaml"


def test_places_are_in_the_file_that_said_it() -> None:
    overlay = "spec:\n  nodePools:\n    - {name: dev, $patch: delete}\n    - {name: new}\n"
    overlay += "    - {name: train, nodes: 7, labels: {a: z}}\n"
    loaded = document(BASE, overlays=(overlay, "spec: {nodePools: [{name: train, gpu: H100}]}\n"))
    pool = ("spec", "nodePools", 0)
    assert place(loaded.span_of((*pool, "nodes"))) == ("x.yaml", 5, 28)
    assert place(loaded.span_of((*pool, "nodes"), "key")) == ("x.yaml", 5, 21)
    assert place(loaded.span_of((*pool, "labels", "a"))) == ("x.yaml", 5, 43)
    assert place(loaded.span_of((*pool, "labels", "b")))[0] == "a.yaml"
    assert place(loaded.span_of((*pool, "labels"), "key"))[0] == "a.yaml"
    assert place(loaded.span_of((*pool, "gpu"))) == ("y.yaml", 1, 39)
    assert written(loaded, loaded.span_of(pool, "key")) == "name: train"
    assert place(loaded.span_of(pool, "key"))[0] == "a.yaml"
    assert place(loaded.span_of(("spec", "nodePools", 1), "key")) == ("x.yaml", 4, 8)


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("spec: {nodePools: [{name: dew, $patch: delete}]}\n", "GP033", 1, 21),
        ("spec: {tenants: [{name: a, quotas: [{pool: dev, $patch: delete}]}]}\n", "GP033", 1, 38),
        ("spec: {nodePools: [{name: dev, $patch: merge}]}\n", "GP032", 1, 40),
        ("spec: {nodePools: [{name: dev, $patch: }]}\n", "GP032", 1, 32),
        ("spec: {nodePools: [{nodes: 3}]}\n", "GP034", 1, 20),
        ("spec: {nodePools: [dev]}\n", "GP034", 1, 20),
        ("spec: {nodePools: [{name: [x]}]}\n", "GP034", 1, 20),
        ("spec: {tenants: [{name: a, quotas: [{device: x}]}]}\n", "GP034", 1, 37),
        ("spec: {nodePools: [{name: dev}, {name: dev}]}\n", "GP035", 1, 33),
        ("spec: {platform: {$patch: delete}}\n", "GP031", 1, 19),
        ("$patch: delete\n", "GP031", 1, 1),
        ("spec: {nodePools: [{name: dev, taints: [{key: k, $patch: delete}]}]}\n", "GP031", 1, 50),
        ("apiVersion: gpupolicy.dev/v2\nspec: {}\n", "GP024", 1, 13),
        ("apiVersion: v1\nkind: ConfigMap\n", "GP022", 1, 13),
        ("kind: GPUPolicy\n", "GP023", 1, 7),
        ("- a\n", "GP021", 1, 1),
        (TENANT + "spec: {weight: 1}\n", "GP027", 2, 1),
    ],
)
def test_what_is_wrong_in_an_overlay(text: str, code: str, line: int, column: int) -> None:
    found = finding(BASE, overlays=(text,))
    assert (found.code, place(found.span)) == (code, ("x.yaml", line, column))
    assert found.hint


def test_a_mistyped_name_to_delete_is_recognised() -> None:
    text = "spec: {nodePools: [{name: trian, $patch: delete}]}\n"
    assert finding(BASE, overlays=(text,)).hint == "did you mean 'train'?"


def test_deleting_twice_is_an_error() -> None:
    text = "spec: {nodePools: [{name: dev, $patch: delete}]}\n"
    assert [one.code for one in findings(BASE, overlays=(text, text))] == ["GP033"]


def test_patch_belongs_into_overlays() -> None:
    found = finding(BASE + "  slas: [{name: s, $patch: delete}]\n")
    assert (found.code, place(found.span)[0]) == ("GP031", "a.yaml")


def _models_in(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if typing.get_origin(annotation) in (typing.Union, types.UnionType, typing.Annotated):
        return [model for part in typing.get_args(annotation) for model in _models_in(part)]
    return []


def _named_lists(model: type[BaseModel], path: tuple[str, ...]) -> set[tuple[str, ...]]:
    found = set()
    for name, field in model.model_fields.items():
        here = (*path, field.alias or name)
        for inner in _models_in(field.annotation):
            found |= _named_lists(inner, here)
        for part in (field.annotation, *typing.get_args(field.annotation)):
            if typing.get_origin(part) is list:
                for item in _models_in(typing.get_args(part)[0]):
                    found |= _named_lists(item, (*here, "*"))
                    if "name" in item.model_fields and item.model_fields["name"].is_required():
                        found.add(here)
    return found


def test_every_list_of_named_things_of_the_language_merges_by_name() -> None:
    by_name = {path for path, keys in KEYED_LISTS.items() if keys == ("name",)}
    assert by_name == _named_lists(Policy, ())
