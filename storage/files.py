"""Files that are either there whole or not at all, below a folder that no symbolic link leads out of."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
from typing import TYPE_CHECKING, Final, Generic, Self, TypeVar

from pydantic import ValidationError

from core.errors import StorageFailed
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_MODE = 0o600
_FOLDER_MODE = 0o700


class Folder:
    """A folder by its descriptor: what is written goes there, whatever is put in the way of its path meanwhile.

    Methods raise ``OSError``; ``storage_failure`` words it. Use as a context manager.
    """

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

    def replace(self, name: str, data: bytes) -> None:
        """Write the file, atomically, in the place of an older one."""
        temporary = self._temporary(data)
        try:
            os.rename(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except OSError:
            self.remove(temporary)
            raise
        os.fsync(self._fd)

    def create(self, name: str, data: bytes) -> bool:
        """Write a file that is not there yet, atomically; False when it is, also when another process was faster."""
        temporary = self._temporary(data)
        try:
            os.link(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            return self._reserve_and_rename(temporary, name)
        else:
            os.fsync(self._fd)
            return True
        finally:
            self.remove(temporary)

    def append(self, name: str, line: bytes) -> None:
        """Add a whole line, or nothing of it."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(name, flags, _FILE_MODE, dir_fd=self._fd)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            before = os.fstat(file).st_size
            try:
                _write_all(file, line)
            except OSError:
                os.ftruncate(file, before)
                raise
        finally:
            os.close(file)

    def remove(self, name: str) -> None:
        """Delete a file, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._fd)

    def _inside(self, name: str) -> Self:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, _FOLDER_MODE, dir_fd=self._fd)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        return type(self)(self.path / name, os.open(name, flags, dir_fd=self._fd))

    def _temporary(self, data: bytes) -> str:
        name = f".{secrets.token_hex(8)}.tmp"
        file = os.open(name, _NEW, _FILE_MODE, dir_fd=self._fd)
        try:
            _write_all(file, data)
            os.fsync(file)
        except OSError:
            self.remove(name)
            raise
        finally:
            os.close(file)
        return name

    def _reserve_and_rename(self, temporary: str, name: str) -> bool:
        try:
            os.close(os.open(name, _NEW, _FILE_MODE, dir_fd=self._fd))
        except FileExistsError:
            return False
        os.rename(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        os.fsync(self._fd)
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


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


_MOST_BYTES: Final = 32 << 20

DocumentT = TypeVar("DocumentT", bound=Value)


class DocumentFile(Generic[DocumentT]):
    """A document of one kind; implements ``core.memories.refining.NoteFile`` and its like.

    Args:
        path: of the file, in a folder that is made if it is missing.
        kind: of the document; it must have a default for each field.

    """

    def __init__(self, path: Path, kind: type[DocumentT]) -> None:
        self._path, self._kind = path, kind

    def read(self) -> DocumentT:
        """As it was written last; an empty one when there is none, or none that can be understood."""
        try:
            with Folder.open(self._path.parent) as folder:
                return self._kind.model_validate_json(folder.read(self._path.name, _MOST_BYTES))
        except (FileNotFoundError, ValidationError):
            return self._kind()
        except OSError as error:
            raise storage_failure(self._path, error) from None

    def write(self, document: DocumentT, /) -> None:
        """Replace it, whole or not at all."""
        make_private(self._path.parent)
        try:
            with Folder.open(self._path.parent) as folder:
                folder.replace(self._path.name, document.model_dump_json().encode())
        except OSError as error:
            raise storage_failure(self._path, error) from None
