"""Where provider keys are found, and how they are kept out of everything that is written or shown."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from adapters.key_file import KeyFile
from adapters.key_kinds import KEY_KINDS, OPENAI, VISION
from adapters.key_ring import READ_SECONDS, NoRing, RingKeys, RingRefused, system_ring
from core.errors import Conflict, InvalidCredentials, InvalidSetting, NotFound, StorageFailed, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from adapters.key_ring import Ring

_LOG = logging.getLogger("vaider.keys")

Store = Literal["keyring", "file"]
RingState = Literal["usable", "locked", "none"]
KEYRING: Final = "keyring"
FILE: Final = "file"
MAX_LENGTH: Final = 4096
_OPENAI_HOST = "api.openai.com"
_SHOWN = "<key>"
_SHAPES = re.compile(
    r"""AIza[0-9A-Za-z_\-]{10,}|\bAQ\.[0-9A-Za-z_\-]{10,}|\bsk-[0-9A-Za-z_\-*]{8,}|(?<=[Bb]earer )[^\s"',;]+"""
)
_SHORTEST = 6
"""A shorter "key" of some local server guards nothing, and its letters are part of other words."""
_WORD = re.compile(r"[0-9A-Za-z_\-]{12,}")
_NAME = re.compile(r"[a-z]{1,12}")


@dataclass(frozen=True)
class KeyStatus:
    """Whether a provider has a key and where it comes from; never the key."""

    name: str
    saved: bool
    source: str | None
    """The environment variable's name, ``keyring``, ``file`` or ``None``."""
    problem: str | None = None
    """Why it is not known whether there is one, in a sentence that says what to do."""


