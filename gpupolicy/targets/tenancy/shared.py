"""What both policies read: the tenant on the namespace, and what an accelerator is called."""

from __future__ import annotations

from gpupolicy.manifest.key import Data
from gpupolicy.plan.model import Plan
from gpupolicy.targets.tenancy import namespaces
from gpupolicy.targets.tenancy.cel import texts
from gpupolicy.targets.tenancy.cel import variable

# Prefixes that all names of whole, cut and shared NVIDIA GPUs have.
_NVIDIA = ("nvidia.com/gpu", "nvidia.com/mig-")


def tenant_variables() -> list[Data]:
    """Read the tenant's name, queues and classes from the namespace."""
    return [
        variable(
            "ann",
            """
            has(namespaceObject.metadata.annotations) ? namespaceObject.metadata.annotations : {}
            """,
        ),
        variable("tenant", f"namespaceObject.metadata.labels['{namespaces.TENANT_LABEL}']"),
        listed("queues", namespaces.QUEUES),
        listed("classes", namespaces.PRIORITY_CLASSES),
    ]


def listed(name: str, annotation: str) -> Data:
    """Read a list. Splitting an absent one gives an empty name, which must not count."""
    found = f"variables.ann[?'{annotation}'].orValue('')"
    return variable(name, f"{found}.split(',').filter(s, s != '')")


def needs_queue() -> Data:
    """Tell whether the object must be queued: it has a GPU, or all work of the tenant must."""
    return variable(
        "needsQueue",
        f"""
        variables.usesAccelerator
        || variables.ann[?'{namespaces.QUEUE_CPU}'].orValue('') == 'true'
        """,
    )


def is_accelerator(plan: Plan, name: str) -> str:
    """Write the condition that `name` is the resource name of an accelerator."""
    others = [resource for resource in plan.accelerators if not resource.startswith(_NVIDIA)]
    terms = [f"{name}.startsWith('{prefix}')" for prefix in _NVIDIA]
    if others:
        terms.append(f"{name} in {texts(others)}")
    return " || ".join(terms)
