"""The actions of Anthropic's computer tools, both generations, as ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from adapters.models.computer.briefings import quoted
from adapters.models.computer.pixel_arguments import PixelArguments, Sight
from core.actions import Click, Drag, HoldKey, Key, Look, Move, Press, Scroll, Type, Wait, Zoom
from core.errors import InvalidCall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from core.actions import Action

_HELD: Final = ("text", "key")
"""Modifiers stand in ``text``; Anthropic's first examples had them in ``key``."""
_MAX_NOTCHES: Final = 100
_MAX_REPEAT: Final = 100
POINTER: Final = "cursor_position"
"""Asks where the pointer is; the answer is words."""


def read_action(name: str, values: Mapping[str, Any], sight: Sight) -> Action:
    """What the action of that name means. Raises ``InvalidCall`` that quotes what is wrong.

    Args:
        name: as the tool has it, e.g. ``left_click``.
        values: the arguments as they came, without ``action``.
        sight: of the screenshot that the model was sent.

    """
    read = _READERS.get(name)
    if read is None:
        raise InvalidCall(f"There is no action {quoted(name)}; there are: {', '.join(_READERS)}.")
    return read(PixelArguments(name, values, sight))


def _click(given: PixelArguments) -> Action:
    return Click.model_validate(
        {"action": given.call, "at": given.point_or_none("coordinate"), "modifiers": given.held(*_HELD)}
    )


def _press(given: PixelArguments) -> Action:
    return Press.model_validate({"action": given.call, "at": given.point_or_none("coordinate")})


def _drag(given: PixelArguments) -> Action:
    return Drag(path=(given.point("start_coordinate"), given.point("coordinate")), modifiers=given.held(*_HELD))


def _scroll(given: PixelArguments) -> Action:
    direction = given.one_of("scroll_direction", ("up", "down", "left", "right"))
    notches = given.whole("scroll_amount", 0, _MAX_NOTCHES)
    return Scroll(
        action="scroll" if direction in {"up", "down"} else "hscroll",
        notches=-notches if direction in {"up", "left"} else notches,
        at=given.point_or_none("coordinate"),
        modifiers=given.held("text"),
    )


def _key(given: PixelArguments) -> Action:
    repeat = given.whole("repeat", 1, _MAX_REPEAT) if given.has("repeat") else 1
    return Key(keys=given.chord("text"), repeat=repeat)


def _hold_key(given: PixelArguments) -> Action:
    return HoldKey(keys=given.chord("text"), seconds=given.seconds("duration"))


_READERS: Final[dict[str, Callable[[PixelArguments], Action]]] = {
    "screenshot": lambda _: Look(),
    POINTER: lambda _: Look(),
    "zoom": lambda given: Zoom(region=given.region("region")),
    "left_click": _click,
    "right_click": _click,
    "middle_click": _click,
    "double_click": _click,
    "triple_click": _click,
    "left_click_drag": _drag,
    "left_mouse_down": _press,
    "left_mouse_up": _press,
    "mouse_move": lambda given: Move(at=given.point("coordinate"), modifiers=given.held(*_HELD)),
    "scroll": _scroll,
    "key": _key,
    "hold_key": _hold_key,
    "type": lambda given: Type(text=given.typed("text")),
    "wait": lambda given: Wait(seconds=given.seconds("duration")),
}
