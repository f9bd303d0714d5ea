"""Version tables of `platform`: what a written version means, and what a release brings along."""

from __future__ import annotations

import re

import pytest

from gpupolicy.facts.catalog import facts
from gpupolicy.facts.components import Component
from gpupolicy.facts.components import component
from gpupolicy.facts.components import component_names
from gpupolicy.facts.read import yaml_of
from gpupolicy.facts.versions import version_key

ALL = [component(name) for name in component_names()]
OPERATOR = component("gpuOperator")


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_a_table_is_consistent(table: Component) -> None:
    keys = [line.key for line in table.lines]
    assert keys == sorted(set(keys))
    assert len({len(key) for key in keys}) == 1
    assert table.sources
    assert (table.namespace is None) == (table.name == "kubernetes")
    for line in table.lines:
        for release, parts in line.releases.items():
            assert version_key(release)[: len(line.key)] == line.key
            assert all(version_key(part) for part in parts.values())
        assert set(line.values) == set(table.newest.values) or table.name in {
            "gpuOperator",
            "volcano",
            "kueue",
        }


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_every_line_resolves_to_itself(table: Component) -> None:
    for line in table.lines:
        for text in (line.version, f"v{line.version}", f"{line.version}.0"):
            found = table.resolve(text)
            assert (found.line, found.relation) == (line, "known")


def test_a_version_that_was_not_said_is_the_newest_release() -> None:
    found = OPERATOR.resolve(None)
    assert found.line.version == "26.7"
    assert found.parts["dcgmExporter"] == "4.6.0-4.8.3"


def test_newer_than_known_counts_as_the_newest_known() -> None:
    found = OPERATOR.resolve("27.1")
    assert (found.line.version, found.relation) == ("26.7", "newer")


def test_older_than_supported_names_the_oldest() -> None:
    found = OPERATOR.resolve("24.6.2")
    assert (found.line.version, found.relation) == ("24.9", "older")


def test_a_line_that_was_never_made_counts_as_the_one_before() -> None:
    found = OPERATOR.resolve("26.5")
    assert (found.line.version, found.relation) == ("26.3", "between")


def test_ten_is_more_than_nine() -> None:
    assert OPERATOR.resolve("25.10").line.version == "25.10"
    assert component("kueue").resolve("0.9").relation == "older"


def test_a_line_without_a_release_counts_as_its_oldest() -> None:
    """A field that only a later release of the line knows would end the exporter's process."""
    assert OPERATOR.resolve("26.3").parts["dcgmExporter"] == "4.5.1-4.8.0"
    assert OPERATOR.resolve("26.3.2").parts["dcgmExporter"] == "4.5.3-4.8.2"
    assert OPERATOR.resolve("26.3.9").parts["dcgmExporter"] == "4.5.3-4.8.2"


def test_an_exporter_is_found_by_its_tag_or_its_half() -> None:
    exporter = component("dcgmExporter")
    for written in ("4.8.2", "4.5.3-4.8.2"):
        assert exporter.resolve(written).parts["dcgmExporter"] == "4.5.3-4.8.2"


def test_the_operators_exporters_are_known_exporters() -> None:
    known = {
        p["dcgmExporter"]
        for line in component("dcgmExporter").lines
        for p in line.releases.values()
    }
    used = {p["dcgmExporter"] for line in OPERATOR.lines for p in line.releases.values()}
    assert used <= known


def test_worker_tolerations_by_operator_version() -> None:
    """NVIDIA/gpu-operator values.yaml: the master role is tolerated up to 25.10."""
    for line in OPERATOR.lines:
        keys = [toleration["key"] for toleration in line.values["nfdWorkerTolerations"]]
        assert "nvidia.com/gpu" in keys
        old = line.key <= (25, 10)
        assert ("node-role.kubernetes.io/master" in keys) == old


def test_what_differs_between_operator_lines() -> None:
    by_version = {line.version: line.values for line in OPERATOR.lines}
    assert by_version["26.7"]["deployCR"]
    assert not by_version["26.3"]["deployCR"]
    assert [v for v, values in by_version.items() if values["serviceMonitorEnabled"]] == ["26.7"]
    assert [v for v, values in by_version.items() if not values["cdi"]] == ["24.9", "25.3"]
    assert by_version["24.9"]["migManagerEnv"] == [{"name": "WITH_REBOOT", "value": "false"}]


