"""Compile a policy to Kubernetes manifests and the files that go with them.

With --out the whole tree is written into a folder that belongs to gpupolicy; without it the
objects go to standard output as one YAML stream. Findings go to standard error.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from gpupolicy import __version__
from gpupolicy.cli import exits
from gpupolicy.cli.arguments import add_format
from gpupolicy.cli.arguments import add_policy
from gpupolicy.cli.findings import exit_code
from gpupolicy.cli.findings import show
from gpupolicy.cli.output import write_error
from gpupolicy.cli.output import write_out
from gpupolicy.compiler import Compiled
from gpupolicy.compiler import compile_policy
from gpupolicy.deliver.read import read_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpupolicy.deliver.lock import LockHeader
    from gpupolicy.deliver.write import WriteResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the verb takes."""
    add_policy(parser)
    parser.add_argument("--out", metavar="DIR", help="folder to write; it is made if missing")
    parser.add_argument(
        "--target",
        action="append",
        metavar="NAME",
        help="emit this target only; may be repeated. With --out it takes a folder of its own: "
        "one that holds other targets is refused",
    )
    parser.add_argument(
        "--summary", action="store_true", help="show what was written and the numbers"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="overwrite files that are not ours or were changed, remove those of other targets",
    )
    add_format(parser, "findings")


def run(arguments: argparse.Namespace) -> int:
    """Compile, write, and show what was found."""
    unknown = _unknown_target(arguments.target or [])
    if unknown is not None:
        write_error(unknown)
        return exits.USAGE
    if arguments.out is not None and (within := _read_again(arguments)) is not None:
        write_error(
            f"gpupolicy compile: the output '{arguments.out}' would lie in '{within}', whose files "
            "are read as policy; write it elsewhere\n"
        )
        return exits.USAGE
    sources, overlays = read_sources(arguments.path), read_sources(arguments.overlay)
    compiled = compile_policy(sources, overlays, targets=arguments.target, today=arguments.date)
    code = exit_code(compiled, strict=arguments.strict)
    if code == exits.OK and arguments.out is not None:
        return _write_tree(compiled, arguments)
    show(compiled, arguments.output, as_data=False)
    return _write_stream(compiled, arguments) if code == exits.OK else code


def _unknown_target(names: list[str]) -> str | None:
    if not names:
        return None
    from gpupolicy.all_targets import TARGETS

    for name in names:
        if name not in TARGETS:
            return (
                f"gpupolicy compile: there is no target '{name}'; there are {', '.join(TARGETS)}\n"
            )
    return None


def _read_again(arguments: argparse.Namespace) -> str | None:
    """Name the input folder that the output would lie in: the next run would read it."""
    out = os.path.join(os.path.realpath(arguments.out), "")
    for folder in (*arguments.path, *arguments.overlay):
        if os.path.isdir(folder) and out.startswith(os.path.join(os.path.realpath(folder), "")):
            return str(folder)
    return None


def _write_tree(compiled: Compiled, arguments: argparse.Namespace) -> int:
    from gpupolicy.deliver.write import write_tree

    assert compiled.bundle is not None
    header = _header(compiled, arguments.target or ())
    result = write_tree(compiled.bundle, arguments.out, header, force=arguments.force)
    compiled = replace(compiled, diagnostics=compiled.diagnostics + result.diagnostics)
    show(compiled, arguments.output, as_data=False)
    code = exit_code(compiled, strict=arguments.strict)
    if code == exits.OK and arguments.summary:
        write_out(_tree(arguments.out, result) + "\n" + _numbers(compiled))
    return code


def _header(compiled: Compiled, only: Sequence[str]) -> LockHeader:
    from gpupolicy.deliver.lock import LockHeader
    from gpupolicy.deliver.lock import digest

    assert compiled.document is not None
    assert compiled.plan is not None
    platform = compiled.plan.platform
    versions = {name: str(one.version) for name, one in platform.components.items()}
    versions["kubernetes"] = str(platform.kubernetes)
    input_digest = digest(compiled.document.digest_input)
    return LockHeader(__version__, input_digest, versions, tuple(dict.fromkeys(only)))


def _write_stream(compiled: Compiled, arguments: argparse.Namespace) -> int:
    from gpupolicy.deliver.write import write_stream

    assert compiled.bundle is not None
    number = len(compiled.bundle.files)
    what = "1 file is" if number == 1 else f"{number} files are"
    if not compiled.bundle.manifests:
        write_error(f"gpupolicy compile: there is no object; {what} written by --out DIR\n")
        return exits.USAGE
    write_out("".join(write_stream(compiled.bundle)))
    if number:
        write_error(f"gpupolicy compile: {what} not part of the stream; --out DIR writes them\n")
    if arguments.summary:
        write_error(_numbers(compiled))
    return exits.OK


def _numbers(compiled: Compiled) -> str:
    from gpupolicy.cli import summary

    assert compiled.plan is not None
    parts = [summary.pools(compiled.plan)]
    if compiled.plan.tenants:
        parts.append(summary.tenants(compiled.plan))
    return "\n".join(parts)


def _tree(out: str, result: WriteResult) -> str:
    from gpupolicy.cli.tree import tree
    from gpupolicy.deliver.lock import LOCK

    counts = f"{len(result.written)} written, {len(result.unchanged)} unchanged"
    removed = f", {len(result.removed)} removed" if result.removed else ""
    return tree(out, [*result.written, *result.unchanged, LOCK]) + f"{counts}{removed}\n"
