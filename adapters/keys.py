"""Where provider keys are found, and how they are kept out of everything that is written or shown."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast
from urllib.parse import urlsplit

from core.errors import Conflict, InvalidCredentials, InvalidSetting, NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SERVICE = "vaider"
GEMINI = "gemini"
VISION = "vision"
DASHSCOPE = "dashscope"
REPLAY = "replay"
"""Of a model server of the user's own, for ``REPLAY_PROVIDER=custom``."""
ANTHROPIC = "anthropic"
OPENAI = "openai"
_OPENAI_VARIABLE = "OPENAI_API_KEY"
_VARIABLES: dict[str, tuple[str, ...]] = {
    GEMINI: ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    VISION: ("VAIDER_VISION_API_KEY",),
    DASHSCOPE: ("DASHSCOPE_API_KEY",),
    REPLAY: ("VAIDER_REPLAY_API_KEY",),
    ANTHROPIC: ("ANTHROPIC_API_KEY",),
    OPENAI: (_OPENAI_VARIABLE,),
}
_OPENAI_HOST = "api.openai.com"
_SHOWN = "<key>"
_SHAPES = re.compile(
    r"""AIza[0-9A-Za-z_\-]{10,}|\bAQ\.[0-9A-Za-z_\-]{10,}|\bsk-[0-9A-Za-z_\-*]{8,}|(?<=[Bb]earer )[^\s"',;]+"""
)
_SHORTEST = 6
"""A shorter "key" of some local server guards nothing, and its letters are part of other words."""
_WORD = re.compile(r"[0-9A-Za-z_\-]{12,}")
# These keep secrets in a readable file, or lose them without a word.
_UNSAFE_RINGS = ("keyrings.alt", "keyring.backends.null", "keyring.backends.fail")


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


@dataclass(frozen=True)
class KeyStatus:
    """Whether a provider has a key and where it comes from; never the key."""

    name: str
    saved: bool
    source: str | None
    """The environment variable's name, ``keyring``, or ``None``."""


class Keys:
    """Looks keys up when they are used, and holds none: a variable of the environment wins over the OS keyring.

    Args:
        environment: usually ``os.environ``.
        ring: finds the keyring, ``None`` when this machine has none that keeps secrets secret.
        vision_base_url: ``OPENAI_API_KEY`` is used only when this is OpenAI's own address.

    """

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        ring: Callable[[], Ring | None] | None = None,
        vision_base_url: str = "",
    ) -> None:
        self._environment = environment
        self._ring = ring or system_ring
        self._variables: dict[str, tuple[str, ...]] = dict(_VARIABLES)
        if urlsplit(vision_base_url).hostname == _OPENAI_HOST:
            self._variables[VISION] += (_OPENAI_VARIABLE,)
        self._seen: set[bytes] = set()

    def get(self, name: str) -> str | None:
        """The key of that name, ``None`` when there is none. Raises ``InvalidCredentials`` when it can be no key."""
        value, source = self._find(name)
        if value is None:
            return None
        fault = _fault(value)
        if fault:
            raise InvalidCredentials(f"The key in {source} {fault}: set it again, exactly as the provider shows it.")
        self._seen.update(_digest(word) for word in _WORD.findall(value))
        return value

    def set(self, name: str, value: str) -> None:
        """Keep a key in the OS keyring. Raises ``InvalidSetting`` for no key, ``Conflict`` without a keyring."""
        self._check_name(name)
        fault = _fault(value) if value else "is empty"
        if fault:
            raise InvalidSetting(f"The key {fault}: give it exactly as the provider shows it.")
        ring = self._ring()
        if ring is None:
            raise Conflict(f"This machine has no keyring that keeps secrets: set {self._variables[name][0]} instead.")
        ring.set_password(SERVICE, name, value)

    def remove(self, name: str) -> None:
        """Forget a kept key. Raises ``NotFound`` when none is kept."""
        self._check_name(name)
        ring = self._ring()
        if ring is None or ring.get_password(SERVICE, name) is None:
            raise NotFound(f"The keyring holds no key for {name!r}.")
        ring.delete_password(SERVICE, name)

    def status(self) -> tuple[KeyStatus, ...]:
        """For each provider whether it has a key, and from where."""
        found = ((name, self._find(name)) for name in self._variables)
        return tuple(KeyStatus(name, value is not None, source) for name, (value, source) in found)

    def redact(self, text: str) -> str:
        """Blot out every key of the environment, every key that was handed out, and whatever is shaped like one."""
        variables = frozenset[str]().union(*self._variables.values())
        plain = redact_shapes(text, *(self._environment.get(variable, "") for variable in variables))
        return _WORD.sub(lambda word: _SHOWN if _digest(word.group()) in self._seen else word.group(), plain)

    def _find(self, name: str) -> tuple[str | None, str | None]:
        self._check_name(name)
        for variable in self._variables[name]:
            if value := self._environment.get(variable):
                return value, variable
        ring = self._ring()
        value = ring.get_password(SERVICE, name) if ring else None
        return (value, "keyring") if value else (None, None)

    def _check_name(self, name: str) -> None:
        if name not in self._variables:
            raise NotFound(f"There is no key named {name!r}; there are: {', '.join(self._variables)}.")


def redact_shapes(text: str, *secrets: str) -> str:
    """Blot out the given secrets and whatever is shaped like a key."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, _SHOWN)
    return _SHAPES.sub(_SHOWN, text)


def system_ring() -> Ring | None:
    """The OS keyring, ``None`` when there is none or when it would keep secrets in a readable file."""
    import keyring  # noqa: PLC0415 - 60 ms and a D-Bus look-up that a start without keys need not pay
    from keyring.backends.chainer import ChainerBackend  # noqa: PLC0415 - same

    backend: object = keyring.get_keyring()
    members = cast("list[object]", backend.backends) if isinstance(backend, ChainerBackend) else [backend]
    safe = [member for member in members if not type(member).__module__.startswith(_UNSAFE_RINGS)]
    return _Guarded(cast("Ring", safe[0])) if safe else None


class _Guarded:
    """A keyring whose failures are ours: unreadable is as good as empty, unwritable is said."""

    def __init__(self, ring: Ring) -> None:
        self._ring = ring

    def get_password(self, service: str, username: str) -> str | None:
        from keyring.errors import KeyringError  # noqa: PLC0415 - only where a keyring is used

        try:
            return self._ring.get_password(service, username)
        except KeyringError:
            return None

    def set_password(self, service: str, username: str, password: str) -> None:
        from keyring.errors import KeyringError  # noqa: PLC0415 - only where a keyring is used

        try:
            self._ring.set_password(service, username, password)
        except KeyringError as error:
            raise _locked(error) from None

    def delete_password(self, service: str, username: str) -> None:
        from keyring.errors import KeyringError  # noqa: PLC0415 - only where a keyring is used

        try:
            self._ring.delete_password(service, username)
        except KeyringError as error:
            raise _locked(error) from None


def _locked(error: Exception) -> Conflict:
    return Conflict(f"The keyring refused ({type(error).__name__}): unlock it and try again.")


def _fault(value: str) -> str | None:
    """What makes the text no key, as the end of a sentence that does not quote it."""
    if any(letter.isspace() for letter in value):
        return "contains a space or a line break"
    if not value.isascii():
        return "contains a letter that no key has (not ASCII)"
    if not value.isprintable():
        return "contains a control character"
    return None


def _digest(word: str) -> bytes:
    return hashlib.sha256(word.encode()).digest()
