"""The keys there are, where they are found, and how they are kept out of everything that is written or shown."""

import contextlib
import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from adapters.key_stores import READ_SECONDS, KeyFile, NoRing, Ring, RingKeys, RingRefused, system_ring
from core.errors import Conflict, InvalidCredentials, InvalidSetting, NotFound, StorageFailed, VaiderError

GEMINI: Final = "gemini"
VISION: Final = "vision"
DASHSCOPE: Final = "dashscope"
REPLAY: Final = "replay"
"""Of a model server of the user's own, for ``REPLAY_PROVIDER=custom``."""
MEMORIES: Final = "memories"
ANTHROPIC: Final = "anthropic"
OPENAI: Final = "openai"


@dataclass(frozen=True, slots=True)
class KeyKind:
    """One provider's key."""

    title: str
    variables: tuple[str, ...]
    """The environment variables it is looked for in, the first one wins."""
    page: str
    """Where people make one; empty for servers of their own."""
    adds: str
    """What it is good for, as the end of a sentence."""
    required: bool = True
    """Whether nothing works with the provider without it."""


KEY_KINDS: Final[Mapping[str, KeyKind]] = {
    GEMINI: KeyKind(
        title="Gemini",
        variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        page="https://aistudio.google.com/apikey",
        adds="Gemini watches videos, writes tasks from recordings and decides in runs",
    ),
    VISION: KeyKind(
        title="The vision model",
        variables=("VAIDER_VISION_API_KEY",),
        page="",
        adds="a server of your own (vision_base_url) watches videos",
        required=False,
    ),
    DASHSCOPE: KeyKind(
        title="DashScope",
        variables=("DASHSCOPE_API_KEY",),
        page="https://modelstudio.console.alibabacloud.com/?tab=model#/api-key",
        adds="Qwen's models decide in runs (REPLAY_PROVIDER=dashscope)",
    ),
    REPLAY: KeyKind(
        title="The model server",
        variables=("VAIDER_REPLAY_API_KEY",),
        page="",
        adds="a server of your own decides in runs (REPLAY_PROVIDER=custom)",
        required=False,
    ),
    MEMORIES: KeyKind(
        title="Memories.ai",
        variables=("VAIDER_MEMORIES_API_KEY", "MEMORIES_API_KEY"),
        page="https://memories.ai/app/service/key",
        adds="Memories.ai keeps recorded segments and helps to recall (memory_refiner)",
    ),
    ANTHROPIC: KeyKind(
        title="Anthropic",
        variables=("ANTHROPIC_API_KEY",),
        page="https://console.anthropic.com/settings/keys",
        adds="Claude decides in runs",
    ),
    OPENAI: KeyKind(
        title="OpenAI",
        variables=("OPENAI_API_KEY",),
        page="https://platform.openai.com/api-keys",
        adds="OpenAI's models decide in runs, and watch videos where vision_base_url is OpenAI's",
    ),
}
ASKED_FOR: Final = (GEMINI, OPENAI, ANTHROPIC, DASHSCOPE)
"""What ``vaider keys setup`` asks for, in this order."""
WITHOUT: Final = "the provider local needs none and works offline"


def missing_key(name: str) -> str:
    """The sentence for a user of that provider without its key: which one, where to get it, what works without."""
    kind = KEY_KINDS[name]
    where = f"make one at {kind.page}, then run" if kind.page else "run"
    variables = " or ".join(kind.variables)
    return f"{kind.title} needs a key: {where} `vaider keys set {name}` or set {variables}; {WITHOUT}."


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
        self._notify_listeners()

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
        self._notify_listeners()

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

    def _notify_listeners(self) -> None:
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
            # A key that was typed into the wrong field must not be in a log.
            text = f"named {name!r}" if _NAME.fullmatch(name) else "of that name"
            raise NotFound(f"There is no key {text}; there are: {', '.join(self._variables)}.")


def key_answer(status: KeyStatus) -> dict[str, Any]:
    """One key, as ``/keys`` and ``vaider keys --json`` tell it."""
    kind = KEY_KINDS[status.name]
    return {
        **vars(status),
        "title": kind.title,
        "adds": kind.adds,
        "variables": list(kind.variables),
        "page": kind.page or None,
    }


def keys_answer(keys: Keys) -> dict[str, Any]:
    """All keys, and where new ones can be kept."""
    file = str(keys.file) if keys.file else None
    return {"keys": [key_answer(status) for status in keys.status()], "keyring": keys.ring_state(), "file": file}


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
