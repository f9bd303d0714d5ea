"""Show what a policy changes, compared with a folder of output, a revision in git, or a cluster.

--against DIR compares with what 'compile --out DIR' wrote, as it stands there now. --base REV
compiles the policy as it was at a revision and compares with that; it also says what the change
does to running work (risk). The index 'manifest.lock' is not compared. --cluster asks the API
server, by a dry run that writes nothing, what an apply of the objects would change.

Exit codes: 0 no differences, 1 differences (or errors in a policy), 2 usage or unreadable input,
4 the cluster cannot be reached or refuses.
With --max-risk differences of that risk or less exit 0, so that a pipeline stops at the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpupolicy.cli import exits
from gpupolicy.cli.arguments import add_policy
from gpupolicy.cli.findings import exit_code
from gpupolicy.cli.findings import show
from gpupolicy.cli.output import write_error
from gpupolicy.cli.output import write_out
from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.read import read_sources

if TYPE_CHECKING:
    from gpupolicy.deliver.risk import Risk

FORMS = ("text", "json", "markdown")
LEVELS = ("low", "medium", "high")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the verb takes."""
    add_policy(parser)
    side = parser.add_mutually_exclusive_group(required=True)
    side.add_argument("--against", metavar="DIR", help="compare with this folder of output")
    side.add_argument("--base", metavar="REV", help="compare with the policy at this git revision")
    side.add_argument("--cluster", action="store_true", help="compare with a cluster")
    parser.add_argument("--kubeconfig", metavar="FILE", help="with --cluster: how to reach it")
    parser.add_argument("--context", metavar="CONTEXT", help="with --cluster: which one")
    parser.add_argument(
        "--max-risk",
        choices=LEVELS,
        metavar="LEVEL",
        help="with --base: exit 0 unless a change has a higher risk: low, medium, high",
    )
    parser.add_argument(
        "--lines", type=_lines, default=3, metavar="LINES", help="lines around each change (3)"
    )
    parser.add_argument(
        "-o", "--output", choices=FORMS, default="text", metavar="FORM", help=", ".join(FORMS)
    )


def run(arguments: argparse.Namespace) -> int:
    """Compile both sides, compare, and show the difference on standard output."""
    if arguments.max_risk and arguments.base is None:
        write_error("gpupolicy diff: --max-risk needs --base: a folder does not say its plan\n")
        return exits.USAGE
    if (arguments.kubeconfig or arguments.context) and not arguments.cluster:
        write_error("gpupolicy diff: --kubeconfig and --context need --cluster\n")
        return exits.USAGE
    if arguments.cluster:
        return _cluster(arguments)
    return _base(arguments) if arguments.against is None else _against(arguments)


def _cluster(arguments: argparse.Namespace) -> int:
    from gpupolicy.deliver.cluster import Cluster
    from gpupolicy.deliver.cluster import ClusterError
    from gpupolicy.deliver.live import sides
    from gpupolicy.diagnostics.render.snippet import escape

    compiled = _compile(arguments, None)
    show(compiled, "text", as_data=False)
    code = exit_code(compiled, strict=arguments.strict)
    if code != exits.OK or compiled.bundle is None or compiled.plan is None:
        return code
    try:
        cluster = Cluster(arguments.kubeconfig, arguments.context)
        found = sides(cluster, compiled.bundle, compiled.plan.name)
    except ClusterError as error:
        write_error(f"gpupolicy diff: {escape(str(error))}\n")
        return exits.CLUSTER
    for path in found.unasked:
        write_error(f"gpupolicy diff: {path}: shown as written: its namespace is not there yet\n")
    return _show(arguments, found.before, found.after, None)


def _against(arguments: argparse.Namespace) -> int:
    from gpupolicy.all_targets import TARGETS
    from gpupolicy.deliver.written import read_written

    before, only = read_written(arguments.against)
    targets = None if only is None else [name for name in TARGETS if name in only]
    compiled = _compile(arguments, targets)
    show(compiled, "text", as_data=False)
    code = exit_code(compiled, strict=arguments.strict)
    return code if code != exits.OK else _show(arguments, before, _tree(compiled), None)


def _base(arguments: argparse.Namespace) -> int:
    from gpupolicy.deliver.revision import read_at
    from gpupolicy.deliver.risk import risks

    old = read_at(arguments.base, arguments.path)
    old_overlays = read_at(arguments.base, arguments.overlay)
    compiled = _compile(arguments, None)
    show(compiled, "text", as_data=False)
    code = exit_code(compiled, strict=arguments.strict)
    if code != exits.OK:
        return code
    if not old:
        write_error(f"gpupolicy diff: the policy is not in '{arguments.base}': all of it is new\n")
        return _show(arguments, {}, _tree(compiled), [])
    base = compile_policy(old, old_overlays, today=arguments.date)
    if base.bundle is None or base.plan is None or compiled.plan is None:
        write_error(f"gpupolicy diff: the policy at '{arguments.base}' does not compile:\n")
        show(base, "text", as_data=False)
        return exits.FOUND
    return _show(arguments, _tree(base), _tree(compiled), risks(base.plan, compiled.plan))


def _compile(arguments: argparse.Namespace, targets: Sequence[str] | None) -> Compiled:
    sources, overlays = read_sources(arguments.path), read_sources(arguments.overlay)
    return compile_policy(sources, overlays, targets=targets, today=arguments.date)


def _tree(compiled: Compiled) -> dict[str, bytes]:
    from gpupolicy.deliver.layout import lay_out

    assert compiled.bundle is not None
    return {path: file.data for path, file in lay_out(compiled.bundle)[0].items()}


def _show(
    arguments: argparse.Namespace,
    before: dict[str, bytes],
    after: dict[str, bytes],
    found: list[Risk] | None,
) -> int:
    from gpupolicy.cli import diff_render
    from gpupolicy.deliver.difference import compare
    from gpupolicy.deliver.risk import above

    changes = compare(before, after)
    render = getattr(diff_render, f"render_{arguments.output}")
    write_out(render(changes, found, arguments.lines))
    if arguments.max_risk is None:
        return exits.FOUND if changes else exits.OK
    return exits.FOUND if above(found or [], arguments.max_risk) else exits.OK


def _lines(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 7:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is not a number of lines")
