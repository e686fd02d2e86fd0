"""Makes of presses and releases what a person did: clicks, drags, scrolls, keys, and that something was typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from core.recording.input_log import Clicked, Dragged, Focused, Pressed, Scrolled, Typed

if TYPE_CHECKING:
    from core.recording.input_log import Button, InputEvent

Wheel = Literal["up", "down", "left", "right"]

_SLACK: Final = 6
"""Pixels that a hand slips within one click."""
_AGAIN_MS: Final = 500
"""Until the next press of a double click."""
_MOST_CLICKS: Final = 3
_SCROLL_MS: Final = 700
_TYPING_MS: Final = 1000
_LONGEST_TYPING_MS: Final = 10_000
"""Then a new passage begins, so that what was typed before is written down."""
_HELD_BACK_MS: Final = 1500
"""Ctrl+C is not written before: it may be what ends the recording."""
_INTERRUPT: Final = ("ctrl", "c")
_LONGEST_NAME: Final = 300


class Place(NamedTuple):
    """A pixel of the video."""

    x: int
    y: int

    def near(self, other: Place) -> bool:
        """Whether a hand that means to rest may move from one to the other."""
        return abs(self.x - other.x) <= _SLACK and abs(self.y - other.y) <= _SLACK


class Gestures:
    """Takes input in its order, and gives events when they have ended. All times are the video's milliseconds."""

    def __init__(self) -> None:
        self._ended: list[InputEvent] = []
        self._down: dict[Button, tuple[int, Place]] = {}
        self._click: Clicked | None = None
        self._last_press = 0
        self._scroll: Scrolled | None = None
        self._typing: Typed | None = None
        self._interrupt: Pressed | None = None
        self._window: tuple[str, str] | None = None

    def press(self, t_ms: int, button: Button, place: Place) -> None:
        """A button went down."""
        self._end_typing()
        self._end_scroll()
        click = self._click
        if click and (button != click.button or not place.near(Place(click.x, click.y))):
            self._end_click()
        self._down[button] = (t_ms, place)

    def release(self, t_ms: int, button: Button, place: Place) -> None:
        """A button came up."""
        begun = self._down.pop(button, None)
        if begun is None:
            return
        start, at = begun
        click = self._click
        if not at.near(place):
            self._end_click()
            self._ended.append(
                Dragged(
                    t_ms=start, until_ms=max(start, t_ms), button=button, x=at.x, y=at.y, to_x=place.x, to_y=place.y
                )
            )
        elif click and start - self._last_press <= _AGAIN_MS and click.count < _MOST_CLICKS:
            self._click = click.model_copy(update={"count": click.count + 1})
        else:
            self._end_click()
            self._click = Clicked(t_ms=start, button=button, x=at.x, y=at.y)
        self._last_press = start

    def wheel(self, t_ms: int, way: Wheel, place: Place) -> None:
        """The wheel was turned by a notch."""
        self._end_typing()
        self._end_click()
        scroll = self._scroll
        if scroll and (t_ms - scroll.until_ms > _SCROLL_MS or not place.near(Place(scroll.x, scroll.y))):
            self._end_scroll()
            scroll = None
        scroll = scroll or Scrolled(t_ms=t_ms, until_ms=t_ms, x=place.x, y=place.y)
        down = scroll.down + (way == "down") - (way == "up")
        right = scroll.right + (way == "right") - (way == "left")
        self._scroll = scroll.model_copy(
            update={"until_ms": max(scroll.until_ms, t_ms), "down": down, "right": right},
        )

    def typed(self, t_ms: int) -> None:
        """A key was struck that types something."""
        self._end_click()
        self._end_scroll()
        typing = self._typing
        if typing and (t_ms - typing.until_ms > _TYPING_MS or t_ms - typing.t_ms > _LONGEST_TYPING_MS):
            self._end_typing()
            typing = None
        self._typing = (
            Typed(t_ms=t_ms, until_ms=t_ms, count=1)
            if typing is None
            else typing.model_copy(update={"until_ms": max(typing.until_ms, t_ms), "count": typing.count + 1})
        )

    def key(self, t_ms: int, keys: tuple[str, ...]) -> None:
        """A key or a chord was struck that types nothing."""
        self._end_pending()
        pressed = Pressed(t_ms=t_ms, keys=keys)
        if keys == _INTERRUPT:
            self._interrupt = pressed
        else:
            self._ended.append(pressed)

    def window(self, t_ms: int, application: str, title: str) -> None:
        """This window has the focus; told only when that is news."""
        shown = (application[:_LONGEST_NAME], title[:_LONGEST_NAME])
        if shown != self._window:
            self._window = shown
            self._ended.append(Focused(t_ms=t_ms, application=shown[0], title=shown[1]))

    def ended(self, t_ms: int) -> list[InputEvent]:
        """The events that have ended by now, each once."""
        if self._click and not self._down and t_ms - self._last_press > _AGAIN_MS:
            self._end_click()
        if self._scroll and t_ms - self._scroll.until_ms > _SCROLL_MS:
            self._end_scroll()
        if self._typing and (
            t_ms - self._typing.until_ms > _TYPING_MS or t_ms - self._typing.t_ms > _LONGEST_TYPING_MS
        ):
            self._end_typing()
        if self._interrupt and t_ms - self._interrupt.t_ms > _HELD_BACK_MS:
            self._end_interrupt()
        ended, self._ended = self._ended, []
        return ended

    def close(self, *, interrupted: bool) -> list[InputEvent]:
        """The rest; a Ctrl+C that has just ``interrupted`` the recording is no part of it, nor is a half drag."""
        if interrupted:
            self._interrupt = None
        self._end_pending()
        ended, self._ended = self._ended, []
        return ended

    def _end_pending(self) -> None:
        self._end_click()
        self._end_scroll()
        self._end_typing()
        self._end_interrupt()

    def _end_click(self) -> None:
        if self._click:
            self._ended.append(self._click)
        self._click = None

    def _end_scroll(self) -> None:
        if self._scroll and (self._scroll.down or self._scroll.right):
            self._ended.append(self._scroll)
        self._scroll = None

    def _end_typing(self) -> None:
        if self._typing:
            self._ended.append(self._typing)
        self._typing = None

    def _end_interrupt(self) -> None:
        if self._interrupt:
            self._ended.append(self._interrupt)
        self._interrupt = None
