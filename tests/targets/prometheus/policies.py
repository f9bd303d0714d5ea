"""Whole policies whose rules differ: holders, versions, kinds of sharing, words about alerts."""

from __future__ import annotations

from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.source.load import SourceText

_POOLS = """
    - {name: train, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}
    - name: slices
      gpu: A100-SXM4-80GB
      nodes: 2
      gpusPerNode: 1
      sharing: {mig: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}, timeSlicing: {1g.10gb: 2}}
    - name: mixed
      gpu: A100-SXM4-40GB
      nodes: 1
      gpusPerNode: 2
      sharing: {mig: [{gpus: [0], layout: {1g.5gb: 7}}, {gpus: [1], layout: {}}]}
    - {name: newest, gpu: B200, nodes: 1, gpusPerNode: 8}
    - {name: auto, gpu: P100-PCIE-16GB, nodes: {min: 0, max: 3, selector: {a/b: c}}, gpusPerNode: 1, sharing: {timeSlicing: 2}}
    - {name: game, gpu: RTX-4090, nodes: 1, gpusPerNode: 2}
    - {name: dev, gpu: T4, nodes: 1, gpusPerNode: 2, sharing: {mps: 4}}
    - {name: other, gpu: {name: MI300X, resource: amd.com/gpu, memory: 192Gi}, nodes: {count: 2, selector: {a/b: d}}, gpusPerNode: 8}
    - {name: cpu, nodes: {count: 3, selector: {a/b: e}}, allocatable: {cpu: 60500m, memory: 240Gi}}
"""  # noqa: E501
_SLAS = """
    - name: fast
      preemptible: false
      queueWait: {objective: 99.9%, within: 2s}
      latency:
        - {metric: "vllm:time_to_first_token_seconds", objective: 99%, within: 1s}
        - {metric: http_request_duration_seconds, objective: 90%, within: 250ms}
    - {name: quick, queueWait: {objective: 90%, within: 40s}}
    - {name: slow, queueWait: {objective: 80%, within: 5h}}
"""
_TENANTS = """
    - name: ml-research
      namespaces: [ml-a]
      labels: {example.org/team: x, 9lives: y, node: z, cost-centre: "0042"}
      sla: fast
      quotas:
        - {pool: train, guaranteed: 8}
        - {pool: slices, device: 1g.10gb, guaranteed: 1}
        - {pool: slices, device: 2g.20gb, guaranteed: 1}
        - {pool: mixed, device: gpu, guaranteed: 1}
        - {pool: game, guaranteed: 1}
        - {pool: cpu, cpu: "10", memory: 10Gi}
    - name: other
      namespaces: [other]
      sla: quick
      quotas:
        - {pool: dev, guaranteed: 2}
        - {pool: auto, guaranteed: 0}
        - {pool: other, guaranteed: 4}
    - name: third
      namespaces: [third]
      sla: slow
      quotas: [{pool: newest, guaranteed: 1}, {pool: train, guaranteed: 1}]
      workloads: [{name: serve, kind: Deployment, pool: train, pods: 1}]
    - {name: cores, namespaces: [cores], quotas: [{pool: cpu, cpu: "2", memory: 1Gi}]}
"""
CHANGES = """
    alerts:
      - {name: gpu-low-utilization, threshold: 33.3%, for: 2h}
      - {name: gpu-memory-pressure, threshold: 90%, severity: critical}
      - {name: queue-starved, for: 36h}
      - {name: gpu-thermal-margin-low, threshold: 5.5}
      - {name: preemption-storm, threshold: 3}
      - {name: gpu-nvlink-errors, enabled: false}
      - {name: borrowed-too-long, threshold: 4}
      - {name: gpu-xid-application, threshold: 20}
      - {name: my-alert, expr: max by (node) (DCGM_FI_DEV_FB_TOTAL) < 1000, for: 90m, summary: "{{ $labels.node }} is small"}
"""  # noqa: E501
_SECRET = """
    receivers: [{name: oncall, webhook: {urlSecret: {name: hook, key: url}}}]
    routes: [{severity: critical, receiver: oncall}]
"""
_FILE = """
    receivers: [{name: oncall, webhook: {urlFile: /etc/hook/url}}, {name: "null", webhook: {urlFile: /x}}]
    routes: [{severity: critical, receiver: oncall}, {receiver: "null"}]
"""  # noqa: E501
_CLASSES = "priorityClasses: [{name: hi, value: 100}, {name: lo, value: 10}]"
_OPERATOR = 'gpuOperator: {version: "26.7"}, '
_OBJECTS = "prometheus: {labels: {release: stack}}"

# Name -> (platform besides Kubernetes, `monitoring`, the rest of `spec`).
VARIANTS: dict[str, tuple[str, str, str]] = {
    "kueue": (_OPERATOR + 'kueue: {version: "0.19"}, ' + _OBJECTS, _SECRET, _CLASSES),
    "changed": (_OPERATOR + 'kueue: {version: "0.19"}, ' + _OBJECTS, CHANGES + _SECRET, _CLASSES),
    "classless": (_OPERATOR + 'kueue: {version: "0.19"}, ' + _OBJECTS, _SECRET, ""),
    "oldest": (
        'gpuOperator: {version: "24.9"}, kueue: {version: "0.13"}, '
        'prometheus: {version: "2.40", labels: {release: stack}}',
        _SECRET,
        "scheduling: {gang: none}",
    ),
    "operator-25-10": (
        'gpuOperator: {version: "25.10.1"}, kueue: {version: "0.14"}, ' + _OBJECTS,
        _SECRET,
        _CLASSES,
    ),
    "own-exporter": (
        'dcgmExporter: {version: "4.7.1"}, kueue: {version: "0.19"}, prometheus: {write: files}',
        _FILE,
        _CLASSES,
    ),
    "own-exporter-objects": (
        'dcgmExporter: {version: "4.8.2"}, kueue: {version: "0.19"}, ' + _OBJECTS,
        _SECRET,
        _CLASSES,
    ),
    "no-exporter": ('kueue: {version: "0.19"}, ' + _OBJECTS, _SECRET, _CLASSES),
    "volcano": (
        _OPERATOR + 'volcano: {version: "1.15"}, prometheus: {write: files}',
        _FILE,
        _CLASSES,
    ),
    "resource-quota": (_OPERATOR + _OBJECTS, _SECRET, _CLASSES),
}


def policy_text(name: str) -> str:
    platform, monitoring, rest = VARIANTS[name]
    return (
        "apiVersion: gpupolicy.dev/v1alpha1\nkind: GPUClusterPolicy\n"
        "metadata: {name: many}\nspec:\n"
        f'  platform: {{kubernetes: "1.34", {platform}}}\n'
        f"  {rest}\n"
        f"  nodePools:{_POOLS}  slas:{_SLAS}  tenants:{_TENANTS}"
        f"  monitoring:{monitoring}"
    )


def compiled(name: str) -> Compiled:
    """Compile a variant; it must have no error."""
    found = compile_policy([SourceText("policy.yaml", policy_text(name).encode())])
    errors = [d for d in found.diagnostics if d.severity.value == "error"]
    assert found.bundle is not None, errors
    return found
