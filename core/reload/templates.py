"""Texts of which parts came from the request: a replay fills the same places with other values.

Braces would not do for the places, as in workflows: a typed text may hold any of them as they stand.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Self, cast

from core.values import Value

PARTS: Final = "$parts"
"""The key of a JSON object that stands for a text with places: ``{"$parts": ["Hello ", {"slot": "name"}]}``."""


class Place(Value):
    """Where a slot's value stands."""

    slot: str


class Template(Value):
    """A text with places for values."""

    parts: tuple[str | Place, ...] = ()

    @classmethod
    def of(cls, text: str, values: Mapping[str, str]) -> Self:
        """The text with every whole-word occurrence of a value made a place; longer values first, case as it stands.

        Args:
            text: as it was said or typed.
            values: by the name of their slot; empty ones are passed over.

        """
        names: dict[str, str] = {}
        for name, value in values.items():
            names.setdefault(value, name)
        wanted = sorted(filter(None, names), key=len, reverse=True)
        if not wanted:
            return cls(parts=(text,) if text else ())
        pattern = "|".join(re.escape(value) for value in wanted)
        pieces = re.split(rf"((?<!\w)(?:{pattern})(?!\w))", text)
        return cls(
            parts=tuple(Place(slot=names[piece]) if at % 2 else piece for at, piece in enumerate(pieces) if piece)
        )

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots that it has places for, in order, each once."""
        return tuple(dict.fromkeys(part.slot for part in self.parts if isinstance(part, Place)))

    @property
    def shown(self) -> str:
        """For people: places as ``{name}``."""
        return "".join(part if isinstance(part, str) else f"{{{part.slot}}}" for part in self.parts)

    def filled(self, values: Mapping[str, str]) -> str:
        """With the values filled in; a place without one is shown as ``{name}``."""
        return "".join(
            part if isinstance(part, str) else values.get(part.slot, f"{{{part.slot}}}") for part in self.parts
        )


def templated(value: Any, values: Mapping[str, str]) -> Any:
    """A JSON value in whose texts the values are places; keys stay as they are."""

    def change(text: str) -> Any:
        template = Template.of(text, values)
        return template.model_dump(mode="json")["parts"] if template.slots else text

    return _mapped(value, lambda text: {PARTS: parts} if not isinstance(parts := change(text), str) else parts)


def filled_in(value: Any, values: Mapping[str, str]) -> Any:
    """The same with the values in their places again."""
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value)
        if parts.keys() == {PARTS}:
            return Template.model_validate({"parts": parts[PARTS]}).filled(values)
        return {key: filled_in(part, values) for key, part in parts.items()}
    if isinstance(value, list | tuple):
        return [filled_in(part, values) for part in cast("list[Any]", value)]
    return value


def slots_of(value: Any) -> set[str]:
    """The slots that a JSON value has places for."""
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value)
        if parts.keys() == {PARTS}:
            return set(Template.model_validate({"parts": parts[PARTS]}).slots)
        return {slot for part in parts.values() for slot in slots_of(part)}
    if isinstance(value, list | tuple):
        return {slot for part in cast("list[Any]", value) for slot in slots_of(part)}
    return set()


def _mapped(value: Any, change: Callable[[str], Any]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(part, change) for key, part in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_mapped(part, change) for part in cast("list[Any]", value)]
    return value
