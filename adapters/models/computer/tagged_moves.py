"""What a call of the tagged format means: a move in pixels of the desktop, and the words that have to come with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.models.computer.call_arguments import Arguments
from adapters.models.computer.function_tools import read_reload
from core.action_words import PIXELS_A_NOTCH
from core.actions import (
    MAX_SECONDS,
    MAX_TEXT,
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Extract,
    Key,
    Look,
    Move,
    OpenApp,
    OpenUrl,
    Reload,
    Scroll,
    Type,
    Wait,
)
from core.coordinates import THOUSANDTHS
from core.errors import InvalidCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.models.computer.held_keys import HeldKeys
    from adapters.models.computer.tagged_calls import Call
    from core.screens import Point

MAX_PIXELS: Final = 2000
MAX_ADDRESS: Final = 8000
MAX_NAME: Final = 500
_CLICKS: Final = ("left_click", "right_click", "middle_click", "double_click", "triple_click")


@dataclass(frozen=True, slots=True)
class Said:
    """A call, understood. ``value_is_missing``: the extract named no value; it has to be read off the screen first."""

    move: Action | Done | Ask | Extract | Reload
    observation: str
    task_memory: str | None
    value_is_missing: bool = False


@dataclass(frozen=True)
class Moves:
    """Understands calls on a desktop of this size.

    Args:
        desktop: its width and height in pixels.
        pointer: where the pointer is known to be, for a drag that names only its end.
        held: the modifiers that the model holds down.

    """

    desktop: tuple[int, int]
    pointer: Callable[[], Point | None]
    held: HeldKeys

    def understand(self, call: Call) -> Said:
        """What the call means. Raises ``InvalidCall``, which quotes what is wrong."""
        given = Arguments(call.name, call.arguments)
        if call.name == "reload_cached":
            noted = given.text("task_memory") if given.has("task_memory") else None
            return Said(read_reload(call.arguments), "", noted)
        memory = given.text("task_memory")
        if call.name == "done":
            succeeded = given.flag("succeeded", otherwise=True)
            observation = given.text("observation").strip() if given.has("observation") else ""
            return Said(Done(result=given.words("result"), succeeded=succeeded), observation, memory)
        observation = given.words("observation")
        if call.name == "ask":
            return Said(Ask(question=given.words("question")), observation, memory)
        if call.name == "extract":
            value = given.words("value") if given.has("value") else ""
            move = Extract(variable_name=given.words("variable_name"), query=given.words("query"), value=value)
            return Said(move, observation, memory, value_is_missing=not value)
        return Said(self._computer_use(given, observation), observation, memory)

    def _computer_use(self, given: Arguments, observation: str) -> Action | Done | Ask:
        readers: dict[str, Callable[[Arguments, str], Action]] = {
            **dict.fromkeys(_CLICKS, self._click),
            **dict.fromkeys(("scroll", "hscroll"), self._scroll),
            "key": self._key,
            "key_down": self._key_down,
            "key_up": self._key_up,
            "type": self._type,
            "mouse_move": self._move,
            "left_click_drag": self._drag,
            "wait": self._wait,
            "open_app": self._open_app,
            "open_url": self._open_url,
        }
        action = given.one_of("action", (*readers, "terminate", "answer", "interact"))
        if action == "terminate":
            succeeded = given.one_of("status", ("success", "failure")) == "success"
            return Done(result=given.words("text") if given.has("text") else observation, succeeded=succeeded)
        if action == "answer":
            return Done(result=given.words("text"))
        if action == "interact":
            return Ask(question=given.words("text"))
        return readers[action](given, action)

    def _click(self, given: Arguments, action: str) -> Action:
        keys = given.keys("keys") if given.has("keys") else ()
        at = self._point(given, "coordinate") if given.has("coordinate") else None
        return Click.model_validate({"action": action, "at": at, "modifiers": self.held.join(keys)})

    def _move(self, given: Arguments, _: str) -> Action:
        return Move(at=self._point(given, "coordinate"), modifiers=self.held.join(()))

    def _drag(self, given: Arguments, _: str) -> Action:
        """``coordinate`` is the end; with ``coordinate2`` it is the start, as with ``start_coordinate`` it is not."""
        if given.has("coordinate2"):
            start, end = self._point(given, "coordinate"), self._point(given, "coordinate2")
        elif given.has("end_coordinate"):
            name = "start_coordinate" if given.has("start_coordinate") else "coordinate"
            start, end = self._point(given, name), self._point(given, "end_coordinate")
        else:
            end = self._point(given, "coordinate")
            known = self._point(given, "start_coordinate") if given.has("start_coordinate") else self.pointer()
            if known is None:
                raise InvalidCall("left_click_drag: 'start_coordinate' is missing; it must be [x, y], where to press.")
            start = known
        keys = given.keys("keys") if given.has("keys") else ()
        return Drag(path=(start, end), modifiers=self.held.join(keys))

    def _scroll(self, given: Arguments, action: str) -> Action:
        pixels = given.number("pixels")
        at = self._point(given, "coordinate") if given.has("coordinate") else None
        keys = given.keys("keys") if given.has("keys") else ()
        return Scroll.model_validate(
            {"action": action, "notches": notches(pixels), "at": at, "modifiers": self.held.join(keys)}
        )

    def _type(self, given: Arguments, action: str) -> Action:
        text = given.text("text")
        if len(text) > MAX_TEXT:
            raise InvalidCall(f"type: 'text' is longer than {MAX_TEXT} characters: type it in parts.")
        self.held.forbid(action)
        return Type(text=text)

    def _key(self, given: Arguments, _: str) -> Action:
        return Key(keys=self.held.join(given.keys("keys"), most=8))

    def _key_down(self, given: Arguments, _: str) -> Action:
        self.held.press(given.keys("keys"))
        return Look()

    def _key_up(self, given: Arguments, _: str) -> Action:
        self.held.release(given.keys("keys"))
        return Look()

    def _wait(self, given: Arguments, _: str) -> Action:
        return Wait(seconds=seconds(given.number("time")))

    def _open_app(self, given: Arguments, _: str) -> Action:
        return OpenApp(name=short(given.words("text"), MAX_NAME, "open_app"))

    def _open_url(self, given: Arguments, _: str) -> Action:
        return OpenUrl(url=short(given.words("text"), MAX_ADDRESS, "open_url"))

    def _point(self, given: Arguments, name: str) -> Point:
        return THOUSANDTHS.point(given.pair(name), self.desktop)


def notches(pixels: float) -> int:
    """Of the wheel, at least one; positive goes down or right. Raises ``InvalidCall`` for nothing at all."""
    if not pixels:
        raise InvalidCall("scroll: 'pixels' is 0; positive pixels scroll down or right, negative ones up or left.")
    within = min(max(pixels, -MAX_PIXELS), MAX_PIXELS)
    return round(within / PIXELS_A_NOTCH) or (1 if pixels > 0 else -1)


def seconds(time: float) -> float:
    """How long to wait. Raises ``InvalidCall`` for what is no such time."""
    if not 0 <= time <= MAX_SECONDS:
        raise InvalidCall(f"wait: the time must be from 0 to {MAX_SECONDS:g} seconds, not {time:g}.")
    return time


def short(text: str, most: int, call: str) -> str:
    """The text, when it is no longer. Raises ``InvalidCall``."""
    if len(text) > most:
        raise InvalidCall(f"{call}: that is longer than {most} characters.")
    return text
