"""The files of a policy as they stand at a revision in git; no work tree is touched.

Names are those that `deliver.read` would give the same files, so that findings look alike. What git
says of itself (`git-rev-parse`, `git-ls-tree`, `git-cat-file`) is asked with the plumbing commands:
`git show` would run the filters that a repository configures for people to read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from gpupolicy.deliver.errors import UnreadableError
from gpupolicy.source.load import MAX_BYTES
from gpupolicy.source.load import SourceText

_SUFFIXES = (".yaml", ".yml")
_HOOK = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"})
_PLAIN = ("100644", "100755")


def read_at(revision: str, paths: Sequence[str]) -> list[SourceText]:
    """Read files and folders as they are at a revision; what is not there gives nothing.

    Raises `UnreadableError` if git is missing, a path is in no repository, the revision does not
    exist, or a file of the policy is a link there.
    """
    sources: list[SourceText] = []
    budget = MAX_BYTES + 1
    for path in paths:
        for source in _read_path(revision, path):
            if budget > 0:
                sources.append(source)
                budget -= len(source.text)
    return sources


def _read_path(revision: str, path: str) -> list[SourceText]:
    if path == "-":
        raise UnreadableError("standard input has no revisions; name a file or a folder")
    real = os.path.realpath(path)
    folder = real if os.path.isdir(real) else os.path.dirname(real)
    top = os.path.realpath(_git(folder, "rev-parse", "--show-toplevel").decode().rstrip("\n"))
    commit = _commit(folder, revision)
    inside = os.path.relpath(real, top).replace(os.sep, "/")
    sources = []
    for name in _listed(top, commit, inside):
        text = _git(top, "cat-file", "blob", f"{commit}:{name}")
        rest = name if inside == "." else name[len(inside) :].lstrip("/")
        shown = os.path.join(path, rest) if rest else path
        sources.append(SourceText(os.path.normpath(shown), text))
    return sorted(sources, key=lambda source: source.name)


def _commit(folder: str, revision: str) -> str:
    try:
        name = _git(folder, "rev-parse", "--verify", "--end-of-options", revision + "^{commit}")
    except UnreadableError as error:
        raise UnreadableError(f"git knows no revision '{revision}' in '{folder}'") from error
    return name.decode().strip()


def _listed(top: str, commit: str, inside: str) -> list[str]:
    """List the files that are read for a path: itself, or every YAML file below it."""
    command = ["ls-tree", "-r", "-z", "--full-tree", commit]
    listing = _git(top, "--literal-pathspecs", *command, "--", *([] if inside == "." else [inside]))
    found = []
    for entry in listing.split(b"\0"):
        if not entry:
            continue
        mode, name = entry[:6].decode(), os.fsdecode(entry.partition(b"\t")[2])
        if name != inside and not _is_read(name if inside == "." else name[len(inside) :]):
            continue
        if mode not in _PLAIN:
            raise UnreadableError(f"'{name}' is a link or a submodule at {commit[:12]}")
        found.append(name)
    return found


def _is_read(name: str) -> bool:
    parts = name.strip("/").split("/")
    return name.endswith(_SUFFIXES) and not any(part.startswith(".") for part in parts)


def _git(folder: str, *arguments: str) -> bytes:
    import subprocess

    command = ["git", "-C", folder, *arguments]
    # A hook is run with variables that name its own repository, whatever the folder.
    kept = {name: value for name, value in os.environ.items() if name not in _HOOK}
    try:
        done = subprocess.run(command, capture_output=True, check=False, env=kept)  # noqa: S603
    except OSError as error:
        raise UnreadableError(f"cannot run git: {error.strerror}") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it failed"]
        raise UnreadableError(f"git {arguments[0]}: {lines[0]}")
    return done.stdout
