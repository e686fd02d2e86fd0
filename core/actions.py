"""The vocabulary of desktop input, shared by all deciders; coordinates are pixels of the desktop."""

import json
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter

from core.screens import Box, Point
from core.values import Value

MAX_TEXT: Final = 100_000
MAX_SECONDS: Final = 300.0

Keys = Annotated[tuple[str, ...], Field(min_length=1, max_length=8)]
"""Keys that are pressed in this order and released in reverse, by the canonical names of ``core.key_names``."""
Modifiers = Annotated[tuple[str, ...], Field(max_length=4)]
"""Keys that are held while the pointer acts, by their canonical names."""


class Click(Value):
    """Press and release a button; without ``at`` where the pointer is."""

    action: Literal["left_click", "right_click", "middle_click", "double_click", "triple_click"]
    at: Point | None = None
    modifiers: Modifiers = ()


class Press(Value):
    """Hold the left button down, or let it go; without ``at`` where the pointer is."""

    action: Literal["left_mouse_down", "left_mouse_up"]
    at: Point | None = None


class Drag(Value):
    """Press at the first point, move along the others, release at the last."""

    action: Literal["left_click_drag"] = "left_click_drag"
    path: Annotated[tuple[Point, ...], Field(min_length=2, max_length=1000)]
    modifiers: Modifiers = ()


class Move(Value):
    """Move the pointer."""

    action: Literal["mouse_move"] = "mouse_move"
    at: Point
    modifiers: Modifiers = ()


class Scroll(Value):
    """Turn the wheel: positive notches go down (``scroll``) or right (``hscroll``)."""

    action: Literal["scroll", "hscroll"]
    notches: Annotated[int, Field(ge=-100, le=100)]
    at: Point | None = None
    modifiers: Modifiers = ()


class Type(Value):
    """Enter a text where the focus is, exactly as it stands; the empty text types nothing."""

    action: Literal["type"] = "type"
    text: Annotated[str, Field(max_length=MAX_TEXT)]


class Key(Value):
    """Press keys together, ``repeat`` times."""

    action: Literal["key"] = "key"
    keys: Keys
    repeat: Annotated[int, Field(ge=1, le=100)] = 1


class HoldKey(Value):
    """Press keys together and hold them."""

    action: Literal["hold_key"] = "hold_key"
    keys: Keys
    seconds: Annotated[float, Field(ge=0, le=MAX_SECONDS)]


class Wait(Value):
    """Do nothing for a while."""

    action: Literal["wait"] = "wait"
    seconds: Annotated[float, Field(ge=0, le=MAX_SECONDS)]


class Look(Value):
    """Take a fresh look at the screen."""

    action: Literal["screenshot"] = "screenshot"


class Zoom(Value):
    """Look at a part of the screen in its full resolution."""

    action: Literal["zoom"] = "zoom"
    region: Box


class OpenApp(Value):
    """Start a program, by an argument list and never through a shell: its name on PATH, or of a desktop entry."""

    action: Literal["open_app"] = "open_app"
    name: Annotated[str, Field(min_length=1, max_length=500)]
    arguments: tuple[str, ...] = ()


class OpenUrl(Value):
    """Open an address in a browser."""

    action: Literal["open_url"] = "open_url"
    url: Annotated[str, Field(min_length=1, max_length=8000)]


Action = Annotated[
    Click | Press | Drag | Move | Scroll | Type | Key | HoldKey | Wait | Look | Zoom | OpenApp | OpenUrl,
    Field(discriminator="action"),
]
"""One input to the desktop, or one look at it."""

ACTION: Final[TypeAdapter[Action]] = TypeAdapter(Action)
"""Reads and writes an action as JSON."""


class ReadField(Value):
    """Select all that the field at a point holds, and read the selection.

    ``several_lines`` selects by the keyboard, because three clicks select one paragraph only. Nothing stays selected;
    with ``deletes`` what was read is deleted. Never for a field that hides what it holds.
    """

    action: Literal["read_field"] = "read_field"
    at: Point
    several_lines: bool = False
    deletes: bool = False


class Done(Value):
    """The subtask is said to be finished, or to be impossible (``succeeded`` false)."""

    action: Literal["done"] = "done"
    result: str
    succeeded: bool = True


class Ask(Value):
    """It cannot go on without a person's answer."""

    action: Literal["ask"] = "ask"
    question: str


class ReplayEntry(Value):
    """What was done once is to be done again: an entry that was offered in ``<reload_options>``."""

    action: Literal["reload_cached"] = "reload_cached"
    cache_id: Annotated[str, Field(min_length=1, max_length=100)]
    skip_indices: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(max_length=2000)] = ()


class Extract(Value):
    """A value was read off the screen, for later subtasks."""

    action: Literal["extract"] = "extract"
    variable_name: str
    query: str
    value: str


PIXELS_A_NOTCH: Final = 100
"""Of the wheel, as the run's rows and the models count: positive goes down or right."""
_RENAMED: Final = {"seconds": "time", "region": "region_px"}


def shown(action: Action) -> dict[str, Any]:
    """An action as the run's rows have it: ``{action, keys?, text?, time?, pixels?, x_px?, y_px?, …}``."""
    row: dict[str, Any] = {}
    for name, value in action.model_dump(mode="json").items():
        if name == "at":
            row |= {"x_px": value["x"], "y_px": value["y"]} if value else {}
        elif name == "path":
            row |= {"x_px": value[-1]["x"], "y_px": value[-1]["y"]}
            row |= {"start_x_px": value[0]["x"], "start_y_px": value[0]["y"]}
        elif name == "notches":
            row["pixels"] = value * PIXELS_A_NOTCH
        elif name not in {"modifiers", "repeat"} or (value and value != 1):
            row[_RENAMED.get(name, name)] = value
    return row


def in_words(action: Action) -> str:
    """An action in a few words for people and models: ``left_click at (512, 384)``."""
    row = shown(action)
    said = str(row.pop("action"))
    if "start_x_px" in row:
        said += f" from ({row['start_x_px']}, {row['start_y_px']}) to ({row['x_px']}, {row['y_px']})"
    elif "x_px" in row:
        said += f" at ({row['x_px']}, {row['y_px']})"
    for name in ("text", "name", "url"):
        if name in row:
            said += f" {json.dumps(row[name], ensure_ascii=False)}"
    if "keys" in row:
        said += f" {'+'.join(row['keys'])}"
    if "pixels" in row:
        said += f" by {row['pixels']} px"
    if "time" in row:
        said += f" for {row['time']:g} s"
    return said
