"""The checks, in the order in which they run: hardware first, then what is promised on it."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator

from gpupolicy.check_base import CheckContext
from gpupolicy.checks import alerts
from gpupolicy.checks import allocatables
from gpupolicy.checks import amounts
from gpupolicy.checks import cluster_size
from gpupolicy.checks import device_memory
from gpupolicy.checks import empty_quotas
from gpupolicy.checks import gpu_models
from gpupolicy.checks import guarantees
from gpupolicy.checks import limits
from gpupolicy.checks import mig_geometry
from gpupolicy.checks import mig_indices
from gpupolicy.checks import mig_platform
from gpupolicy.checks import mig_profiles
from gpupolicy.checks import mig_strategy
from gpupolicy.checks import mig_workloads
from gpupolicy.checks import monitoring
from gpupolicy.checks import mps_clients
from gpupolicy.checks import names
from gpupolicy.checks import namespaces
from gpupolicy.checks import node_labels
from gpupolicy.checks import node_sets
from gpupolicy.checks import overcommits
from gpupolicy.checks import pool_overlap
from gpupolicy.checks import pool_resources
from gpupolicy.checks import priorities
from gpupolicy.checks import protected
from gpupolicy.checks import references
from gpupolicy.checks import replicas
from gpupolicy.checks import reserves
from gpupolicy.checks import resource_names
from gpupolicy.checks import scheduling
from gpupolicy.checks import shared_memory
from gpupolicy.checks import shared_requests
from gpupolicy.checks import sharing_ways
from gpupolicy.checks import sla_bindings
from gpupolicy.checks import slas
from gpupolicy.checks import taints
from gpupolicy.checks import tenant_tree
from gpupolicy.checks import topology_levels
from gpupolicy.checks import unused_devices
from gpupolicy.checks import versions
from gpupolicy.checks import vgpu_types
from gpupolicy.checks import workload_gangs
from gpupolicy.checks import workload_places
from gpupolicy.checks import workload_resources
from gpupolicy.checks import workload_shapes
from gpupolicy.diagnostics.model import Diagnostic

Check = Callable[[CheckContext], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    versions.check,
    scheduling.check,
    gpu_models.check,
    node_sets.check,
    pool_overlap.check,
    reserves.check,
    topology_levels.check,
    node_labels.check,
    taints.check,
    allocatables.check,
    mig_profiles.check,
    mig_indices.check,
    mig_geometry.check,
    mig_strategy.check,
    mig_platform.check,
    sharing_ways.check,
    replicas.check,
    mps_clients.check,
    resource_names.check,
    overcommits.check,
    vgpu_types.check,
    names.check,
    references.check,
    tenant_tree.check,
    namespaces.check,
    cluster_size.check,
    amounts.check,
    guarantees.check,
    unused_devices.check,
    limits.check,
    empty_quotas.check,
    pool_resources.check,
    priorities.check,
    mig_workloads.check,
    shared_requests.check,
    device_memory.check,
    shared_memory.check,
    slas.check,
    sla_bindings.check,
    workload_shapes.check,
    workload_places.check,
    workload_gangs.check,
    workload_resources.check,
    protected.check,
    alerts.check,
    monitoring.check,
)
