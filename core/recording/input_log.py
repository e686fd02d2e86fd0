"""What a person did while a screen was recorded, beside the video: clicks with their place, keys, windows.

What was typed is not in it, only *that* something was: letters stand in the video, where masked fields hide them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from core.values import Value

Milliseconds = Annotated[int, Field(ge=0)]
Button = Literal["left", "middle", "right"]


class Clicked(Value):
    """A button went down and up in about one place; ``count`` is 2 for a double click."""

    kind: Literal["click"] = "click"
    t_ms: Milliseconds
    button: Button = "left"
    x: int
    y: int
    count: Annotated[int, Field(ge=1, le=3)] = 1


class Dragged(Value):
    """A button went down in one place and up in another."""

    kind: Literal["drag"] = "drag"
    t_ms: Milliseconds
    until_ms: Milliseconds
    button: Button = "left"
    x: int
    y: int
    to_x: int
    to_y: int


class Scrolled(Value):
    """The wheel was turned; notches, down and right are positive."""

    kind: Literal["scroll"] = "scroll"
    t_ms: Milliseconds
    until_ms: Milliseconds
    x: int
    y: int
    down: int = 0
    right: int = 0


class Pressed(Value):
    """A key that types nothing, or a chord with Ctrl, Alt or Meta: names as ``core.key_names`` has them."""

    kind: Literal["key"] = "key"
    t_ms: Milliseconds
    keys: tuple[str, ...]


class Typed(Value):
    """Letters were typed, one after the other; which, the log does not say."""

    kind: Literal["typed"] = "typed"
    t_ms: Milliseconds
    until_ms: Milliseconds
    count: Annotated[int, Field(ge=1)]


class Focused(Value):
    """Another window has the focus, or its title changed; also what had it at the start."""

    kind: Literal["window"] = "window"
    t_ms: Milliseconds
    application: str
    title: str


InputEvent = Annotated[Clicked | Dragged | Scrolled | Pressed | Typed | Focused, Field(discriminator="kind")]


class InputLog(Value):
    """The whole log; times are milliseconds from the video's first frame, places its upright pixels."""

    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)]
    events: tuple[InputEvent, ...] = ()
    """By ``t_ms``."""