class Keys:
    """Looks keys up: a variable of the environment wins over the OS keyring, and that over the file.

    The keyring is asked once, and what it holds is kept in memory until some process changes a key.

    Args:
        environment: usually ``os.environ``.
        ring: finds the keyring, ``None`` when this machine has none that keeps secrets secret.
        vision_base_url: ``OPENAI_API_KEY`` is used for vision only when this is OpenAI's own address.
        folder: the data directory, where the file is; ``None`` = no file.
        ring_seconds: how long the keyring is waited for.

    """

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        ring: Callable[[], Ring | None] | None = None,
        vision_base_url: str = "",
        folder: Path | None = None,
        ring_seconds: float = READ_SECONDS,
    ) -> None:
        self._environment = environment
        self._variables = {name: kind.variables for name, kind in KEY_KINDS.items()}
        if urlsplit(vision_base_url).hostname == _OPENAI_HOST:
            self._variables[VISION] += KEY_KINDS[OPENAI].variables
        self._ring = RingKeys(ring or system_ring, tuple(KEY_KINDS), seconds=ring_seconds)
        self._file = KeyFile(folder) if folder else None
        self._seen: set[bytes] = set()

    @property
    def file(self) -> Path | None:
        """The file that keys are kept in where there is no keyring and the user agrees."""
        return self._file.path if self._file else None

    def get(self, name: str) -> str | None:
        """The key of that name, ``None`` when there is none.

        Raises:
            InvalidCredentials: what is kept can be no key.
            Conflict: it is not known whether there is one: the keyring is locked, or the file is not safe.

        """
        value, source = self._find(name)
        if value is None:
            return None
        fault = _fault(value)
        if fault:
            raise InvalidCredentials(f"The key in {source} {fault}: set it again, exactly as the provider shows it.")
        self._remember(value)
        return value

    def set(self, name: str, value: str, *, store: Store = KEYRING) -> None:
        """Keep a key, and forget an older one of that name in the other place.

        Raises:
            NotFound: there is no such name.
            InvalidSetting: the value can be no key.
            Conflict: there is no keyring, or it is locked; or the file is not safe.
            StorageFailed: the file cannot be written.

        """
        self._check_name(name)
        fault = _fault(value)
        if fault:
            raise InvalidSetting(f"The key {fault}: give it exactly as the provider shows it.")
        self._remember(value)
        if store == FILE:
            self._to_file(name, value)
        else:
            self._to_ring(name, value)
        self._tell()

    def remove(self, name: str) -> None:
        """Forget a kept key, wherever. Raises ``NotFound`` when none is kept, ``Conflict`` when that is not known."""
        self._check_name(name)
        removed = self._file.remove(name) if self._file else False
        with contextlib.suppress(NoRing):
            try:
                removed = self._ring.remove(name) or removed
            except RingRefused as refusal:
                raise self._locked(name, refusal) from None
        if not removed:
            raise NotFound(f"No key is kept for {name!r}.")
        self._tell()

    def ring_state(self) -> RingState:
        """Whether there is a keyring that can be used now."""
        try:
            self._ring.values(self._generation())
        except NoRing:
            return "none"
        except RingRefused:
            return "locked"
        return "usable"

    def status(self) -> tuple[KeyStatus, ...]:
        """For each provider whether it has a key, and from where."""
        return tuple(self.status_of(name) for name in self._variables)

    def status_of(self, name: str) -> KeyStatus:
        """The same for one. Raises ``NotFound``."""
        self._check_name(name)
        try:
            value, source = self._find(name, strict=True)
        except VaiderError as error:
            return KeyStatus(name, saved=False, source=None, problem=error.message)
        return KeyStatus(name, value is not None, source)

    def redact(self, text: str) -> str:
        """Blot out every key of the environment, every key that was handed out, and whatever is shaped like one."""
        variables = frozenset[str]().union(*self._variables.values())
        plain = redact_shapes(text, *(self._environment.get(variable, "") for variable in variables))
        return _WORD.sub(lambda word: _SHOWN if _digest(word.group()) in self._seen else word.group(), plain)

    def _find(self, name: str, *, strict: bool = False) -> tuple[str | None, str | None]:
        """The key and its source. ``strict``: also for a key that one can do without, say that it is not known."""
        self._check_name(name)
        for variable in self._variables[name]:
            if value := self._environment.get(variable):
                return value, variable
        refusal: RingRefused | None = None
        try:
            if value := self._ring.values(self._generation()).get(name):
                return value, KEYRING
        except NoRing:
            pass
        except RingRefused as error:
            refusal = error
        if self._file and (value := self._file.values().get(name)):
            return value, FILE
        # A server of the user's own may need no key, and a locked keyring must not stop its use.
        if refusal and (strict or KEY_KINDS[name].required):
            raise self._locked(name, refusal)
        return None, None

    def _to_ring(self, name: str, value: str) -> None:
        try:
            self._ring.set(name, value)
        except NoRing:
            variable = self._variables[name][0]
            file = f", or keep it in a file only you can read: `vaider keys set {name} --file`" if self._file else ""
            raise Conflict(f"This machine has no keyring that keeps secrets: set {variable}{file}.") from None
        except RingRefused as refusal:
            raise self._locked(name, refusal) from None
        if self._file:
            self._file.remove(name)

    def _to_file(self, name: str, value: str) -> None:
        if self._file is None:
            raise Conflict("There is no data directory to keep a file of keys in: set data_dir.")
        self._file.set(name, value)
        # Else the older one would win.
        with contextlib.suppress(NoRing, RingRefused):
            self._ring.remove(name)

    def _tell(self) -> None:
        self._ring.forget()
        if self._file is None:
            return
        try:
            self._file.mark()
        except StorageFailed:
            _LOG.warning("keys.changed: a daemon that runs learns of it when it is started again")

    def _generation(self) -> bytes:
        return self._file.generation() if self._file else b""

    def _locked(self, name: str, refusal: RingRefused) -> Conflict:
        title, variable = KEY_KINDS[name].title, self._variables[name][0]
        return Conflict(
            f"The keyring {refusal}, and {title}'s key may be in it: unlock it and try again, or set {variable}."
        )

    def _remember(self, value: str) -> None:
        self._seen.update(_digest(word) for word in _WORD.findall(value))

    def _check_name(self, name: str) -> None:
        if name not in self._variables:
            # Whoever mistakes one field for the other shall not find the key in a log.
            told = f"named {name!r}" if _NAME.fullmatch(name) else "of that name"
            raise NotFound(f"There is no key {told}; there are: {', '.join(self._variables)}.")


def redact_shapes(text: str, *secrets: str) -> str:
    """Blot out the given secrets and whatever is shaped like a key."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, _SHOWN)
    return _SHAPES.sub(_SHOWN, text)


def _fault(value: str) -> str | None:
    """What makes the text no key, as the end of a sentence that does not quote it."""
    if not value:
        return "is empty"
    if len(value) > MAX_LENGTH:
        return f"is over {MAX_LENGTH} characters"
    if any(letter.isspace() for letter in value):
        return "contains a space or a line break"
    if not value.isascii():
        return "contains a letter that no key has (not ASCII)"
    if not value.isprintable():
        return "contains a control character"
    return None


def _digest(word: str) -> bytes:
    return hashlib.sha256(word.encode()).digest()
