"""Finds what has the focus in a program: some send no event of it, none before anything listened."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from adapters.desktop.accessibility.bus import ROOT
from adapters.desktop.accessibility.vocabulary import CLIPPING, SHOWING, STATE_NAMES

if TYPE_CHECKING:
    from adapters.recording.element_reader import ElementReader

_HAS_FOCUS: Final = (1 << STATE_NAMES["focused"]) | (1 << STATE_NAMES["focusable"]) | SHOWING
"""Qt says of a part of a field, and of a tab, that it is focused, although it cannot be."""
_MOST: Final = 400
"""So many elements of a program are asked for their states one by one."""


async def focus_in(reader: ElementReader, known: tuple[str, str] | None, pid: int) -> tuple[str, str] | None:
    """The program's name and the path of what has the focus in a process; ``known`` is what was told last."""
    if known is not None and await reader.pid_of(known[0]) == pid:
        states = await reader.states(*known)
        if _has_focus(states):
            return known
    for program in await reader.programs(pid):
        path = await _kept_ready(reader, program) or await _asked_for(reader, program)
        if path is not None:
            return program, path
    return None


async def _kept_ready(reader: ElementReader, program: str) -> str | None:
    items = await reader.items(program)
    focused = [str(item[0][1]) for item in items if item[9] and _has_focus(item[9][0]) and item[7] not in CLIPPING]
    # Outside of the window that has the keyboard, one that had the focus last may say so still.
    return focused[0] if len(focused) == 1 else None


async def _asked_for(reader: ElementReader, program: str) -> str | None:
    """The same where a program does not keep its elements ready: level by level, the deepest."""
    level, found, asked = list(await reader.children(program, ROOT)), None, 0
    while level and asked < _MOST:
        asked += len(level)
        states = await asyncio.gather(*(reader.states(program, each) for each in level))
        shown = [each for each, bits in zip(level, states, strict=True) if bits and bits & SHOWING]
        focused = [each for each, bits in zip(level, states, strict=True) if _has_focus(bits)]
        found = focused[0] if focused else found
        below = await asyncio.gather(*(reader.children(program, each) for each in shown))
        level = [each for children in below for each in children]
    return found


def _has_focus(states: int | None) -> bool:
    return states is not None and states & _HAS_FOCUS == _HAS_FOCUS
