"""The questions to a program about one element, each a call over AT-SPI."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from adapters.desktop.accessibility.bus import ROOT
from adapters.desktop.accessibility.nodes import label_of
from adapters.desktop.accessibility.vocabulary import OBJECT, ROLES
from core.accessibility import Role
from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.desktop.accessibility.bus import Bus

NULL: Final = "/org/a11y/atspi/null"
"""The path of no element."""
_TEXTS: Final = frozenset(number for number, role in ROLES.items() if role is Role.TEXT)
_MOST_BESIDE: Final = 60
_DEEPEST_TEXT: Final = 8
"""Paragraphs that lie in each other in a document."""


class ElementQuestions:
    """Used by the tasks of one event loop.

    Args:
        bus: that of the display's programs.

    """

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def children(self, program: str, path: str) -> list[str]:
        """The paths of its parts."""
        found = await self._bus.ask(program, path, "Accessible.GetChildren")
        return [str(below) for owner, below in (found[0] if found else ()) if owner == program]

    async def items(self, program: str) -> Sequence[Any]:
        """All that the program keeps ready, as ``Cache.GetItems`` tells it; nothing where it keeps none."""
        found = await self._bus.ask(program, "/org/a11y/atspi/cache", "Cache.GetItems")
        return found[0] if found else ()

    async def before_caret(self, program: str, path: str, most: int) -> str | None:
        """The text that stands before the caret, at most so many letters of it; ``None`` where there is none.

        A page's document holds paragraphs, each a sign of its own in its text, and the caret stands in one of them.
        """
        for _ in range(_DEEPEST_TEXT):
            caret = await self._bus.property_of(program, path, "Text", "CaretOffset")
            if not isinstance(caret, int) or caret < 0:
                return None
            start = max(0, caret - most)
            text = await self._bus.ask(program, path, "Text.GetText", "ii", start, caret + 1)
            before, behind = (str(text[0])[: caret - start], str(text[0])[caret - start :]) if text else ("", "")
            if behind != OBJECT or start:
                return before if text else None
            parts = await self.children(program, path)
            if before.count(OBJECT) >= len(parts):
                return before
            path = parts[before.count(OBJECT)]
        return None

    async def related(self, program: str, path: str, kind: int) -> list[str]:
        """What it has a relation of that kind to, as a field to its label."""
        relations = await self._bus.ask(program, path, "Accessible.GetRelationSet")
        return [
            str(target)
            for number, targets in (relations[0] if relations else ())
            if number == kind
            for _, target in targets
        ]

    async def parent(self, program: str, path: str) -> str | None:
        """What it is a part of; ``None`` for a window."""
        found = await self._bus.property_of(program, path, "Accessible", "Parent")
        return str(found[1]) if found and found[0] == program and found[1] not in (NULL, ROOT) else None

    async def name(self, program: str, path: str) -> str | None:
        """Its name."""
        return await self._bus.property_of(program, path, "Accessible", "Name")

    async def number(self, program: str, path: str) -> int | None:
        """AT-SPI's number of its role."""
        found = await self._bus.ask(program, path, "Accessible.GetRole")
        return int(found[0]) if found else None

    async def states(self, program: str, path: str) -> int | None:
        """Its states, a bit each."""
        found = await self._bus.ask(program, path, "Accessible.GetState")
        words: Any = found[0] if found else None
        return None if words is None else words[0] | (words[1] << 32 if len(words) > 1 else 0)

    async def box(self, program: str, path: str) -> Box | None:
        """Its place on the screen."""
        found = await self._bus.ask(program, path, "Component.GetExtents", "u", 0)
        x, y, width, height = found[0] if found else (0, 0, 0, 0)
        return Box(x=x, y=y, width=width, height=height) if width > 0 and height > 0 else None

    async def label_beside(self, program: str, path: str, box: Box | None) -> str:
        """The text before a field, or above it, among what is beside it."""
        above = await self.parent(program, path)
        if above is None or box is None:
            return ""
        beside = [each for each in await self.children(program, above) if each != path][:_MOST_BESIDE]
        numbers = await asyncio.gather(*(self.number(program, each) for each in beside))
        texts = [each for each, number in zip(beside, numbers, strict=True) if number in _TEXTS]
        boxes = await asyncio.gather(*(self.box(program, each) for each in texts))
        nearest = label_of(box, [(each, place) for each, place in zip(texts, boxes, strict=True) if place is not None])
        return "" if nearest is None else str(await self.name(program, nearest) or "")
