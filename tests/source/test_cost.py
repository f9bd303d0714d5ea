"""Speed and memory: positions must not cost what they save."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable

import yaml

from gpupolicy.source.load import SourceText
from gpupolicy.source.load import load
from tests.source.loading import POLICY

TENANT = """\
    - name: tenant-{i:05d}
      parent: dept-{p}
      namespaces: [t{i:05d}-train, t{i:05d}-dev]
      members: {{groups: [engineers-{i}], users: [lead-{i}@example.com]}}
      labels: {{cost-centre: "{i:04d}", team: team-{p}}}
      priorityClasses: [training, batch]
      sla: best-effort
      quotas:
        - {{pool: train, guaranteed: 4, limit: {p}, lend: 2}}
        - {{pool: infer, device: 3g.40gb, guaranteed: 1}}
      workloads:
        - name: pretrain
          kind: JobSet
          pool: train
          pods: 2
          gpusPerPod: 1
          gpuMemory: 74Gi
"""


def policy(tenants: int) -> bytes:
    listed = "".join(TENANT.format(i=i, p=i % 40) for i in range(tenants))
    return (POLICY + "metadata: {name: big}\nspec:\n  tenants:\n" + listed).encode()


def seconds(task: Callable[[], object]) -> float:
    gc.collect()
    began = time.process_time()
    task()
    return time.process_time() - began


def test_loading_with_places_is_twice_as_fast_as_pyyaml_without() -> None:
    data = policy(590)
    assert data.count(b"\n") > 10_000
    ratios = [
        seconds(lambda: yaml.load(data, yaml.CSafeLoader))
        / seconds(lambda: load([SourceText("a.yaml", data)]))
        for _ in range(7)
    ]
    assert statistics.median(ratios) > 2


def test_a_tenant_takes_less_than_twelve_kibibytes() -> None:
    data = policy(2_000)
    gc.collect()
    tracemalloc.start()
    try:
        loaded, found = load([SourceText("a.yaml", data)])
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert loaded is not None
    assert found == []
    assert kept / 2_000 < 6 * 1024
    assert peak / 2_000 < 8 * 1024


def test_time_grows_with_the_size() -> None:
    small, large = policy(500), policy(4_000)
    few = min(seconds(lambda: load([SourceText("a.yaml", small)])) for _ in range(5))
    many = min(seconds(lambda: load([SourceText("a.yaml", large)])) for _ in range(3))
    assert many / few < 8 * 1.6
