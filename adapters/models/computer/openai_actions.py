"""The actions of OpenAI's computer tool, as ours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, cast

from adapters.models.computer.briefings import quoted
from adapters.models.computer.function_tools import shown
from adapters.models.computer.pixel_arguments import PixelArguments, Sight
from core.actions import Click, Drag, Key, Look, Move, Scroll, Type, Wait
from core.errors import InvalidCall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from core.actions import Action
    from core.screens import Point

PIXELS_A_NOTCH: Final = 100
"""``scroll_x`` and ``scroll_y`` are pixels of a page; a notch of a wheel moves a page by about so many."""
WAIT_SECONDS: Final = 2.0
"""``wait`` says no duration."""
_MAX_NOTCHES: Final = 100
_MAX_PATH: Final = 1000
_BUTTONS: Final = {"left": "left_click", "right": "right_click", "wheel": "middle_click"}
_PAGES: Final = {"back": ("alt", "left"), "forward": ("alt", "right")}
"""The mouse's side buttons have no action here; every browser takes these keys for them."""


def read_actions(action: Mapping[str, Any], sight: Sight) -> tuple[Action, ...]:
    """What one action means: mostly one of ours, two where it scrolls both ways. Raises ``InvalidCall``."""
    kind = action.get("type")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise InvalidCall(f"There is no action {quoted(str(kind))}; there are: {', '.join(_READERS)}.")
    return read(PixelArguments(str(kind), action, sight))


def _at(given: PixelArguments) -> Point:
    return given.point_at((given.number("x"), given.number("y")))


def _click(given: PixelArguments) -> tuple[Action, ...]:
    button = given.one_of("button", (*_BUTTONS, *_PAGES)) if given.has("button") else "left"
    if button in _PAGES:
        return (Key(keys=_PAGES[button]),)
    fields = {"action": _BUTTONS[button], "at": _at(given), "modifiers": given.held("keys")}
    return (Click.model_validate(fields),)


def _double_click(given: PixelArguments) -> tuple[Action, ...]:
    return (Click(action="double_click", at=_at(given), modifiers=given.held("keys")),)


def _drag(given: PixelArguments) -> tuple[Action, ...]:
    path = given.listed("path")
    if not 2 <= len(path) <= _MAX_PATH:  # noqa: PLR2004 - from one place to another
        raise InvalidCall(f"drag: 'path' has 2 to {_MAX_PATH} places, not {len(path)}.")
    return (Drag(path=tuple(_place(given, place) for place in path), modifiers=given.held("keys")),)


def _place(given: PixelArguments, place: object) -> Point:
    if isinstance(place, dict):
        named = cast("dict[str, object]", place)
        return given.point_at((named.get("x"), named.get("y")))
    if isinstance(place, list):
        return given.point_at(cast("list[object]", place))
    raise InvalidCall(f"drag: a place is an x and a y, not {shown(place)}.")


def _scroll(given: PixelArguments) -> tuple[Action, ...]:
    at, modifiers = _at(given), given.held("keys")
    across = _notches(given, "scroll_x")
    down = _notches(given, "scroll_y")
    actions: list[Action] = []
    if down or not across:
        actions.append(Scroll(action="scroll", notches=down, at=at, modifiers=modifiers))
    if across:
        actions.append(Scroll(action="hscroll", notches=across, at=at, modifiers=modifiers))
    return tuple(actions)


def _notches(given: PixelArguments, name: str) -> int:
    """Whole notches, at least one for any distance at all."""
    pixels = given.number(name) if given.has(name) else 0.0
    notches = math.floor(abs(pixels) / PIXELS_A_NOTCH + 0.5) or int(pixels != 0)
    if notches > _MAX_NOTCHES:
        most = _MAX_NOTCHES * PIXELS_A_NOTCH
        raise InvalidCall(f"scroll: {name!r} is at most {most} pixels either way, not {pixels:g}.")
    return notches if pixels > 0 else -notches


_READERS: Final[dict[str, Callable[[PixelArguments], tuple[Action, ...]]]] = {
    "click": _click,
    "double_click": _double_click,
    "drag": _drag,
    "keypress": lambda given: (Key(keys=given.chord("keys")),),
    "move": lambda given: (Move(at=_at(given), modifiers=given.held("keys")),),
    "screenshot": lambda _: (Look(),),
    "scroll": _scroll,
    "type": lambda given: (Type(text=given.typed("text")),),
    "wait": lambda _: (Wait(seconds=WAIT_SECONDS),),
}