def test_kueue_api_versions() -> None:
    by_version = {line.version: line.values for line in component("kueue").lines}
    assert [by_version[v]["api"] for v in ("0.14", "0.15", "0.19")] == [
        "v1beta1",
        "v1beta2",
        "v1beta2",
    ]
    assert by_version["0.12"]["cohortApi"] == "v1alpha1"
    assert by_version["0.13"]["topologyApi"] == "v1alpha1"
    assert by_version["0.14"]["cohortField"] == "cohort"
    assert by_version["0.15"]["cohortField"] == "cohortName"


def test_the_catalogue_gives_the_tables() -> None:
    assert facts().component("kueue") == component("kueue")
    with pytest.raises(KeyError):
        facts().component("slurm")


@pytest.mark.parametrize("text", ["", "latest", "v"])
def test_a_text_without_numbers(text: str) -> None:
    with pytest.raises(ValueError):
        OPERATOR.resolve(text)


class TestClusterPolicy:
    """The complete object for `write: clusterPolicy`."""

    spec = facts().cluster_policy_spec("26.7")

    def test_every_operand_has_its_image(self) -> None:
        assert self.spec is not None
        # The vGPU host driver is never published, and the Kata manager is gone; both are off.
        for name, operand in self.spec.items():
            if isinstance(operand, dict) and "imagePullPolicy" in operand:
                complete = {"repository", "image", "version"} <= set(operand)
                assert complete or operand["enabled"] is False, name
        assert {"vgpuManager", "kataManager"} == {
            name
            for name, operand in self.spec.items()
            if isinstance(operand, dict)
            and "imagePullPolicy" in operand
            and "repository" not in operand
        }

    def test_the_fields_that_the_schema_requires(self) -> None:
        """NVIDIA/gpu-operator v26.7.0, nvidia.com_clusterpolicies.yaml."""
        assert self.spec is not None
        required = {"operator", "daemonsets", "driver", "toolkit", "devicePlugin", "dcgm"}
        required |= {"dcgmExporter", "nodeStatusExporter", "gfd"}
        assert required <= set(self.spec)

    def test_versions_are_those_of_the_release(self) -> None:
        assert self.spec is not None
        parts = OPERATOR.resolve("26.7.0").parts
        assert self.spec["driver"]["version"] == parts["driver"]
        assert self.spec["devicePlugin"]["version"] == "v" + parts["devicePlugin"]
        assert self.spec["gfd"]["version"] == self.spec["devicePlugin"]["version"]
        assert self.spec["migManager"]["version"] == "v" + parts["migManager"]
        assert self.spec["toolkit"]["version"] == "v" + parts["toolkit"]
        assert self.spec["dcgmExporter"]["version"].startswith(parts["dcgmExporter"])
        assert (
            self.spec["daemonsets"]["tolerations"]
            == (OPERATOR.newest.values["daemonsetTolerations"])
        )

    def test_texts_that_yaml_could_take_for_numbers_are_texts(self) -> None:
        assert self.spec is not None
        assert isinstance(self.spec["driver"]["version"], str)
        assert self.spec["daemonsets"]["rollingUpdate"]["maxUnavailable"] == "1"
        assert self.spec["ccManager"]["defaultMode"] == "on"

    def test_other_lines_have_none(self) -> None:
        assert facts().cluster_policy_spec("26.3") is None
        lines = [line.version for line in OPERATOR.lines if line.values["deployCR"]]
        assert all(facts().cluster_policy_spec(line) for line in lines)


def test_data_files_explain_themselves() -> None:
    from gpupolicy.facts.read import text_of

    for name in component_names():
        assert re.match(r"# \w", text_of(f"components/{name}.yaml"))
        assert set(yaml_of(f"components/{name}.yaml")) <= {
            "title",
            "namespace",
            "sources",
            "notes",
            "lines",
        }
