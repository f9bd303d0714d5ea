"""A folder that nothing leads out of: reads, writes and removes files below it, and only there.

Every step down is taken relative to an open folder and refuses symbolic links (openat with
O_NOFOLLOW), so that neither a link in the tree nor one that appears meanwhile leads anywhere else.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from types import TracebackType

_TEMPORARY = ".gpupolicy.tmp"
_HAS_OPENAT = os.open in os.supports_dir_fd
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# Without O_NONBLOCK, opening a named pipe would wait for its writer.
_READ_FLAGS = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_CLOEXEC", 0)


class NotPlainError(Exception):
    """A link, folder or device stands where a plain file or folder is due. `path` is below root."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path} is {what}")
        self.path = path
        self.what = what


class Folder:
    """An open folder. Paths are relative to it, with `/`; errors are `OSError` with that path."""

    def __init__(self, root: str) -> None:
        """Open `root`, made if missing; a link is followed there, since the user named it."""
        if not _HAS_OPENAT:
            raise OSError(
                errno.ENOTSUP, "this system has no openat; write to standard output", root
            )
        self.root = root
        try:
            os.makedirs(root, exist_ok=True)
            self._open = {"": os.open(root, _FOLDER_FLAGS)}
        except OSError as error:
            raise _named(error, root) from error

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()

    def lock(self, patience: float) -> bool:
        """Keep other runs out until this one ends; wait `patience` seconds for one that is there.

        True also where the file system has no locks: then nobody can be kept out.
        """
        import fcntl
        import time

        give_up = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(self._open[""], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= give_up:
                    return False
                time.sleep(0.05)
            except OSError:
                return True
            else:
                return True

    def holds(self, path: str, data: bytes, *, executable: bool) -> bool:
        """Tell whether the file is there with just this content. Raises as `read` does."""
        descriptor = self._open_file(path)
        if descriptor is None:
            return False
        try:
            same = os.read(descriptor, len(data) + 1) == data
            return same and not (executable and not os.fstat(descriptor).st_mode & stat.S_IXUSR)
        except IsADirectoryError as error:
            raise NotPlainError(path, "a folder") from error
        except OSError as error:
            raise _named(error, path) from error
        finally:
            os.close(descriptor)

    def read(self, path: str) -> bytes | None:
        """Read a file; None if there is none. Raises `NotPlainError`, `OSError`."""
        descriptor = self._open_file(path)
        if descriptor is None:
            return None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise NotPlainError(path, "not a plain file")
            with open(descriptor, "rb", closefd=False) as file:
                return file.read()
        except OSError as error:
            raise _named(error, path) from error
        finally:
            os.close(descriptor)

    def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Write a file at once: whoever looks sees the old content or the new, never a part.

        The folders above it are made. Raises `NotPlainError`, `OSError`; then nothing has changed.
        """
        where, _, name = path.rpartition("/")
        folder = self._folder(where, create=True)
        try:
            _write_temporary(folder, data, 0o777 if executable else 0o666)
            os.replace(_TEMPORARY, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            with suppress(OSError):
                os.unlink(_TEMPORARY, dir_fd=folder)
            raise _named(error, path) from error

    def remove(self, path: str) -> None:
        """Remove a file, and the folders above it that are empty then."""
        where, _, name = path.rpartition("/")
        folder = self._folder(where)
        if folder is None:
            return
        with suppress(FileNotFoundError):
            try:
                os.unlink(name, dir_fd=folder)
            except OSError as error:
                raise _named(error, path) from error
        while where:
            above, _, name = where.rpartition("/")
            try:
                os.rmdir(name, dir_fd=self._folder(above))
            except OSError:
                return  # Not empty: it holds what is not ours.
            os.close(self._open.pop(where))
            where = above

    def sweep(self, paths: set[str]) -> None:
        """Remove what a killed run may have left half written beside any of `paths`."""
        for where in {path.rpartition("/")[0] for path in paths}:
            folder = self._folder(where)
            if folder is not None:
                with suppress(OSError):
                    os.unlink(_TEMPORARY, dir_fd=folder)

    def _open_file(self, path: str) -> int | None:
        where, _, name = path.rpartition("/")
        folder = self._folder(where)
        if folder is None:
            return None
        try:
            return os.open(name, _READ_FLAGS, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                raise NotPlainError(path, "not a plain file") from error
            raise _named(error, path) from error

    def _folder(self, path: str, *, create: bool = False) -> int | None:
        """Open a folder, step by step; None if it is not there."""
        known = self._open.get(path)
        if known is not None:
            return known
        where, _, name = path.rpartition("/")
        above = self._folder(where, create=create)
        if above is None:
            return None
        try:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=above)
            self._open[path] = os.open(name, _FOLDER_FLAGS | _NO_LINK, dir_fd=above)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise NotPlainError(path, "not a plain folder") from error
            raise _named(error, path) from error
        return self._open[path]


def _write_temporary(folder: int | None, data: bytes, mode: int) -> None:
    try:
        descriptor = os.open(_TEMPORARY, _WRITE_FLAGS, mode, dir_fd=folder)
    except FileExistsError:  # A killed run left it.
        os.unlink(_TEMPORARY, dir_fd=folder)
        descriptor = os.open(_TEMPORARY, _WRITE_FLAGS, mode, dir_fd=folder)
    try:
        written = os.write(descriptor, data)
        while written < len(data):
            written += os.write(descriptor, data[written:])
    finally:
        os.close(descriptor)


def _named(error: OSError, path: str) -> OSError:
    return OSError(error.errno, error.strerror, path)
