"""The order of kinds: for writing, for applying and for Argo CD's waves.

What an object refers to comes before it: namespaces, classes, configuration, then Kueue's chain
(Topology, ResourceFlavor, Cohort, ClusterQueue, LocalQueue), then what limits and admits, and last
what only watches. Parents of a tree come before their children, since Volcano's webhook refuses a
queue whose parent is not there.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpupolicy.manifest.key import Data
from gpupolicy.manifest.key import ObjectKey

_STAGES: tuple[tuple[str, ...], ...] = (
    ("CustomResourceDefinition", "Namespace"),
    ("PriorityClass", "WorkloadPriorityClass"),
    ("ConfigMap", "ServiceAccount", "NodeFeatureRule"),
    ("ClusterPolicy", "NVIDIADriver"),
    ("Topology", "HyperNode", "SchedulingShard"),
    ("ResourceFlavor",),
    ("Cohort",),
    ("ClusterQueue", "Queue"),
    ("LocalQueue",),
    ("ResourceQuota", "LimitRange", "PodDisruptionBudget"),
    ("ClusterRole", "Role"),
    ("ClusterRoleBinding", "RoleBinding"),
    ("ValidatingAdmissionPolicy",),
    ("ValidatingAdmissionPolicyBinding",),
    ("Service", "ServiceMonitor", "PodMonitor", "ScrapeConfig"),
    ("PrometheusRule", "AlertmanagerConfig"),
)
_RANKS: dict[str, tuple[int, int]] = {
    kind: (stage, place) for stage, kinds in enumerate(_STAGES) for place, kind in enumerate(kinds)
}
# A kind that is not listed: after everything that it could refer to, before the guard rails.
_OTHER = (_RANKS["RoleBinding"][0], 99)

_TREES: dict[str, tuple[str, ...]] = {
    "Cohort": ("parentName", "parent"),
    "Queue": ("parent", "parentQueue"),
}
_DEEPEST = 9


def rank(key: ObjectKey) -> tuple[int, int]:
    """Give the stage of a kind, from 0, and its place among the kinds of that stage."""
    return _RANKS.get(key.kind, _OTHER)


def depths(objects: Mapping[ObjectKey, Data]) -> dict[ObjectKey, int]:
    """Count for each cohort and queue how many of its ancestors are among `objects`."""
    parents: dict[ObjectKey, ObjectKey] = {}
    for key, data in objects.items():
        for field in _TREES.get(key.kind, ()):
            name = (data.get("spec") or {}).get(field)
            if name and key._replace(name=name) in objects:
                parents[key] = key._replace(name=name)
    found: dict[ObjectKey, int] = {}
    for key in parents:
        _climb(key, parents, found)
    return found


def _climb(
    key: ObjectKey, parents: Mapping[ObjectKey, ObjectKey], found: dict[ObjectKey, int]
) -> None:
    """Add the depths of a key and its ancestors; none is walked through twice."""
    trail: dict[ObjectKey, None] = {}
    while key in parents and key not in found and key not in trail:
        trail[key] = None
        key = parents[key]
    if key in trail:  # A circle has no top: its members are equal, wherever it was entered.
        names = list(trail)
        found.update(dict.fromkeys(names[names.index(key) :], 1))
    depth = found.get(key, 0)
    for one in reversed(trail):
        if one not in found:
            depth += 1
            found[one] = depth


def wave(key: ObjectKey, depth: int = 0) -> int:
    """Give Argo CD's sync wave: ten numbers for each stage, one for each level of a tree."""
    return rank(key)[0] * 10 + min(depth, _DEEPEST)
