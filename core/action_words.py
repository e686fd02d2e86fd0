"""An action in words for people: ``Click at 610, 192``, ``Type “Ada”``. ``core.actions.in_words`` is for models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_VERBS: Final = {
    "left_click": "Click",
    "right_click": "Right-click",
    "middle_click": "Middle-click",
    "double_click": "Double-click",
    "triple_click": "Triple-click",
    "left_mouse_down": "Hold the button down",
    "left_mouse_up": "Let the button go",
    "left_click_drag": "Drag",
    "mouse_move": "Move the pointer",
    "scroll": "Scroll",
    "hscroll": "Scroll",
    "type": "Type",
    "key": "Press",
    "hold_key": "Hold",
    "wait": "Wait",
    "screenshot": "Look",
    "zoom": "Look closely",
    "open_app": "Open",
    "open_url": "Go to",
}


def action_words(action: Mapping[str, Any]) -> str:
    """Of an action as events and ``events.jsonl`` have it."""
    name = str(action.get("action"))
    said = _VERBS.get(name, name)
    keys = "+".join(map(str, as_list(action.get("keys"))))
    modifiers = "+".join(map(str, as_list(action.get("modifiers"))))
    pixels, seconds, repeat = action.get("pixels"), action.get("time"), action.get("repeat")
    if isinstance(pixels, int):
        across = ("left", "right") if name == "hscroll" else ("up", "down")
        said += f" {across[pixels > 0]} by {abs(pixels)} px"
    for each in ("text", "name", "url"):
        if each in action:
            said += f" “{action[each]}”" if each == "text" else f" {action[each]}"
    said += f" {keys}" if keys else ""
    said += f" {repeat} times" if isinstance(repeat, int) else ""
    said += f" for {seconds:g} s" if isinstance(seconds, int | float) else ""
    start, point = as_point(action, "start_x_px", "start_y_px"), as_point(action, "x_px", "y_px")
    said += f" from {start[0]}, {start[1]} to" if start else " at" if point else ""
    said += f" {point[0]}, {point[1]}" if point else ""
    return said + (f" with {modifiers} held" if modifiers else "")


def as_point(action: Mapping[str, Any], x: str, y: str) -> tuple[int, int] | None:
    """A place in pixels, if both numbers are there."""
    across, down = action.get(x), action.get(y)
    return (across, down) if isinstance(across, int) and isinstance(down, int) else None


def as_list(value: Any) -> Sequence[Any]:
    """A list or nothing."""
    return cast("list[Any]", value) if isinstance(value, list) else ()
