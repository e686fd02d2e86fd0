"""The arguments of a call that speaks in pixels of the picture that it was sent; see also ``call_arguments``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from adapters.models.computer.call_arguments import Arguments
from adapters.models.computer.function_tools import shown
from core.actions import MAX_SECONDS, MAX_TEXT
from core.errors import InvalidCall
from core.key_names import parse_chord, parse_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.coordinates import Space
    from core.screens import Box, Point

_FAR: Final = 1e9
"""No screen is so wide; a number of a thousand digits is not even told back."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a model's coordinates mean: those of the picture that it was sent, and the desktop's size in pixels."""

    space: Space
    desktop: tuple[int, int]


class PixelArguments(Arguments):
    """Also reads places and keys; every method raises ``InvalidCall`` with words that the model can mend it by."""

    def __init__(self, call: str, values: Mapping[str, Any], sight: Sight) -> None:
        super().__init__(call, values)
        self._given = values
        self._sight = sight

    def point(self, name: str) -> Point:
        """A pixel of the desktop, from ``[x, y]``; nothing is bent to fit."""
        return self.point_at(self._numbers(name, 2, "[x, y]"))

    def point_or_none(self, name: str) -> Point | None:
        """The same, ``None`` when it is not given: where the pointer is."""
        return self.point(name) if self.has(name) else None

    def point_at(self, at: Sequence[object]) -> Point:
        """The same, from two values as they came."""
        if len(at) != 2 or not all(_is_number(value) for value in at):  # noqa: PLR2004 - x and y
            raise InvalidCall(f"{self.call}: a place is two numbers, x and y, not {shown(list(at))}.")
        return self._sight.space.point(cast("Sequence[float]", at), self._sight.desktop)

    def listed(self, name: str) -> list[object]:
        """A list of anything."""
        value = cast("object", self._given.get(name))
        if not isinstance(value, list):
            raise InvalidCall(f"{self.call}: {name!r} must be a list, not {shown(value)}.")
        return cast("list[object]", value)

    def region(self, name: str) -> Box:
        """A rectangle of the desktop, from ``[x0, y0, x1, y1]``, whose last corner may be the picture's far edge."""
        corners = self._numbers(name, 4, "[x0, y0, x1, y1]")
        space = self._sight.space
        if corners[2] == space.width:
            corners[2] -= 1
        if corners[3] == space.height:
            corners[3] -= 1
        return space.box(corners, self._sight.desktop)

    def whole(self, name: str, least: int, most: int) -> int:
        """A whole number within bounds."""
        value = self.number(name)
        if value != int(value) or not least <= value <= most:
            raise InvalidCall(f"{self.call}: {name!r} is a whole number from {least} to {most}, not {value:g}.")
        return int(value)

    def seconds(self, name: str) -> float:
        """A duration that can be waited for."""
        value = self.number(name)
        if not 0 <= value <= MAX_SECONDS:
            raise InvalidCall(f"{self.call}: {name!r} is 0 to {MAX_SECONDS:.0f} seconds, not {value:g}.")
        return value

    def typed(self, name: str) -> str:
        """A text that can be typed, exactly as it stands."""
        text = self.text(name)
        if len(text) > MAX_TEXT:
            raise InvalidCall(f"{self.call}: {name!r} has {len(text)} letters, more than {MAX_TEXT}: type it in parts.")
        return text

    def chord(self, *names: str) -> tuple[str, ...]:
        """Keys that are pressed together, ``ctrl+s`` or ``["CTRL", "S"]``, by the first of the names that is given."""
        name = next((each for each in names if self.has(each)), names[0])
        value = cast("object", self._given.get(name))
        try:
            if isinstance(value, list):
                words = [self._word(one) for one in cast("list[object]", value)]
                # In a list a letter is the key that it stands on: ["CTRL", "L"] has no shift in it.
                keys = parse_chord([word.lower() if len(word) == 1 else word for word in words])
            else:
                keys = parse_keys(self.words(name))
        except ValueError as fault:
            raise InvalidCall(f"{self.call}: {fault} It was {shown(self._given.get(name))}.") from None
        if not 1 <= len(keys) <= 8:  # noqa: PLR2004 - more are pressed by no hand, and by no action
            raise InvalidCall(f"{self.call}: {name!r} is one to eight keys, not {len(keys)}.")
        return keys

    def held(self, *names: str) -> tuple[str, ...]:
        """Keys that are held meanwhile; none when nothing is given."""
        if not any(self._given.get(name) for name in names):
            return ()
        keys = self.chord(*(name for name in names if self._given.get(name)))
        if len(keys) > 4:  # noqa: PLR2004 - there are no more modifiers
            raise InvalidCall(f"{self.call}: no more than four keys can be held, not {len(keys)}.")
        return keys

    def _word(self, value: object) -> str:
        if not isinstance(value, str) or not value:
            raise InvalidCall(f"{self.call}: a key is a word, not {shown(value)}.")
        return value

    def _numbers(self, name: str, count: int, form: str) -> list[float]:
        value = cast("object", self._given.get(name))
        numbers = cast("list[object]", value) if isinstance(value, list) else []
        if len(numbers) != count or not all(_is_number(one) for one in numbers):
            raise InvalidCall(
                f"{self.call}: {name!r} must be {form} in pixels of the screenshot, not {shown(self._given.get(name))}."
            )
        return cast("list[float]", list(numbers))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _FAR
