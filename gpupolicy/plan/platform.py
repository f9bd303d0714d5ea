"""`platform` -> the versions and namespaces that decide about API versions and fields."""

from __future__ import annotations

from gpupolicy.facts.catalog import Facts
from gpupolicy.facts.versions import version_key
from gpupolicy.plan.model import ComponentPlan
from gpupolicy.plan.model import PlatformPlan
from gpupolicy.plan.model import Version
from gpupolicy.spec.v1alpha1.platform import Component
from gpupolicy.spec.v1alpha1.platform import GpuOperator
from gpupolicy.spec.v1alpha1.platform import Platform

_COMPONENTS = (
    ("gpuOperator", "gpu_operator"),
    ("kueue", "kueue"),
    ("volcano", "volcano"),
    ("kai", "kai"),
    ("nvsentinel", "nvsentinel"),
    ("dcgmExporter", "dcgm_exporter"),
    ("nodeFeatureDiscovery", "node_feature_discovery"),
    ("prometheus", "prometheus"),
)


def lower_platform(platform: Platform, facts: Facts) -> PlatformPlan:
    """Decide the version and namespace of everything that is installed."""
    components = {}
    for name, field in _COMPONENTS:
        written: Component | None = getattr(platform, field)
        if written is not None:
            components[name] = _component(name, written, facts)
    operator = platform.gpu_operator or GpuOperator()
    prometheus = platform.prometheus
    return PlatformPlan(
        kubernetes=effective("kubernetes", platform.kubernetes, facts),
        components=components,
        node_way=platform.nodes.write,
        gpu_operator_write=operator.write,
        mig_reboot=operator.mig_reboot,
        prometheus_write=prometheus.write if prometheus else "objects",
        prometheus_labels=dict(sorted(prometheus.labels.items())) if prometheus else {},
    )


def effective(name: str, written: str | None, facts: Facts) -> Version:
    """Give the version whose rules count: the line a version belongs to, the newest if absent."""
    table = facts.component(name)
    line = table.resolve(written).line if written else table.newest
    numbers = (*version_key(line.version), 0)
    return Version(numbers[0], numbers[1])


def _component(name: str, written: Component, facts: Facts) -> ComponentPlan:
    namespace = written.namespace or facts.component(name).namespace or "default"
    return ComponentPlan(name, effective(name, written.version, facts), namespace)
