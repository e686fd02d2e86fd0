"""Private files: there whole or not at all, below a folder that no symbolic link leads out of, and locked.

Imports only the standard library, so that a small process can have it.
"""

import contextlib
import errno
import fcntl
import os
import re
import secrets
import stat
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Final, Self

from core.errors import Conflict, StorageFailed

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_MINE: Final = os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_MODE: Final = 0o600
_FOLDER_MODE: Final = 0o700
_LONGEST_NAME: Final = 500
_PATIENCE: Final = 10.0
"""Seconds to wait for another process; a change takes some milliseconds."""
_PAUSE: Final = 0.01


class Folder:
    """A folder by its descriptor: what is written goes there, whatever is put in the way of its path meanwhile.

    Methods raise ``OSError``; ``storage_failure`` words it. Use as a context manager.
    """

    TEMPORARY = "."
    """How the names of unfinished files begin."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._fd = descriptor

    @classmethod
    def open(cls, parent: Path, *names: str) -> Self:
        """Open ``parent`` and go down ``names``, making what is missing; none of these may be a symbolic link."""
        folder = cls(parent, os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        for name in names:
            with folder:
                folder = folder._inside(name)
        return folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def names(self) -> Sequence[str]:
        """What is in the folder."""
        return os.listdir(self._fd)  # noqa: PTH208 - pathlib lists paths, this is a descriptor

    def read(self, name: str, limit: int) -> bytes:
        """A regular file's first ``limit`` bytes."""
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=self._fd)
        with os.fdopen(file, "rb") as opened:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise OSError(errno.EINVAL, "no regular file", name)
            return opened.read(limit)

    def replace(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """Write the file, atomically, in the place of an older one.

        One that is not ``durable`` may be lost or empty after the power went; nobody waits for the disk.
        """
        temporary = self._temporary(data, durable=durable)
        try:
            self.rename(temporary, name)
        except OSError:
            self.remove(temporary)
            raise
        if durable:
            self.sync()

    def create(self, name: str, data: bytes, *, durable: bool = True) -> bool:
        """Write a file that is not there yet, atomically; False when it is, also when another process was faster."""
        temporary = self._temporary(data, durable=durable)
        try:
            os.link(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            return self._reserve_and_rename(temporary, name)
        else:
            if durable:
                self.sync()
            return True
        finally:
            self.remove(temporary)

    def append(self, name: str, line: bytes) -> int:
        """Add a whole line, or nothing of it; returns the new size."""
        file = os.open(name, os.O_WRONLY | os.O_APPEND | _MINE, _FILE_MODE, dir_fd=self._fd)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = os.fstat(file).st_size
            write_whole(file, line, size)
            return size + len(line)
        finally:
            os.close(file)

    def remove(self, name: str) -> None:
        """Delete a file, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._fd)

    def rename(self, old: str, new: str) -> None:
        """Give a file another name, in the place of one that has it."""
        os.rename(old, new, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def sync(self) -> None:
        """Have the names of its files on the disk."""
        os.fsync(self._fd)

    def new(self, name: str) -> int:
        """The descriptor of a file that is not there yet."""
        return new_file(name, self._fd)

    @contextlib.contextmanager
    def lock(self, name: str) -> Generator[None]:
        """Keep others out who ask for the same lock. Raises ``Conflict`` when another process does not let go of it."""
        file = os.open(name, os.O_RDWR | _MINE, _FILE_MODE, dir_fd=self._fd)
        try:
            until = time.monotonic() + _PATIENCE
            while not _lock(file, fcntl.LOCK_EX):
                if time.monotonic() > until:
                    raise Conflict(f"Another process is changing {self.path}: try again in a moment.")
                time.sleep(_PAUSE)
            yield
        finally:
            os.close(file)

    def sweep(self) -> None:
        """Remove what processes that died have left of files they were writing; only with a lock."""
        left = re.compile(rf"{re.escape(self.TEMPORARY)}[0-9a-f]{{16}}\.tmp")
        for name in filter(left.fullmatch, self.names()):
            self.remove(name)

    def _inside(self, name: str) -> Self:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, _FOLDER_MODE, dir_fd=self._fd)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        return type(self)(self.path / name, os.open(name, flags, dir_fd=self._fd))

    def _temporary(self, data: bytes, *, durable: bool) -> str:
        name = f"{self.TEMPORARY}{secrets.token_hex(8)}.tmp"
        file = self.new(name)
        try:
            write_whole(file, data, 0)
            if durable:
                os.fsync(file)
        except OSError:
            self.remove(name)
            raise
        finally:
            os.close(file)
        return name

    def _reserve_and_rename(self, temporary: str, name: str) -> bool:
        try:
            os.close(self.new(name))
        except FileExistsError:
            return False
        self.rename(temporary, name)
        self.sync()
        return True


def new_file(path: Path | str, folder: int | None = None) -> int:
    """The descriptor of a file that only its user can read, for writing. Raises ``FileExistsError``, ``OSError``."""
    return os.open(path, os.O_WRONLY | os.O_EXCL | _MINE, _FILE_MODE, dir_fd=folder)


def write_whole(file: int, data: bytes, size: int) -> None:
    """Write all of it at the end of a file of that size; after an ``OSError`` nothing of it is there."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError:
        os.ftruncate(file, size)
        os.lseek(file, size, os.SEEK_SET)
        raise


class Held(Exception):
    """Another process holds the file; the text is the name it has written there."""


def hold(path: Path, name: str) -> int:
    """The descriptor of a file that this process holds until it is closed, and with its end; ``name`` is written there.

    Raises:
        Held: another process holds it.
        OSError: it cannot be written.

    """
    with contextlib.ExitStack() as stack:
        file = os.open(path, os.O_RDWR | _MINE, _FILE_MODE)
        stack.callback(os.close, file)
        if not _lock(file, fcntl.LOCK_EX):
            raise Held(held_by(file))
        os.ftruncate(file, 0)
        os.pwrite(file, name.encode()[:_LONGEST_NAME], 0)
        stack.pop_all()
    return file


def held_by(file: int) -> str:
    """The name that the last holder has written into an open file."""
    return os.pread(file, _LONGEST_NAME, 0).decode(errors="replace").strip()


def is_held(file: int) -> bool:
    """Whether another process holds an open file for writing; it is not taken from it."""
    is_free = _lock(file, fcntl.LOCK_SH)
    if is_free:
        fcntl.flock(file, fcntl.LOCK_UN)
    return not is_free


def _lock(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def make_private(folder: Path) -> Path:
    """Make the folder and its parents, for this user only. Raises ``StorageFailed``."""
    try:
        # pathlib gives its mode to the last folder only, and the others to everybody.
        missing = [path for path in (folder, *folder.parents) if not path.is_dir()]
        for path in reversed(missing):
            path.mkdir(mode=_FOLDER_MODE, exist_ok=True)
    except OSError as error:
        raise storage_failure(folder, error) from error
    return folder


def storage_failure(path: Path, error: OSError) -> StorageFailed:
    """The failure in one sentence that says what to do."""
    if error.errno in _FULL:
        return StorageFailed(f"There is no room left to write {path}: free some space and try again.")
    return StorageFailed(f"{path} cannot be written: {error.strerror}. Mend that, or set another data_dir.")
