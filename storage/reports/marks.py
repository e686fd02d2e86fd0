"""A row of a run as a reader sees it: what was done, in words and on the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LONGEST: Final = 300
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


def words(row: Mapping[str, Any]) -> str:
    """What a row of ``events.jsonl`` tells, in a few words."""
    kind = row.get("type")
    if kind == "done":
        return "Done"
    if kind == "extract":
        return f"Read {row.get('variable_name')}: {row.get('query')}"[:_LONGEST]
    action = row.get("pixel_action")
    if not isinstance(action, dict):
        return "No action"
    return _action_words(cast("dict[str, Any]", action))[:_LONGEST]


def mark(row: Mapping[str, Any], width: int, height: int, number: int) -> str:
    """Where it was done: SVG for a picture of that size, empty when it was nowhere; ``number`` 0 is not shown."""
    action = row.get("pixel_action")
    values = cast("dict[str, Any]", action) if isinstance(action, dict) else {}
    point = _point(values, "x_px", "y_px")
    if point is None:
        return ""
    x, y = point
    radius = max(10, round(max(width, height) / 70))
    start = _point(values, "start_x_px", "start_y_px")
    line = ""
    if start is not None:
        line = f'<path d="M{start[0]} {start[1]}L{x} {y}"/><circle cx="{start[0]}" cy="{start[1]}" r="{radius // 3}"/>'
    ring = f'<circle cx="{x}" cy="{y}" r="{radius}"/><circle class="dot" cx="{x}" cy="{y}" r="{radius / 5:.1f}"/>'
    label = f'<text x="{x + radius}" y="{y - radius}" font-size="{radius * 1.6:.0f}">{number}</text>' if number else ""
    return f'<g class="halo">{line}{ring}</g><g>{line}{ring}{label}</g>'


def _action_words(action: Mapping[str, Any]) -> str:
    name = str(action.get("action"))
    said = _VERBS.get(name, name)
    keys = "+".join(map(str, _list(action.get("keys"))))
    modifiers = "+".join(map(str, _list(action.get("modifiers"))))
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
    start, point = _point(action, "start_x_px", "start_y_px"), _point(action, "x_px", "y_px")
    said += f" from {start[0]}, {start[1]} to" if start else " at" if point else ""
    said += f" {point[0]}, {point[1]}" if point else ""
    return said + (f" with {modifiers} held" if modifiers else "")


def _point(action: Mapping[str, Any], x: str, y: str) -> tuple[int, int] | None:
    across, down = action.get(x), action.get(y)
    return (across, down) if isinstance(across, int) and isinstance(down, int) else None


def _list(value: Any) -> Sequence[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else ()
