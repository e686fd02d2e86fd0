"""What a model put into a call, read with distrust: values, places in pixels of its picture, and keys it holds down."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from adapters.models.computer.briefings import bounded
from adapters.models.computer.function_tools import shown
from core.actions import MAX_SECONDS, MAX_TEXT
from core.errors import InvalidCall
from core.key_names import parse_chord, parse_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from adapters.models.computer.screenshots import Shown
    from core.screens import Box, Picture, Point, Space


_SHOWN: Final = 120
_MOST_KEYS: Final = 8
_NUMBER: Final = re.compile(r"[+-]?\d{1,12}(?:\.\d{1,12})?", re.ASCII)
_PAIR: Final = re.compile(r"\s*[\[(]?(.*?)[\])]?\s*", re.DOTALL)


class Arguments:
    """The arguments of one call; every method raises ``InvalidCall`` with words that the model can mend it by.

    Args:
        call: the call's name, for these words.
        values: as they came. Numbers, lists and flags may be spelt as text, as the XML dialect has them.

    """

    def __init__(self, call: str, values: Mapping[str, Any]) -> None:
        self.call: Final = call
        self._values = values

    def has(self, *names: str) -> bool:
        """Whether one of them is given."""
        return any(self._values.get(name) is not None for name in names)

    def text(self, name: str) -> str:
        """A text exactly as it stands, which may be empty."""
        value = self._values.get(name)
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def words(self, name: str) -> str:
        """A text that says something."""
        value = self.text(name).strip()
        if not value:
            raise InvalidCall(f"{self.call}: {name!r} is empty, and must not be.")
        return value

    def number(self, *names: str) -> float:
        """A finite number, by the first of the names that is given."""
        name = next((each for each in names if self._values.get(each) is not None), names[0])
        value = _number(self._values.get(name))
        if value is None:
            raise self._wrong(name, "a number")
        return value

    def pair(self, name: str) -> tuple[float, float]:
        """Two numbers: ``[500, 300]``, also as text, or ``(500, 300)``."""
        value = self._values.get(name)
        if isinstance(value, str):
            found = _PAIR.fullmatch(value)
            value = found[1].split(",") if found else None
        numbers = [_number(one) for one in cast("list[object]", value)] if isinstance(value, (list, tuple)) else []
        if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:  # noqa: PLR2004 - x and y
            raise self._wrong(name, "[x, y], two numbers from 0 to 1000")
        return numbers[0], numbers[1]

    def keys(self, name: str) -> tuple[str, ...]:
        """Keys to press together: ``["ctrl", "s"]``, also as text, or ``"ctrl+s"``."""
        value = self._values.get(name)
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = _json_list(value)
        listed = cast("list[object]", value) if isinstance(value, (list, tuple)) else []
        try:
            if listed and all(isinstance(one, str) and one for one in listed):
                keys = parse_chord([str(one) for one in listed])
            elif isinstance(value, str) and value:
                keys = parse_keys(value)
            else:
                raise self._wrong(name, 'a list of keys such as ["ctrl", "s"]')
        except ValueError as fault:
            raise InvalidCall(f"{self.call}: {fault}") from None
        if not 1 <= len(keys) <= _MOST_KEYS:
            raise InvalidCall(f"{self.call}: {name!r} are one to {_MOST_KEYS} keys, not {len(keys)}.")
        return keys

    def flag(self, name: str, *, otherwise: bool) -> bool:
        """Yes or no, ``otherwise`` when it is not given."""
        value = self._values.get(name)
        if value is None:
            return otherwise
        spelt = value.strip().lower() if isinstance(value, str) else value
        if spelt in (True, "true"):
            return True
        if spelt in (False, "false"):
            return False
        raise self._wrong(name, "true or false")

    def one_of(self, name: str, allowed: Iterable[str]) -> str:
        """One of these words."""
        value, words = self._values.get(name), list(allowed)
        if not isinstance(value, str) or value.strip().lower() not in words:
            raise self._wrong(name, f"one of {', '.join(words)}")
        return value.strip().lower()

    def _wrong(self, name: str, wanted: str) -> InvalidCall:
        value = self._values.get(name)
        if value is None:
            return InvalidCall(f"{self.call}: {name!r} is missing; it must be {wanted}.")
        return InvalidCall(f"{self.call}: {name!r} must be {wanted}, not {bounded(_shown(value), _SHOWN)}.")


def _number(value: object) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value.strip()) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _json_list(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _shown(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__


_FAR: Final = 1e9
"""No screen is so wide; a number of a thousand digits is not even sent back."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a model's coordinates mean: those of the picture that it was sent, and the desktop's size in pixels."""

    space: Space
    desktop: tuple[int, int]

    @classmethod
    def of(cls, picture: Picture, shown: Shown) -> Sight:
        """Of a picture of the desktop as it was shown."""
        return cls(shown.space, (picture.width, picture.height))


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


_MOST: Final = 4


@dataclass
class HeldKeys:
    """In the order in which they went down, by their canonical names."""

    keys: list[str] = field(default_factory=list[str])

    def press(self, keys: Sequence[str]) -> None:
        """Hold them from now on. Raises ``InvalidCall`` for more than a hand could."""
        self.keys = list(self.join(keys))

    def release(self, keys: Sequence[str]) -> None:
        """Let them go; what is not held stays so."""
        self.keys = [key for key in self.keys if key not in keys]

    def forget(self) -> None:
        """Let all of them go."""
        self.keys = []

    def join(self, keys: Sequence[str], most: int = _MOST) -> tuple[str, ...]:
        """The keys that are held, and these. Raises ``InvalidCall`` for more than ``most``."""
        joined = tuple(dict.fromkeys((*self.keys, *keys)))
        if len(joined) > most:
            raise InvalidCall(f"{'+'.join(joined)[:80]} are more than {most} keys at once.")
        return joined

    def forbid(self, action: str) -> None:
        """Raise ``InvalidCall`` while any is held: this action types, and would type something else with it."""
        if self.keys:
            raise InvalidCall(f"{action}: {'+'.join(self.keys)} is still held down: let it go first with key_up.")
