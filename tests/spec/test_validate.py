"""Refusals of single values: the code, the place, the words, the way out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpupolicy.scalars import PlainScalar
from gpupolicy.spec.validate import validate


def policy(**spec) -> dict:
    spec.setdefault("platform", {"kubernetes": PlainScalar("1.34")})
    return {
        "apiVersion": "gpupolicy.dev/v1alpha1",
        "kind": "GPUClusterPolicy",
        "metadata": {"name": "p"},
        "spec": spec,
    }


def only(**spec):
    made, found = validate(policy(**spec))
    assert made is None
    assert len(found) == 1, found
    return found[0]


def pool(**fields) -> dict:
    return {"nodePools": [{"name": "a", "nodes": PlainScalar("1"), **fields}]}


def test_text_is_kept_as_typed():
    tenant = {"name": "t", "labels": {"a": PlainScalar("0042"), "b": PlainScalar("no")}}
    operator = {"driver": PlainScalar("570.10")}
    platform = {"kubernetes": PlainScalar("1.30"), "gpuOperator": operator}
    made, found = validate(policy(platform=platform, tenants=[tenant]))
    assert found == []
    assert made.spec.platform.kubernetes == "1.30"
    assert made.spec.platform.gpu_operator.driver == "570.10"
    assert made.spec.tenants[0].labels == {"a": "0042", "b": "no"}
    assert type(made.spec.tenants[0].labels["b"]) is str


@pytest.mark.parametrize("text", ["010", "1_000", "1e3", "+8", "0x10", "8.0", "eight", ""])
def test_whole_numbers_are_plain_decimal_digits(text):
    found = only(**pool(gpusPerNode=PlainScalar(text)))
    assert found.code in ("GP104", "GP113")
    assert found.path == ("spec", "nodePools", 0, "gpusPerNode")


def test_a_quoted_number_is_text():
    found = only(**pool(gpusPerNode="8"))
    assert (found.code, found.hint) == ("GP104", "write 8 without quotes")


@pytest.mark.parametrize("text", ["yes", "on", "y", "1", "t", "Off"])
def test_truth_is_true_or_false(text):
    found = only(**pool(managed=PlainScalar(text)))
    assert (found.code, found.path[-1]) == ("GP113", "managed")


def test_unknown_key_names_the_nearest():
    found = only(**pool(taint=[]))
    assert (found.code, found.part, found.hint) == ("GP101", "key", "did you mean 'taints'?")


def test_unknown_key_names_the_place_where_it_belongs():
    found = only(spot=PlainScalar("true"))
    assert found.hint == "'spot' stands in 'nodePools.nodes'"


def test_unknown_value_names_the_nearest():
    found = only(guardRails=PlainScalar("warning"))
    assert (found.code, found.hint) == ("GP103", "did you mean 'warn'?")


def test_missing_key_is_placed_at_its_parent():
    made, found = validate(policy(nodePools=[{"nodes": PlainScalar("1")}]))
    assert made is None
    assert found[0].path == ("spec", "nodePools", 0, "name")
    assert found[0].message == "'name' is missing from 'nodePools[0]'"


def test_a_fault_in_a_long_form_is_placed_where_it_was_written():
    found = only(**pool(sharing={"timeSlicing": PlainScalar("x")}))
    assert found.path == ("spec", "nodePools", 0, "sharing", "timeSlicing")
    found = only(**pool(sharing={"mig": {"1g.10gb": PlainScalar("x")}}))
    assert found.path == ("spec", "nodePools", 0, "sharing", "mig", "1g.10gb")
    group = {"gpus": [PlainScalar("0")], "layout": {"1g.10gb": PlainScalar("x")}}
    found = only(**pool(sharing={"mig": [group]}))
    assert found.path == ("spec", "nodePools", 0, "sharing", "mig", 0, "layout", "1g.10gb")


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("64GiB", "write 64Gi"),
        ("64GB", "write 64G"),
        ("64K", "write 64k (thousands) or 64Ki (1024s)"),
        ("500m", "write 500M or 500Mi"),
    ],
)
def test_a_073_a_076_units(written, hint):
    workload = {"name": "w", "memory": PlainScalar(written)}
    found = only(tenants=[{"name": "t", "workloads": [workload]}])
    assert (found.code, found.hint) == ("GP108", hint)


@pytest.mark.parametrize(
    ("key", "written", "message", "hint"),
    [
        ("gpuMemory", "74", "'74' of memory is less than 1Mi", "write 74Mi or 74Gi"),
        ("gpuMemory", "0", "'0' is no memory", "write 1Mi or more, or leave it out"),
        ("memory", "900k", "'900k' of memory is less than 1Mi", "write 1Mi or more"),
        ("memory", "1900000000000m", "'1900000000000m' counts parts of a byte", "write 1900M"),
        ("memory", "-4Gi", "'-4Gi' is negative", "write 4Gi"),
        ("cpu", "64Gi", "'64Gi' of cpu is an amount of memory", "write a number of cores"),
        ("cpu", "0.0001", "'0.0001' is finer than a thousandth of a core", "write 1m"),
        ("cpu", "16 cores", "'16 cores' is not a quantity", "write 16"),
    ],
)
def test_amounts_that_kubernetes_takes_and_nobody_means(key, written, message, hint):
    workload = {"name": "w", key: PlainScalar(written)}
    found = only(tenants=[{"name": "t", "workloads": [workload]}])
    assert (found.code, found.hint) == ("GP108", hint)
    assert found.message == f"tenants[t].workloads[w].{key}: {message}"


def test_an_objective_within_no_time():
    wait = {"objective": PlainScalar("99%"), "within": PlainScalar("0s")}
    found = only(slas=[{"name": "s", "queueWait": wait}])
    assert (found.code, found.hint) == ("GP109", "write 1s or more")
    assert found.message == "slas[s].queueWait.within: '0s' is not a duration: it must be above 0"


def test_a_073_a_fraction_that_is_no_whole_number_of_bytes():
    found = only(
        tenants=[{"name": "t", "workloads": [{"name": "w", "memory": PlainScalar("1.1Gi")}]}]
    )
    assert found.code == "GP108"
    assert "whole number of bytes" in found.message


def test_a_076_thousandths_of_cpu_are_fine():
    made, found = validate(
        policy(tenants=[{"name": "t", "workloads": [{"name": "w", "cpu": PlainScalar("500m")}]}])
    )
    assert found == []
    assert made.spec.tenants[0].workloads[0].cpu.value * 2 == 1


@pytest.mark.parametrize(
    ("name", "proposed"),
    [
        ("ML_Research", "ml-research"),
        ("Zoë", "zoe"),
        ("user@example.org", "user-example-org"),
        ("a" * 70, "a" * 63),
    ],
)
def test_a_074_names(name, proposed):
    found = only(tenants=[{"name": PlainScalar(name)}])
    assert (found.code, found.hint) == ("GP106", f"write '{proposed}'")


def test_a_054_fractions_are_numbers_for_the_check_of_the_pool():
    quotas = [
        {"pool": "a", "guaranteed": PlainScalar("0.5")},
        {"pool": "a", "limit": PlainScalar("2.0")},
    ]
    made, found = validate(policy(tenants=[{"name": "t", "quotas": quotas}]))
    assert found == []
    assert made.spec.tenants[0].quotas[0].guaranteed * 2 == 1
    assert made.spec.tenants[0].quotas[1].limit == 2
    assert isinstance(made.spec.tenants[0].quotas[1].limit, int)


def test_a_067_a_bare_number_is_no_duration():
    found = only(monitoring={"alerts": [{"name": "a", "for": PlainScalar("5")}]})
    assert (found.code, found.hint) == ("GP109", "write 5s, 5m or 5h")


def test_all_findings_at_once():
    _, found = validate(
        policy(guardRails="x", nodePools=[{"nodes": "y"}], tenants=[{"name": "A", "weight": "2"}])
    )
    assert sorted(f.code for f in found) == ["GP102", "GP103", "GP104", "GP106", "GP113"]


SCALARS = st.one_of(
    st.none(),
    st.text(max_size=12),
    st.text(alphabet="0123456789.eE_+-%GiKmn:", max_size=8).map(PlainScalar),
    st.sampled_from(["true", "no", "1", "0.5", "50%", "1Gi", "30s", "a", "NO", "~"]).map(
        PlainScalar
    ),
)
KEYS = re.findall(
    r"\S+",
    "apiVersion kind metadata name spec platform kubernetes nodePools gpu nodes sharing mig mps "
    "timeSlicing tenants quotas pool guaranteed limit workloads gang latency slas allocatable "
    "taints key x1g.10gb gpus layout profiles entries replicas",
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=25,
)


@given(DATA)
def test_any_data_gives_findings_never_an_exception(data):
    made, found = validate(data)
    assert (made is None) == bool(found)


@given(
    st.dictionaries(
        st.sampled_from(["nodePools", "tenants", "slas", "monitoring", "platform"]), DATA
    )
)
def test_any_spec_gives_findings_never_an_exception(spec):
    made, found = validate(policy(**spec))
    assert (made is None) == bool(found)
    for finding in found:
        assert finding.message
        assert finding.code.startswith("GP1")


def test_a_fault_is_told_by_the_names_of_things():
    quotas = [{"pool": PlainScalar("train"), "memory": PlainScalar("64GiB")}]
    tenant = {"name": PlainScalar("vision"), "namespaces": ["vision"]}
    found = only(tenants=[tenant | {"quotas": quotas}])
    assert found.message == "tenants[vision].quotas[0].memory: '64GiB' is not a quantity"
    found = only(tenants=[tenant | {"limit": PlainScalar("4")}])
    assert found.message == "unknown key 'limit' in 'tenants[vision]'"
    found = only(tenants=[tenant | {"name": PlainScalar("Vision")}])
    assert found.message.startswith("tenants[0].name: 'Vision' is not a name")


@pytest.mark.parametrize("nodes", ["2147483648", "9223372036854775808"])
@pytest.mark.parametrize("key", ["count", "max"])
def test_no_cluster_has_so_many_nodes(key: str, nodes: str) -> None:
    found = only(**pool(nodes={key: PlainScalar(nodes)}))
    assert (found.code, found.hint) == ("GP104", "write at most 1000000")
    assert f"{nodes} is more than 1000000" in found.message


@pytest.mark.parametrize("key", ["groups", "users"])
@pytest.mark.parametrize("name", ["", " "])
def test_a_member_has_a_name(key: str, name: str) -> None:
    found = only(tenants=[{"name": "t", "members": {key: [name]}}])
    assert (found.code, found.path[-2:]) == ("GP105", (key, 0))


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"name": "Bad_Name", "key": "url"}, "GP106"),
        ({"name": "", "key": "url"}, "GP106"),
        ({"name": "a", "key": ""}, "GP105"),
        ({"name": "a", "key": "a/b"}, "GP105"),
    ],
)
def test_a_secret_that_cannot_exist(fields: dict, code: str) -> None:
    receiver = {"name": "o", "webhook": {"urlSecret": fields}}
    assert only(monitoring={"receivers": [receiver]}).code == code


def test_a_file_has_a_name() -> None:
    receiver = {"name": "o", "webhook": {"urlFile": ""}}
    assert only(monitoring={"receivers": [receiver]}).code == "GP105"


@pytest.mark.parametrize("metric", ["", "a b{", "1a", 'a{x="y"}', "é"])
def test_a_latency_is_that_of_a_metric(metric: str) -> None:
    latency = {"metric": metric, "objective": "99%", "within": "1s"}
    found = only(slas=[{"name": "s", "latency": latency}])
    assert found.code == "GP105"
    # Braces are printed as they were written.
    assert f"'{metric}' is not the name of a metric" in found.message


def test_braces_in_a_value_are_not_filled_in() -> None:
    found = only(**pool(allocatable={"cpu": "{hint}{message}"}))
    assert "'{hint}{message}'" in found.message


@pytest.mark.parametrize("share", ["-5%", "5.%", "150%"])
def test_a_wrong_percentage_is_said_once(share: str) -> None:
    quotas = [{"pool": "a", "guaranteed": share}]
    found = only(tenants=[{"name": "t", "quotas": quotas}])
    assert found.message.count(share) == 1
