"""Every check ends on every policy that the models accept, however little sense it makes."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from gpupolicy.all_checks import CHECKS
from gpupolicy.capacity.resolve import resolve
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.codes import CODES
from gpupolicy.facts.catalog import facts
from gpupolicy.spec.validate import validate

NAMES = st.sampled_from(["a", "b", "c", "default", "host", "ai"])
NUMBERS = st.sampled_from([-3, -1, 0, 1, 2, 3, 8, 64, 10**9, 2**40])
AMOUNTS = st.sampled_from([0, 1, 3, 64, 10**6, "0%", "1%", "33.3%", "100%"])
GPUS = st.sampled_from(["A10", "A100", "H100-SXM5-80GB", "A30", "no-such-card"])
PROFILES = st.sampled_from(["1g.10gb", "2g.20gb", "1g.5gb", "gpu", "7g.80gb"])
QUANTITIES = st.sampled_from(["0", "1", "500m", "180", "1P"])
MEMORY = st.sampled_from(["0", "1Gi", "1900Gi", "1Ei"])
DURATIONS = st.sampled_from(["1us", "40s", "5h", "90d"])


def _maps(required: dict[str, Any], /, **optional: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional)


def _few(items: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(items, max_size=3)


SHARING = _maps(
    {},
    timeSlicing=NUMBERS | st.dictionaries(PROFILES, NUMBERS, max_size=2),
    mps=NUMBERS,
    mig=st.dictionaries(PROFILES, NUMBERS, max_size=3) | st.just("all-balanced"),
    migStrategy=st.sampled_from(["mixed", "single"]),
    rename=st.booleans(),
    vgpu=st.dictionaries(PROFILES, NUMBERS, max_size=2),
    passthrough=st.booleans(),
    fractions=st.booleans(),
)
LEVELS = _few(
    st.fixed_dictionaries(
        {"name": NAMES, "nodeLabel": st.sampled_from(["x.io/a", "x.io/b"]), "nodes": NUMBERS}
    )
)
NODES = NUMBERS | _maps({}, min=NUMBERS, max=NUMBERS, names=_few(NAMES), spot=st.booleans())
POOLS = _maps(
    {"name": NAMES, "nodes": NODES},
    gpu=GPUS | st.just({"name": "X", "resource": "x.io/gpu", "memory": "64Gi"}),
    gpusPerNode=NUMBERS,
    allocatable=_maps({}, cpu=QUANTITIES, memory=MEMORY),
    reserve=_maps({"nodes": NUMBERS}, per=NAMES),
    topology=_maps({}, levels=LEVELS),
    sharing=SHARING,
)
QUOTAS = _maps(
    {"pool": NAMES},
    device=PROFILES,
    guaranteed=AMOUNTS,
    limit=AMOUNTS,
    lend=AMOUNTS,
    cpu=QUANTITIES,
    memory=MEMORY,
)
WORKLOADS = _maps(
    {"name": NAMES},
    pool=NAMES,
    device=PROFILES,
    kind=st.sampled_from(["Job", "Deployment", "Nothing"]),
    pods=NUMBERS,
    gpusPerPod=AMOUNTS,
    gpuMemory=MEMORY,
    cpu=QUANTITIES,
    memory=MEMORY,
    gang=st.booleans() | st.sampled_from([1, 3, 10**6]),
    topology=_maps({}, required=NAMES, preferred=NAMES),
    priorityClass=NAMES,
    sla=NAMES,
)
TENANTS = _maps(
    {"name": NAMES},
    parent=NAMES,
    namespaces=_few(NAMES),
    priorityClasses=_few(NAMES),
    sla=NAMES,
    weight=NUMBERS,
    labels=st.dictionaries(st.sampled_from(["a.b", "a-b", "severity"]), NAMES, max_size=2),
    quotas=_few(QUOTAS),
    workloads=_few(WORKLOADS),
)
WAIT = st.fixed_dictionaries({"objective": st.sampled_from(["99%", "100%"]), "within": DURATIONS})
SLAS = _maps(
    {"name": NAMES},
    preemptible=st.booleans(),
    queueWait=WAIT,
    latency=WAIT.map(lambda wait: {**wait, "metric": "x_seconds"}),
    maxRunTime=DURATIONS,
)
COMPONENT = _maps({}, version=st.sampled_from(["0.1", "0.10", "0.13", "0.19", "1.15", "99.9"]))
PLATFORM = _maps(
    {"kubernetes": st.sampled_from(["1.10", "1.29", "1.34", "2.0"])},
    kueue=COMPONENT,
    volcano=COMPONENT,
    kai=COMPONENT,
    gpuOperator=COMPONENT,
    prometheus=_maps({}, write=st.sampled_from(["objects", "files"])),
)
CLASSES = _maps(
    {"name": NAMES, "value": NUMBERS},
    globalDefault=st.booleans(),
    preemptionPolicy=st.sampled_from(["Never", "PreemptLowerPriority"]),
)
ALERTS = _maps(
    {"name": NAMES | st.just("gpu-low-utilization")},
    threshold=AMOUNTS,
    expr=st.sampled_from(["", "up", "sum(", "x[5m]"]),
    summary=st.text(max_size=12) | st.sampled_from(["{{", "{{ $x }}"]),
)
SPECS = _maps(
    {"platform": PLATFORM, "nodePools": _few(POOLS), "tenants": st.lists(TENANTS, max_size=5)},
    scheduling=_maps(
        {},
        quota=st.sampled_from(["kueue", "volcano", "kai", "resourceQuota"]),
        gang=st.sampled_from(["kueue", "volcano", "kai", "none"]),
    ),
    priorityClasses=_few(CLASSES),
    slas=_few(SLAS),
    monitoring=_maps({}, alerts=_few(ALERTS)),
)


@given(SPECS)
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_check_ends(spec: dict[str, Any]) -> None:
    policy, found = validate(
        {
            "apiVersion": "gpupolicy.dev/v1alpha1",
            "kind": "GPUClusterPolicy",
            "metadata": {"name": "ai"},
            "spec": spec,
        }
    )
    if policy is None:
        assert found
        return
    known = facts()
    context = CheckContext(policy, known, resolve(policy, known))
    for check in CHECKS:
        for one in check(context):
            assert one.code in CODES
            assert one.message
            assert one.path[:1] == ("spec",)
