"""Keys in a file that its user alone can read: for machines without a keyring, and only when the user said yes."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import secrets
import stat
from typing import TYPE_CHECKING, Any, Final, cast

from core.errors import Conflict, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

NAME: Final = "keys.json"
CHANGED: Final = "keys.changed"
"""Holds another word after each change of any key, so that other processes look anew."""
MAX_BYTES: Final = 64 * 1024
_LOCK: Final = "keys.lock"
_TEMPORARY: Final = ".keys-"
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FILE_MODE: Final = 0o600
_FOLDER_MODE: Final = 0o700
_OTHERS: Final = 0o077


class KeyFile:
    """``keys.json`` in the data directory, ``{"<name>": "<key>"}``; mode 0600 from its first moment.

    Args:
        folder: the data directory; is made when the first key is kept.

    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.path: Final = folder / NAME

    def values(self) -> Mapping[str, str]:
        """All keys in it, by name; none when there is no file.

        Raises:
            Conflict: others can read it or could have written it, or it is no such file; says what to do.

        """
        try:
            file = os.open(self.path, _READ)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._unusable(f"cannot be read ({os.strerror(error.errno or errno.EIO)})") from None
        with os.fdopen(file, "rb") as opened:
            self._check(os.fstat(file))
            return self._parsed(opened.read(MAX_BYTES + 1))

    def set(self, name: str, value: str) -> None:
        """Keep a key. Raises ``Conflict`` as ``values`` does, ``StorageFailed``."""
        with self._changing():
            self._write({**self.values(), name: value})

    def remove(self, name: str) -> bool:
        """Forget a key; whether there was one. Raises ``Conflict`` as ``values`` does, ``StorageFailed``."""
        if name not in self.values():
            return False
        with self._changing():
            self._write({kept: value for kept, value in self.values().items() if kept != name})
        return True

    def generation(self) -> bytes:
        """A word that is another one after each change of any key, by whichever process."""
        with contextlib.suppress(OSError):
            file = os.open(self._folder / CHANGED, _READ)
            with os.fdopen(file, "rb") as opened:
                return opened.read(100)
        return b""

    def mark(self) -> None:
        """Let other processes look anew. Raises ``StorageFailed``."""
        with self._changing():
            self._replace(CHANGED, secrets.token_hex(8).encode())

    def _check(self, found: os.stat_result) -> None:
        if not stat.S_ISREG(found.st_mode):
            raise self._unusable("is no regular file")
        if found.st_uid != os.geteuid():
            raise self._unusable("belongs to another user")
        if found.st_mode & _OTHERS:
            mode = stat.S_IMODE(found.st_mode)
            raise Conflict(
                f"{self.path} is not used, for others may read or write it (mode {mode:o}): "
                f"run `chmod 600 {self.path}`, and make new keys if somebody may have seen these."
            )

    def _parsed(self, data: bytes) -> Mapping[str, str]:
        try:
            value: Any = json.loads(data) if len(data) <= MAX_BYTES else None
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise self._unusable("is no file of keys")
        kept = cast("dict[str, Any]", value)
        return {name: key for name, key in kept.items() if isinstance(key, str)}

    def _unusable(self, why: str) -> Conflict:
        return Conflict(f"{self.path} {why}: move it away, and set the keys again.")

    def _write(self, values: Mapping[str, str]) -> None:
        if values:
            self._replace(NAME, json.dumps(values, indent=1).encode())
            return
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()

    def _replace(self, name: str, data: bytes) -> None:
        temporary = self._folder / f"{_TEMPORARY}{secrets.token_hex(8)}.tmp"
        try:
            file = os.open(temporary, _NEW, _FILE_MODE)
            with os.fdopen(file, "wb") as opened:
                opened.write(data)
                opened.flush()
                os.fsync(file)
            temporary.replace(self._folder / name)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    @contextlib.contextmanager
    def _changing(self) -> Generator[None]:
        """Keep every other process out, and clear away what one that was killed has left."""
        try:
            self._folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            lock = os.open(self._folder / _LOCK, flags, _FILE_MODE)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                for left in self._folder.glob(f"{_TEMPORARY}*.tmp"):
                    left.unlink()
                yield
            finally:
                os.close(lock)
        except OSError as error:
            why = os.strerror(error.errno or errno.EIO)
            raise StorageFailed(f"{self.path} cannot be written ({why}): mend that, or set another data_dir.") from None
