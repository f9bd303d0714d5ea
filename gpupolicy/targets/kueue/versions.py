"""What differs between Kueue's releases (CRDs and charts at each release tag, 0.10 to 0.19)."""

from __future__ import annotations

from gpupolicy.plan.model import Version


def api_version(kind: str, kueue: Version) -> str:
    """Give the apiVersion to write.

    v1beta2 is served from 0.15 on; Cohort was v1alpha1 up to 0.12, Topology up to 0.13. A field
    of another version is pruned without a word, so the versions are never mixed.
    """
    if kueue >= Version(0, 15):
        return "kueue.x-k8s.io/v1beta2"
    last_alpha = {"Cohort": Version(0, 12), "Topology": Version(0, 13)}.get(kind)
    return f"kueue.x-k8s.io/{'v1alpha1' if last_alpha and kueue <= last_alpha else 'v1beta1'}"


def cohort_field(kueue: Version) -> str:
    """Name the field of a ClusterQueue that names its cohort."""
    return "cohortName" if kueue >= Version(0, 15) else "cohort"


def parent_field(kueue: Version) -> str:
    """Name the field of a Cohort that names its parent."""
    return "parentName" if kueue >= Version(0, 13) else "parent"


def has_fair_sharing(kueue: Version) -> bool:
    """Tell whether fair sharing is switched on.

    Up to 0.16 it may break the guarantee of a tenant that borrows another resource: the gates
    FairSharingPreemptWithinNominal and FairSharingPrioritizeNonBorrowing came with 0.17.
    """
    return kueue >= Version(0, 17)


def cohort_has_weight(kueue: Version) -> bool:
    """Tell whether a Cohort has `fairSharing` (from 0.11 on)."""
    return kueue >= Version(0, 11)


def most_items(kueue: Version) -> int:
    """Give how many flavors and how many resources a resource group may have."""
    return 64 if kueue >= Version(0, 14) else 16


# flavors x resources of one group of a ClusterQueue (webhook, from 0.14 on).
MOST_CELLS = 512
