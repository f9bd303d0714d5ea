"""The command: choose the verb, run it, turn what it raises into an exit code.

How long an empty run takes is a feature: nothing is imported here that the verb may not need.
"""

from __future__ import annotations

import gc
import os
import sys

from gpupolicy import __version__
from gpupolicy.cli import exits
from gpupolicy.cli.output import OutputError
from gpupolicy.cli.output import write_error
from gpupolicy.cli.output import write_out
from gpupolicy.deliver.errors import UnreadableError
from gpupolicy.deliver.errors import UnwritableError

# Every verb is a module of this package with `add_arguments` and `run`.
VERBS = (
    ("init", "write a policy from a blueprint"),
    ("validate", "check a policy; nothing is written"),
    ("compile", "compile a policy to manifests"),
    ("diff", "show what a policy changes, and the risk for running work"),
    ("template", "print a manifest to start from, for a declared workload"),
    ("explain", "print the manual page of a finding's code"),
    ("catalog", "list GPU models, or show one with its MIG layouts"),
    ("schema", "print the JSON Schema of policy files, for editors"),
    ("completion", "print a completion script for a shell"),
    ("version", "print the version"),
)


def entry() -> None:
    """Run the console script. Does not return: the process ends without tearing the heap down."""
    gc.disable()  # A run is short; collecting cycles would take up to half of it.
    try:
        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        code = exits.INTERRUPTED
    os._exit(code)


def main(arguments: list[str]) -> int:
    """Run one command and give its exit code. Writes to the standard streams, never exits."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        write_error("gpupolicy: interrupted\n")
        return exits.INTERRUPTED
    except SystemExit as stop:  # argparse: 0 after --help, 2 after a wrong command line
        return stop.code if isinstance(stop.code, int) else exits.USAGE
    except (OutputError, UnreadableError, UnwritableError) as error:
        from gpupolicy.diagnostics.render.snippet import escape

        write_error(f"gpupolicy: {escape(str(error))}\n")
        return exits.USAGE
    except Exception as error:
        from gpupolicy.cli.report import report

        write_error(report(error, arguments))
        return exits.BUG


def usage() -> str:
    """List the verbs."""
    lines = [f"  {name:<12}{summary}" for name, summary in VERBS]
    return "\n".join(
        [
            "usage: gpupolicy VERB ...",
            "",
            "Check a GPU cluster's policy against the hardware and compile it to manifests.",
            "",
            *lines,
            "",
            "'gpupolicy VERB --help' says more. Exit codes: 0 ok, 1 errors found, or",
            "differences, 2 usage or unreadable input, 3 a bug in gpupolicy, 4 the cluster cannot",
            "be reached or refuses.",
            "",
        ]
    )


def _run(arguments: list[str]) -> int:
    verb = arguments[0] if arguments else ""
    if arguments in (["version"], ["--version"], ["-V"]):
        write_out(f"gpupolicy {__version__}\n")
        return exits.OK
    if verb in ("-h", "--help", "help"):
        write_out(usage())
        return exits.OK
    if verb not in dict(VERBS):
        write_error(_unknown(verb))
        return exits.USAGE
    return _run_verb(verb, arguments[1:])


def _run_verb(verb: str, arguments: list[str]) -> int:
    from gpupolicy.cli.arguments import parser_of
    from gpupolicy.cli.arguments import room_of

    parsed = parser_of(verb).parse_args(arguments)
    return room_of(verb).run(parsed)


def _unknown(verb: str) -> str:
    if not verb:
        return usage()
    from difflib import get_close_matches

    near = get_close_matches(verb, [name for name, _ in VERBS], n=1)
    hint = f"did you mean '{near[0]}'?" if near else "'gpupolicy --help' lists the verbs"
    return f"gpupolicy: there is no verb {verb!r}; {hint}\n"
