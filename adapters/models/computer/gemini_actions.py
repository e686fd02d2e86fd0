"""What a call of Gemini's computer tool means, in both generations of its actions and all their spellings."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from adapters.models.computer.call_arguments import Arguments
from core.action_words import PIXELS_A_NOTCH
from core.actions import (
    MAX_SECONDS,
    MAX_TEXT,
    Action,
    Click,
    Drag,
    Key,
    Look,
    Move,
    OpenUrl,
    Press,
    Scroll,
    Type,
    Wait,
)
from core.coordinates import THOUSANDTHS
from core.errors import InvalidCall
from core.key_names import parse_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.models.computer.held_keys import HeldKeys
    from core.screens import Point

MAX_NOTCHES: Final = 100
MAX_ADDRESS: Final = 8000
_THOUSAND: Final = 1000
_SELECT_ALL: Final = parse_keys("cmd+a" if sys.platform == "darwin" else "ctrl+a")
_BLANK: Final = "about:blank"
_CLICKS: Final = {
    "click": "left_click",
    "click_at": "left_click",
    "double_click": "double_click",
    "triple_click": "triple_click",
    "middle_click": "middle_click",
    "right_click": "right_click",
}
_MAGNITUDES: Final = {"scroll": 300.0, "scroll_at": 800.0, "scroll_document": 800.0}
"""In thousandths of the screen, where the call says nothing."""


class GeminiActions:
    """Reads calls on a desktop of this size; an answer is one action, or several in order.

    Args:
        desktop: its width and height in pixels.
        held: the keys that the model holds down.

    """

    def __init__(self, desktop: tuple[int, int], held: HeldKeys) -> None:
        self._desktop = desktop
        self._held = held
        self._readers: dict[str, Callable[[Arguments], tuple[Action, ...]]] = {
            **dict.fromkeys(_CLICKS, self._click),
            **dict.fromkeys(_MAGNITUDES, self._scroll),
            **dict.fromkeys(("move", "hover_at"), self._move),
            **dict.fromkeys(("press_key", "hotkey", "key_combination"), self._keys),
            "mouse_down": self._press,
            "mouse_up": self._press,
            "type": self._type,
            "type_text_at": self._type_at,
            "drag_and_drop": self._drag,
            "key_down": self._key_down,
            "key_up": self._key_up,
            "wait": self._wait,
            "wait_5_seconds": lambda _: (Wait(seconds=5),),
            "take_screenshot": lambda _: (Look(),),
            "go_back": lambda _: (Key(keys=parse_keys("alt+left")),),
            "go_forward": lambda _: (Key(keys=parse_keys("alt+right")),),
            "navigate": self._navigate,
            "open_web_browser": lambda _: (OpenUrl(url=_BLANK),),
        }

    def read(self, name: str, values: Mapping[str, object]) -> tuple[Action, ...]:
        """What the call means. Raises ``InvalidCall``, which quotes what is wrong."""
        reader = self._readers.get(name)
        if reader is None:
            raise InvalidCall(f"There is no action {name[:80]!r} here; use click, type, scroll, press_key or another.")
        return reader(Arguments(name, values))

    def _click(self, given: Arguments) -> tuple[Action, ...]:
        action = {"action": _CLICKS[given.call], "at": self._point(given), "modifiers": self._held.join(())}
        return (Click.model_validate(action),)

    def _press(self, given: Arguments) -> tuple[Action, ...]:
        at = self._point(given) if given.has("x", "y") else None
        return (Press.model_validate({"action": f"left_{given.call}", "at": at}),)

    def _move(self, given: Arguments) -> tuple[Action, ...]:
        return (Move(at=self._point(given), modifiers=self._held.join(())),)

    def _drag(self, given: Arguments) -> tuple[Action, ...]:
        starts = ("start_x", "start_y") if given.has("start_x", "start_y") else ("x", "y")
        ends = ("end_x", "end_y") if given.has("end_x", "end_y") else ("destination_x", "destination_y")
        return (Drag(path=(self._point(given, *starts), self._point(given, *ends)), modifiers=self._held.join(())),)

    def _scroll(self, given: Arguments) -> tuple[Action, ...]:
        direction = given.one_of("direction", ("up", "down", "left", "right"))
        is_sideways = direction in {"left", "right"}
        if given.has("magnitude_in_wheel_clicks"):
            turns = given.number("magnitude_in_wheel_clicks")
        else:
            names = ("magnitude_in_pixels", "magnitude")
            share = given.number(*names) if given.has(*names) else _MAGNITUDES[given.call]
            turns = share / _THOUSAND * self._desktop[0 if is_sideways else 1] / PIXELS_A_NOTCH
        if turns <= 0:
            raise InvalidCall(f"{given.call}: the magnitude must be positive; 'direction' says where to.")
        notches = min(max(1, round(turns)), MAX_NOTCHES) * (-1 if direction in {"up", "left"} else 1)
        at = self._point(given) if given.has("x", "y") else None
        action = "hscroll" if is_sideways else "scroll"
        return (
            Scroll.model_validate({"action": action, "notches": notches, "at": at, "modifiers": self._held.join(())}),
        )

    def _type(self, given: Arguments) -> tuple[Action, ...]:
        return self._typing(given, enter=False)

    def _type_at(self, given: Arguments) -> tuple[Action, ...]:
        clear: tuple[Action, ...] = ()
        if given.flag("clear_before_typing", otherwise=True):
            clear = (Key(keys=_SELECT_ALL), Key(keys=("backspace",)))
        return (Click(action="left_click", at=self._point(given)), *clear, *self._typing(given, enter=True))

    def _typing(self, given: Arguments, *, enter: bool) -> tuple[Action, ...]:
        text = given.text("text")
        if len(text) > MAX_TEXT:
            raise InvalidCall(f"{given.call}: 'text' is longer than {MAX_TEXT} characters: type it in parts.")
        self._held.forbid(given.call)
        enters = given.flag("press_enter", otherwise=enter)
        return (Type(text=text), *([Key(keys=("enter",))] if enters else []))

    def _keys(self, given: Arguments) -> tuple[Action, ...]:
        return (Key(keys=self._held.join(given.keys("keys" if given.has("keys") else "key"), most=8)),)

    def _key_down(self, given: Arguments) -> tuple[Action, ...]:
        self._held.press(given.keys("key"))
        return (Look(),)

    def _key_up(self, given: Arguments) -> tuple[Action, ...]:
        self._held.release(given.keys("key"))
        return (Look(),)

    def _wait(self, given: Arguments) -> tuple[Action, ...]:
        seconds = given.number("seconds") if given.has("seconds") else 1.0
        if not 0 <= seconds <= MAX_SECONDS:
            raise InvalidCall(f"wait: 'seconds' must be from 0 to {MAX_SECONDS:g}, not {seconds:g}.")
        return (Wait(seconds=seconds),)

    def _navigate(self, given: Arguments) -> tuple[Action, ...]:
        url = given.words("url")
        if len(url) > MAX_ADDRESS:
            raise InvalidCall(f"navigate: 'url' is longer than {MAX_ADDRESS} characters.")
        return (OpenUrl(url=url),)

    def _point(self, given: Arguments, x: str = "x", y: str = "y") -> Point:
        return THOUSANDTHS.point((given.number(x), given.number(y)), self._desktop)
