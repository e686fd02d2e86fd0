"""What a model put into a call, read with distrust: each value has the kind that it should have, or is refused."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Final, cast

from adapters.models.computer.briefings import bounded
from core.errors import InvalidCall
from core.key_names import parse_chord, parse_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
