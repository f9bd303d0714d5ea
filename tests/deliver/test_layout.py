"""Which path each object gets."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from gpupolicy.deliver.layout import check_path
from gpupolicy.deliver.layout import lay_out
from gpupolicy.deliver.layout import object_paths
from gpupolicy.deliver.write import write_tree
from gpupolicy.manifest.model import PlainFile
from gpupolicy.manifest.model import bundle
from tests.deliver.trees import HEADER
from tests.deliver.trees import thing
from tests.deliver.trees import tree


def test_one_object_a_file() -> None:
    files, clashes = lay_out(tree("product", "research"))
    assert clashes == []
    assert list(files) == [
        "kueue/resourceflavor-train.yaml",
        "kueue/clusterqueue-product.yaml",
        "kueue/clusterqueue-research.yaml",
        "kueue/localqueue-product-ns-product.yaml",
        "kueue/localqueue-research-ns-research.yaml",
        "files/nodes/label.sh",
        "files/values.yaml",
        "kustomization.yaml",
    ]
    assert files["files/nodes/label.sh"].executable
    assert not files["files/values.yaml"].executable


def test_kustomization_lists_the_objects_sorted() -> None:
    files, _ = lay_out(tree("b", "a"))
    assert files["kustomization.yaml"].data.decode() == (
        "apiVersion: kustomize.config.k8s.io/v1beta1\n"
        "kind: Kustomization\n"
        "resources:\n"
        "- kueue/clusterqueue-a.yaml\n"
        "- kueue/clusterqueue-b.yaml\n"
        "- kueue/localqueue-a-ns-a.yaml\n"
        "- kueue/localqueue-b-ns-b.yaml\n"
        "- kueue/resourceflavor-train.yaml\n"
    )


def test_without_objects_there_is_no_kustomization() -> None:
    assert list(lay_out(bundle([PlainFile("t", "a.md", "a\n")]))[0]) == ["files/a.md"]


def test_names_that_would_meet_are_told_apart() -> None:
    made = [thing("LocalQueue", "c", "a-b"), thing("LocalQueue", "b-c", "a"), thing("Cohort", "x")]
    assert object_paths(made) == [
        "kueue/localqueue-a-b_c.yaml",
        "kueue/localqueue-a_b-c.yaml",
        "kueue/cohort-x.yaml",
    ]


def test_names_with_dots_and_colons() -> None:
    made = [thing("CustomThing", "queues.kueue.x-k8s.io"), thing("ClusterRole", "system:view")]
    assert object_paths(made) == [
        "kueue/customthing-queues.kueue.x-k8s.io.yaml",
        "kueue/clusterrole-system_view.yaml",
    ]


def test_files_that_differ_in_case_only_are_refused() -> None:
    made = bundle([PlainFile("t", "Run.sh", "a\n"), PlainFile("t", "run.sh", "b\n")])
    (found,) = lay_out(made)[1]
    assert found.code == "GP707"
    assert (
        found.message == "'files/Run.sh' and 'files/run.sh' are one file where case does not count"
    )


@pytest.mark.parametrize("path", ["", "/a", "a/", "a//b", "..", "a/../b", "./a", "a\\b", "a\0"])
def test_a_path_that_leads_elsewhere_is_our_fault(path: str) -> None:
    with pytest.raises(ValueError):
        check_path(path)
    with pytest.raises(ValueError):
        lay_out(bundle([PlainFile("t", path, "a\n")]))


@pytest.mark.parametrize("name", ["../../etc/x", "a/b"])
def test_a_name_that_leads_elsewhere_is_our_fault(name: str) -> None:
    with pytest.raises(ValueError):
        object_paths([thing("Cohort", name)])


def test_a_target_is_not_called_like_our_own_files() -> None:
    with pytest.raises(ValueError, match="a target cannot be called 'files'"):
        object_paths([thing("Cohort", "a", target="files")])


def test_nothing_is_never_laid_out() -> None:
    with pytest.raises(ValueError, match="nothing to write"):
        lay_out(bundle([]))


@pytest.mark.tools
def test_kustomize_builds_the_folder(tmp_path: Path) -> None:
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("kubectl is not installed")
    made = tree("product", "research")
    write_tree(made, str(tmp_path), HEADER)
    built = subprocess.run([kubectl, "kustomize", str(tmp_path)], capture_output=True, check=True)
    documents = list(yaml.safe_load_all(built.stdout))
    key = str
    assert sorted(documents, key=key) == sorted((m.data for m in made.manifests), key=key)
