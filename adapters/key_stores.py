"""Where keys are kept: the OS keyring, never waited for longer than a moment, or a file that only its user can read."""

import contextlib
import errno
import json
import os
import secrets
import stat
import threading
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar, cast

from core.errors import Conflict
from core.files import Folder, make_private, storage_failure

Find = Callable[[], "Ring | None"]


SERVICE: Final = "vaider"
READ_SECONDS: Final = 3.0
"""Below what a command waits for the daemon's ``/health``, which asks for the keys."""
WRITE_SECONDS: Final = 30.0
"""A person may have to type the keyring's password."""
REFUSED_SECONDS: Final = 30.0
"""How long a refusal holds: each look-up may put a window before the user."""
HUNG_SECONDS: Final = 180.0
"""A look-up that takes longer is abandoned, and another one may be begun."""
# These keep secrets in a readable file, or lose them without a word.
_UNSAFE_RINGS: Final = ("keyrings.alt", "keyring.backends.null", "keyring.backends.fail")

T = TypeVar("T")


class Ring(Protocol):
    """The part of a keyring backend that is used."""

    def get_password(self, service: str, username: str) -> str | None:
        """The kept secret."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a secret."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Forget a secret."""
        ...


class RingRefused(Exception):
    """The keyring is there and does not give what it holds; the text says why, as the end of a sentence."""


class NoRing(Exception):
    """There is no keyring that keeps secrets secret."""


@dataclass(frozen=True, slots=True)
class _Lookup:
    generation: bytes
    began: float
    answer: Future[Mapping[str, str]]


class RingKeys:
    """What the keyring holds for this service.

    Args:
        find: finds the keyring, ``None`` when this machine has none that keeps secrets secret.
        names: the keys' names.
        seconds: how long a look-up is waited for; it goes on, and what it brings is used when it is there.
        hung_seconds: how long it may go on before another one is begun.

    """

    def __init__(
        self,
        find: Find,
        names: tuple[str, ...],
        *,
        seconds: float = READ_SECONDS,
        hung_seconds: float = HUNG_SECONDS,
    ) -> None:
        self._find = find
        self._names = names
        self._seconds = seconds
        self._hung = hung_seconds
        self._lock = threading.Lock()
        self._lookup: _Lookup | None = None

    def values(self, generation: bytes) -> Mapping[str, str]:
        """All keys that it holds, by name; kept until another ``generation`` is asked for.

        Raises:
            RingRefused: it is locked, or does not answer.
            NoRing: there is none.

        """
        while True:
            lookup = self._looked_up(generation)
            found = _result(lookup.answer, lookup.began + self._seconds - time.monotonic())
            if lookup.generation == generation:
                return found

    def set(self, name: str, value: str) -> None:
        """Keep a key. Raises ``RingRefused``, ``NoRing``."""
        self._write(lambda ring: ring.set_password(SERVICE, name, value))

    def remove(self, name: str) -> bool:
        """Forget a key; whether there was one. Raises ``RingRefused``, ``NoRing``."""

        def remove(ring: Ring) -> bool:
            kept = ring.get_password(SERVICE, name) is not None
            if kept:
                ring.delete_password(SERVICE, name)
            return kept

        return self._write(remove)

    def forget(self) -> None:
        """Look anew next time."""
        with self._lock:
            self._lookup = None

    def _looked_up(self, generation: bytes) -> _Lookup:
        """The look-up of that generation, or the one that is still under way: a second would ask the user again."""
        with self._lock:
            last = self._lookup
            if last is None or self._is_over(last, generation):
                last = self._lookup = _Lookup(generation, time.monotonic(), _in_thread(self._read))
            return last

    def _is_over(self, last: _Lookup, generation: bytes) -> bool:
        age = time.monotonic() - last.began
        if not last.answer.done():
            return age > self._hung
        return last.generation != generation or (last.answer.exception() is not None and age > REFUSED_SECONDS)

    def _read(self) -> Mapping[str, str]:
        ring = self._ring()
        found = {name: ring.get_password(SERVICE, name) for name in self._names}
        return {name: value for name, value in found.items() if value}

    def _write(self, work: Callable[[Ring], T]) -> T:
        done = _result(_in_thread(lambda: work(self._ring())), WRITE_SECONDS)
        self.forget()
        return done

    def _ring(self) -> Ring:
        ring = self._find()
        if ring is None:
            raise NoRing
        return ring


def system_ring() -> Ring | None:
    """The OS keyring, ``None`` when there is none or when it would keep secrets in a readable file."""
    import keyring  # noqa: PLC0415 - 60 ms and a D-Bus look-up that a start without keys need not pay
    from keyring.backends.chainer import ChainerBackend  # noqa: PLC0415 - same

    backend: object = keyring.get_keyring()
    members = cast("list[object]", backend.backends) if isinstance(backend, ChainerBackend) else [backend]
    safe = [member for member in members if not type(member).__module__.startswith(_UNSAFE_RINGS)]
    return cast("Ring", safe[0]) if safe else None


def _in_thread(work: Callable[[], T]) -> Future[T]:
    """Begin the work in a daemon thread: a window that waits for a password may stay for ever."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except NoRing as error:
            answer.set_exception(error)
        except Exception as error:  # noqa: BLE001 - a keyring's backends raise what their platforms raise
            answer.set_exception(_refusal(error))

    threading.Thread(target=run, name="keyring", daemon=True).start()
    return answer


def _refusal(error: Exception) -> Exception:
    from keyring.errors import KeyringLocked, NoKeyringError  # noqa: PLC0415 - only where a keyring is used

    if isinstance(error, NoKeyringError):
        return NoRing()
    # Only the kind: the words are a platform's, and may hold anything.
    return RingRefused("is locked" if isinstance(error, KeyringLocked) else f"refused ({type(error).__name__})")


def _result(answer: Future[T], seconds: float) -> T:
    try:
        return answer.result(max(0.0, seconds))
    except TimeoutError:
        raise RingRefused("does not answer, so it is probably locked") from None


NAME: Final = "keys.json"
CHANGED: Final = "keys.changed"
"""Holds another word after each change of any key, so that other processes look anew."""
MAX_BYTES: Final = 64 * 1024
_LOCK: Final = "keys.lock"
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OTHERS: Final = 0o077


class _KeyFolder(Folder):
    TEMPORARY = ".keys-"


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
        with _KeyFolder.open(self._folder) as folder:
            folder.replace(name, data)

    @contextlib.contextmanager
    def _changing(self) -> Generator[None]:
        """Keep every other process out, and clear away what one that was killed has left."""
        try:
            with _KeyFolder.open(make_private(self._folder)) as folder, folder.lock(_LOCK):
                folder.sweep()
                yield
        except OSError as error:
            raise storage_failure(self.path, error) from None
