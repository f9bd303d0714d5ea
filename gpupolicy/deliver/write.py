"""Bundle -> folder, or one stream: what is ours is kept up to date, what is not is left alone.

Ours is what the folder's `manifest.lock` lists. Every file is replaced at once, unchanged files
are not touched, and the lock comes last. Before the first file is touched a journal says what will
be written, so that after an interruption at any point a second run, of the same policy or another,
still knows what is ours and finishes the job. Two runs into one folder wait for each other.
Nothing is synced to the disk: whatever a power cut loses, another run writes again.

GP701 output-not-ours
    The output folder has files that gpupolicy would write, with other content, and no lock says
    that they are ours. Nothing was written. Choose another folder, move the files away, or run
    with --force to overwrite them.

GP702 output-changed-by-hand
    Files that gpupolicy wrote have been changed since. Nothing was written, so that the changes are
    not lost. Say in the policy what was changed by hand, for the next compile would undo it; then
    run with --force. After a git merge or a formatter, look at `git diff` and do the same.

GP704 output-not-plain
    A symbolic link, a folder or a device stands where a plain file or folder of the output is due.
    Following it could write outside of the output folder, so it is refused, with --force too.
    Remove it. The output folder itself may be a link.

GP705 output-not-written
    The system refused to read or write: no permission, no space, a file in place of the folder.
    Files are replaced one by one, so what was written before is complete; once the cause is gone, a
    second run finishes the job.

GP709 output-of-other-targets
    Some targets were asked for (`--target`), and the output folder holds files of others, which
    would be removed: a folder holds what its last run wrote and nothing else. Nothing was written.
    Leave `--target` out to write the whole, or give the part a folder of its own.

GP706 output-busy
    Another run of gpupolicy is writing to the same folder, and did not end within ten seconds. Run
    one after the other, or give each its own folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field

from gpupolicy.deliver.folder import Folder
from gpupolicy.deliver.folder import NotPlainError
from gpupolicy.deliver.layout import TreeFile
from gpupolicy.deliver.layout import lay_out
from gpupolicy.deliver.lock import JOURNAL
from gpupolicy.deliver.lock import LOCK
from gpupolicy.deliver.lock import LockError
from gpupolicy.deliver.lock import LockHeader
from gpupolicy.deliver.lock import digest
from gpupolicy.deliver.lock import format_journal
from gpupolicy.deliver.lock import format_lock
from gpupolicy.deliver.lock import parse_journal
from gpupolicy.deliver.lock import parse_lock
from gpupolicy.deliver.lock import targets_of
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.model import Bundle

_PATIENCE = 10.0  # Seconds that a run waits for another one.
_SHOWN = 10

Digests = dict[str, set[str]]


@dataclass(slots=True)
class WriteResult:
    """What became of a folder: paths relative to it, in the order of writing.

    With an error in `diagnostics`, `written` and `removed` say how far it went; mostly nowhere.
    """

    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


@dataclass(slots=True)
class _State:
    """What the folder holds against what it is to hold. `ours`: each content that we wrote."""

    ours: Digests
    interrupted: bool
    stale: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)


def write_stream(bundle: Bundle) -> Iterator[str]:
    """Give the objects as one YAML stream, piece by piece, in the order of applying.

    Plain files are not part of it. Raises `ValueError` if there is no object: `kubectl apply` and
    Argo CD take an empty stream for success.
    """
    if not bundle.manifests:
        raise ValueError("there is no object to write")
    for manifest in bundle.manifests:
        yield "---\n" + dump(manifest.data)


def write_tree(bundle: Bundle, out: str, header: LockHeader, *, force: bool = False) -> WriteResult:
    """Make the folder `out` hold the bundle, and a lock with `header`.

    `force` overwrites files that are not ours or were changed by hand. What stands in the way is a
    finding (GP701 to GP707), and unless it is the system that fails, nothing has been written then.
    Raises `ValueError` for an empty bundle.
    """
    files, clashes = lay_out(bundle)
    result = WriteResult(diagnostics=clashes)
    if clashes:
        return result
    try:
        with Folder(out) as folder:
            if folder.lock(_PATIENCE):
                _write(folder, files, header, force, result)
            else:
                result.diagnostics.append(_busy(out))
    except (NotPlainError, LockError, OSError) as error:
        result.diagnostics.append(_diagnostic(error, out))
    return result


def _write(
    folder: Folder,
    files: Mapping[str, TreeFile],
    header: LockHeader,
    force: bool,
    result: WriteResult,
) -> None:
    state = _read_state(folder, force)
    to_write = _compare(folder, files, state, result)
    _find_stale(folder, files, state)
    if not force:
        result.diagnostics += _others(folder, header, state.stale)
        result.diagnostics += _refusals(state, folder.root)
        if result.diagnostics:
            return
    digests = {path: digest(file.data) for path, file in files.items()}
    lock = format_lock(header, digests)
    if not to_write and not state.stale and not state.interrupted and folder.read(LOCK) == lock:
        return
    folder.write(JOURNAL, format_journal(_with(state.ours, digests)))
    for path in to_write:
        folder.write(path, files[path].data, executable=files[path].executable)
        result.written.append(path)
    for path in state.stale:
        folder.remove(path)
        result.removed.append(path)
    folder.write(LOCK, lock)
    folder.remove(JOURNAL)


def _read_state(folder: Folder, force: bool) -> _State:
    """Read what is ours, by the lock and by the journal of an interrupted run.

    Raises `LockError` if either cannot be read, unless `force`: then nothing in it is ours.
    """
    ours: Digests = {}
    for path, parse in ((LOCK, parse_lock), (JOURNAL, parse_journal)):
        data = folder.read(path)
        try:
            for name, found in parse(data).items() if data else ():
                ours.setdefault(name, set()).update(found)
        except LockError as error:
            if not force:
                raise LockError(f"'{folder.root}/{path}' is not a lock: {error}") from error
    interrupted = data is not None
    folder.sweep({LOCK, *ours} if interrupted else {LOCK})
    return _State(ours, interrupted)


def _compare(
    folder: Folder, files: Mapping[str, TreeFile], state: _State, result: WriteResult
) -> list[str]:
    """Sort the files into unchanged and to be written; note those that are not ours to change."""
    to_write = []
    for path, (data, executable) in files.items():
        if folder.holds(path, data, executable=executable):
            result.unchanged.append(path)
            continue
        to_write.append(path)
        there = folder.read(path)
        if there is not None and there != data and digest(there) not in state.ours.get(path, ()):
            (state.changed if path in state.ours else state.foreign).append(path)
    return to_write


def _find_stale(folder: Folder, files: Mapping[str, TreeFile], state: _State) -> None:
    """Find the files that are ours and no longer made."""
    for path in sorted(state.ours.keys() - files.keys()):
        there = folder.read(path)
        if there is None:
            continue
        state.stale.append(path)
        if digest(there) not in state.ours[path]:
            state.changed.append(path)


def _with(ours: Digests, digests: Mapping[str, str]) -> Digests:
    joined = {path: set(found) for path, found in ours.items()}
    for path, found in digests.items():
        joined.setdefault(path, set()).add(found)
    return joined


def _refusals(state: _State, out: str) -> list[Diagnostic]:
    found = []
    if state.foreign:
        message = (
            f"{_count(state.foreign)} in '{out}' not written by gpupolicy would be overwritten"
        )
        hint = "choose another folder, move them away, or run with --force"
        found.append(Diagnostic("GP701", message, hint=hint, notes=_listed(state.foreign)))
    if state.changed:
        were = "was" if len(state.changed) == 1 else "were"
        message = f"{_count(state.changed)} in '{out}' {were} changed by hand"
        hint = "say it in the policy, then run with --force"
        found.append(Diagnostic("GP702", message, hint=hint, notes=_listed(state.changed)))
    return found


def _others(folder: Folder, header: LockHeader, stale: list[str]) -> list[Diagnostic]:
    """Refuse to remove what a run for some targets did not look at."""
    lock = folder.read(LOCK)
    before = targets_of(lock) if lock and header.only else frozenset()
    if not stale or (before is not None and before <= set(header.only)):
        return []
    message = f"{_count(stale)} in '{folder.root}' of targets other than {', '.join(header.only)}"
    hint = "leave out '--target' to write all, or give this part a folder of its own"
    return [
        Diagnostic("GP709", f"{message} would be removed", hint=hint, notes=_listed(stale)),
    ]


def _count(paths: list[str]) -> str:
    return f"{len(paths)} file{'' if len(paths) == 1 else 's'}"


def _listed(paths: list[str]) -> tuple[str, ...]:
    more = len(paths) - _SHOWN
    return (*sorted(paths)[:_SHOWN], *([f"and {more} more"] if more > 0 else []))


def _busy(out: str) -> Diagnostic:
    hint = "run one after the other, or give each its own folder"
    return Diagnostic("GP706", f"another run is writing to '{out}'", hint=hint)


def _diagnostic(error: NotPlainError | LockError | OSError, out: str) -> Diagnostic:
    if isinstance(error, NotPlainError):
        return Diagnostic("GP704", f"'{out}/{error.path}' is {error.what}", hint="remove it")
    if isinstance(error, LockError):
        hint = "after a merge take either side; otherwise --force writes every file anew"
        return Diagnostic("GP703", str(error), hint=hint)
    where = out if error.filename in (None, out) else f"{out}/{error.filename}"
    message = f"cannot read or write '{where}': {error.strerror or error}"
    return Diagnostic("GP705", message, hint="once the cause is gone, run it again")
