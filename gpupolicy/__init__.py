"""gpupolicy: one spec for a GPU cluster's policy, checked against the hardware and compiled.

    from gpupolicy import SourceText, compile_policy

    compiled = compile_policy([SourceText("policy.yaml", open("policy.yaml", "rb").read())])
    for found in compiled.diagnostics:
        print(found.code, found.span, found.message)
    if compiled.bundle:
        for manifest in compiled.bundle.manifests:
            print(manifest.key, manifest.data)

What `__all__` names is public; everything else may change. What is wrong with a policy is in
`diagnostics`, never an exception. Memory in the plan is in MiB, cpu in millicores.
"""

from __future__ import annotations

__version__ = "0.1.0"

__all__ = [
    "Bundle",
    "Compiled",
    "Diagnostic",
    "Document",
    "Policy",
    "SourceText",
    "__version__",
    "check_policy",
    "compile_policy",
    "load",
]

TYPE_CHECKING = False  # `typing` would cost every command as much as the interpreter itself.
if TYPE_CHECKING:
    from gpupolicy.compiler import Compiled
    from gpupolicy.compiler import check_policy
    from gpupolicy.compiler import compile_policy
    from gpupolicy.diagnostics.model import Diagnostic
    from gpupolicy.manifest.model import Bundle
    from gpupolicy.source.document import Document
    from gpupolicy.source.load import SourceText
    from gpupolicy.source.load import load
    from gpupolicy.spec.v1alpha1.policy import Policy

_HOMES = {
    "Bundle": "gpupolicy.manifest.model",
    "Compiled": "gpupolicy.compiler",
    "Diagnostic": "gpupolicy.diagnostics.model",
    "Document": "gpupolicy.source.document",
    "Policy": "gpupolicy.spec.v1alpha1.policy",
    "SourceText": "gpupolicy.source.load",
    "check_policy": "gpupolicy.compiler",
    "compile_policy": "gpupolicy.compiler",
    "load": "gpupolicy.source.load",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
