"""The file that is a task, its lock and its versions: what is on the disk is the old state or the new one.

In ``tasks/<id>/``: ``HEARTBEAT.md`` and ``.versions/``; in that ``<number>.json`` with ``core.tasks.ports.Version``,
``<hash>.md`` with what it was, ``lock``, and while a change is made ``pending.json`` with the version that it makes.
That is written before ``HEARTBEAT.md`` and becomes ``<number>.json`` after it: a reader of it can tell whether the
change was made, and whose it was.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable, Generator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from core.errors import InvalidPath, NotFound, StorageFailed
from core.files import Folder, storage_failure
from core.tasks.heartbeat import MAX_BYTES
from core.tasks.ports import BY_HAND, Version

HEARTBEAT: Final = "HEARTBEAT.md"
VERSIONS: Final = ".versions"
_PENDING: Final = "pending.json"
_LOCK: Final = "lock"
_NUMBER: Final = re.compile(r"([0-9]{6,9})\.json")
_MAX_VERSION: Final = 64 * 1024
_LINKED: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EINVAL, errno.EISDIR, errno.ENXIO})


class Differs(Exception):
    """The file is not what it was taken for."""


class TaskFiles:
    """One task's file and versions, locked for all other processes. Made by ``locked``.

    Its methods raise ``OSError`` where they do not say otherwise.
    """

    def __init__(self, folder: GuardedFolder, versions: GuardedFolder) -> None:
        self._folder = folder
        self._versions = versions
        self._latest: Version | None = None
        self._seen: str | None = None

    def look(self) -> tuple[bytes | None, Version | None]:
        """What is in the file, ``None`` if there is none, and the version that it is.

        An unannounced change becomes a version by hand. Of a file that is over the limit one byte more than the
        limit is given, and it is no version.
        """
        data = self._read()
        self._seen = None if data is None else content_hash(data)
        if data is None or len(data) > MAX_BYTES:
            return data, None
        latest = self._recovered()
        if latest is None or latest.hash != self._seen:
            why = "found in the folder" if latest is None else "edited by hand"
            self._content(data)
            latest = self._latest = self._next(data, BY_HAND, why)
            self._versions.replace(_name(latest.number), _json(latest))
        return data, latest

    def write(self, data: bytes, *, by: str, why: str) -> Version:
        """Put a new content in the place of the one that ``look`` has given. Raises ``Differs`` if it has changed."""
        version = self._next(data, by, why)
        self._content(data)
        self._versions.replace(_PENDING, _json(version))
        self._folder.swap(HEARTBEAT, data, self._seen)
        self._versions.move(_PENDING, _name(version.number))
        self._latest, self._seen = version, version.hash
        return version

    def history(self) -> Sequence[Version]:
        """All versions that can be read, the oldest first."""
        found = [self._described(_name(number)) for number in self._numbers()]
        return [version for version in found if version is not None]

    def content(self, version: Version) -> bytes:
        """What the file was. Raises ``StorageFailed`` if that is no longer what was kept."""
        data = self._versions.read(f"{version.hash}.md", MAX_BYTES + 1)
        if content_hash(data) != version.hash:
            raise StorageFailed(f"Version {version.number} is damaged: the file that kept it has been changed.")
        return data

    def _read(self) -> bytes | None:
        try:
            return self._folder.read(HEARTBEAT, MAX_BYTES + 1)
        except FileNotFoundError:
            return None

    def _numbers(self) -> list[int]:
        return sorted(int(match[1]) for name in self._versions.names() if (match := _NUMBER.fullmatch(name)))

    def _recovered(self) -> Version | None:
        """The last version, when a change that was cut off is finished or forgotten."""
        pending = self._described(_PENDING)
        if pending is not None and pending.hash == self._seen:
            self._versions.move(_PENDING, _name(pending.number))
            self._latest = pending
        else:
            self._versions.remove(_PENDING)
        if self._latest is None:
            found = map(self._described, map(_name, reversed(self._numbers())))
            self._latest = next((version for version in found if version is not None), None)
        return self._latest

    def _next(self, data: bytes, by: str, why: str) -> Version:
        numbers = self._numbers()
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        number = numbers[-1] + 1 if numbers else 1
        return Version(number=number, hash=content_hash(data), at=now, by=by, why=why, size=len(data))

    def _described(self, name: str) -> Version | None:
        try:
            return Version.model_validate_json(self._versions.read(name, _MAX_VERSION))
        except (FileNotFoundError, ValidationError):
            return None

    def _content(self, data: bytes) -> None:
        name = f"{content_hash(data)}.md"
        if not self._versions.create(name, data) and self._versions.read(name, MAX_BYTES + 1) != data:
            self._versions.replace(name, data)


class GuardedFolder(Folder):
    """A folder of files that people edit as well."""

    def swap(self, name: str, data: bytes, expected: str | None) -> None:
        """Write the file in the place of one with that hash, or of none. Raises ``Differs`` if there is another."""
        temporary = self._temporary(data, durable=True)
        try:
            try:
                found = content_hash(self.read(name, MAX_BYTES + 1))
            except FileNotFoundError:
                found = None
            if found != expected:
                raise Differs
            self.rename(temporary, name)
        finally:
            self.remove(temporary)
        self.sync()

    def move(self, old: str, new: str) -> None:
        """Give a file another name."""
        self.rename(old, new)
        self.sync()

    def is_at(self, path: Path) -> bool:
        """Whether this is still the folder at its path."""
        try:
            there, own = path.stat(follow_symlinks=False), os.fstat(self._fd)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)


@contextlib.contextmanager
def locked(root: Path, task_id: str, missing: Callable[[str], NotFound]) -> Generator[TaskFiles]:
    """The files of a task whose folder is there, for this process alone.

    Raises:
        NotFound: what ``missing`` says, when the folder is not there, or gone by the time it is ours.
        InvalidPath: it, its versions or its file is a symbolic link or no folder.
        Conflict: another process does not let go of it.
        StorageFailed: it cannot be read or written.

    """
    path = root / task_id
    try:
        if not stat.S_ISDIR(path.stat(follow_symlinks=False).st_mode):
            raise InvalidPath(f"{path} is no folder of its own: put the task's folder itself there.")
    except OSError:
        raise missing(task_id) from None
    try:
        with (
            GuardedFolder.open(root, task_id) as folder,
            GuardedFolder.open(root, task_id, VERSIONS) as versions,
            versions.lock(_LOCK),
        ):
            if not (folder.is_at(path) and versions.is_at(path / VERSIONS)):
                raise missing(task_id)
            folder.sweep()
            versions.sweep()
            yield TaskFiles(folder, versions)
    except OSError as error:
        if error.errno in _LINKED:
            raise InvalidPath(f"Something in {path} is a symbolic link or no plain file: put the file there.") from None
        raise storage_failure(path / HEARTBEAT, error) from error


def _name(number: int) -> str:
    return f"{number:06}.json"


def content_hash(data: bytes) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _json(version: Version) -> bytes:
    return version.model_dump_json(indent=2).encode() + b"\n"
