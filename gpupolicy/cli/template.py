"""Print a manifest to start from for a workload that the policy declares.

It says what follows from the policy: queue, priority, place, requests, what makes a gang, probes.
Comments mark what only you know, such as the image. Findings go to standard error. `compile --out`
writes the same text to files/workloads/.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpupolicy.cli import exits
from gpupolicy.cli.arguments import add_format
from gpupolicy.cli.arguments import add_policy
from gpupolicy.cli.findings import exit_code
from gpupolicy.cli.findings import show
from gpupolicy.cli.output import write_error
from gpupolicy.cli.output import write_out
from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.read import read_sources

if TYPE_CHECKING:
    from gpupolicy.plan.model import WorkloadPlan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the verb takes."""
    parser.add_argument(
        "workload", metavar="TENANT/WORKLOAD", help="a workload that the policy declares"
    )
    add_policy(parser)
    add_format(parser, "findings")


def run(arguments: argparse.Namespace) -> int:
    """Compile, find the workload, and print its template."""
    from gpupolicy.targets import workloads

    sources, overlays = read_sources(arguments.path), read_sources(arguments.overlay)
    compiled = compile_policy(sources, overlays, targets=["workloads"], today=arguments.date)
    workload = None
    if compiled.plan is not None:
        found = {f"{one.tenant}/{one.name}": one for one in compiled.plan.workloads}
        workload = found.get(arguments.workload)
        if workload is None:
            write_error(_unknown(arguments.workload, list(found)))
            return exits.USAGE
        reason = workloads.reason_without(compiled.plan, workload)
        if reason is not None:
            write_error(_without(workload, reason))
            return exits.FOUND
    show(compiled, arguments.output, as_data=False)
    code = exit_code(compiled, strict=arguments.strict)
    if code == exits.OK:
        assert compiled.plan is not None
        assert workload is not None
        write_out(workloads.template(compiled.plan, workload))
    return code


def _without(workload: WorkloadPlan, reason: str) -> str:
    from gpupolicy.diagnostics.render.snippet import escape

    sentence = escape(f"'{workload.name}' has no template: {reason}")
    return f"gpupolicy template: {sentence}\n"


def _unknown(name: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    if near:
        hint = f"did you mean '{near[0]}'?"
    elif known:
        hint = f"it declares {', '.join(known[:10])}{' and more' if len(known) > 10 else ''}"
    else:
        hint = "it declares none, under 'workloads' of a tenant"
    return f"gpupolicy template: the policy has no workload {name!r}; {hint}\n"
