"""`deliver.difference`: two trees, what changes, and nothing of a Secret."""

from __future__ import annotations

from gpupolicy.deliver.difference import compare
from gpupolicy.deliver.difference import counts
from gpupolicy.deliver.difference import line_diff
from gpupolicy.deliver.layout import lay_out
from tests.deliver.trees import tree


def files(*tenants: str, size: int = 1) -> dict[str, bytes]:
    return {path: file.data for path, file in lay_out(tree(*tenants, size=size))[0].items()}


def test_a_tree_does_not_differ_from_itself() -> None:
    assert compare(files("a", "b"), files("a", "b")) == []


def test_each_object_has_its_operation_and_its_name() -> None:
    changes = compare(files("a", "b"), files("b", "c"))
    found = {(one.operation, one.kind, one.namespace, one.name) for one in changes if one.kind}
    assert found == {
        ("create", "ClusterQueue", "", "c"),
        ("create", "LocalQueue", "c-ns", "c"),
        ("delete", "ClusterQueue", "", "a"),
        ("delete", "LocalQueue", "a-ns", "a"),
    }
    assert [one.path for one in changes if not one.kind] == ["kustomization.yaml"]
    assert counts(changes) == {"create": 2, "update": 1, "delete": 2}


def test_lines_that_differ_are_shown_with_so_much_context() -> None:
    changes = compare(files("a", size=1), files("a", size=2))
    (queue,) = [one for one in changes if one.kind == "ClusterQueue"]
    assert line_diff(queue, 0)[1:] == ["-  size: 1", "+  size: 2"]
    assert line_diff(queue, 1)[1:] == [" spec:", "-  size: 1", "+  size: 2"]


def test_nothing_of_a_secret_is_shown_however_it_is_written() -> None:
    for kind in ("kind: Secret", 'kind: "Secret"', "{'kind': 'Secret', a: 1}"):
        old, new = (f"{kind}\ndata:\n  token: {one}\n".encode() for one in ("b2xk", "bmV3"))
        (change,) = compare({"x/secret-a.yaml": old}, {"x/secret-a.yaml": new})
        assert change.operation == "update"
        assert line_diff(change, 3)[1:] == ["-*** (before)", "+*** (after)"]
    (gone,) = compare({"x/secret-a.yaml": b"kind: Secret\ndata: {a: b2xk}\n"}, {})
    assert (gone.before, gone.after) == (("*** (before)",), ())
