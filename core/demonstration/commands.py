"""Commands that a film shows: a line behind a prompt, or in the last row behind a colon, after which something came.

A wrong letter makes another command, so one is certain only where two readings of it agree, at two sizes, and where
nothing stands behind it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from rapidfuzz import fuzz

from core.demonstration.prompts import is_prompted
from core.demonstration.screen_texts import is_masked, same_row
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event
    from core.demonstration.looks import Look
    from core.demonstration.screen_texts import ScreenTexts, Seen

_ENTERED_MS: Final = 6000
"""Longer after its last letter, what comes may be of something else."""
_RESTED_MS: Final = 700
_SURE: Final = 0.9
_MORE: Final = 3
"""So many signs may be read of a line later that were not when it was typed."""
_ALIKE: Final = 85
"""Of 100: what is less is another line."""
_CELL: Final = 0.7
"""So much of a letter's width a line may be longer or shorter than its letters are together."""
_LEAST: Final = 4
"""A prompt of fewer signs tells too little of how wide a letter is."""
_LONG: Final = 12
_NEAR: Final = 0.02
_AGREEING: Final = 3
"""So many lines of so many signs say how wide a letter is, if they differ by so little."""


_LONE_SIGN: Final = re.compile(r" ?[^\w\s]{1,2}")
"""What the reading of a video overlooks behind a command: a dot."""
_LINE: Final = (":", "/", "?")
"""What an editor or a pager reads in its last row begins so."""
_LETTERS: Final = 2


class Command(NamedTuple):
    """What was typed behind a prompt."""

    text: str
    entered_ms: int
    """When something came below it."""
    is_sure: bool


def command_of(event: Event, texts: ScreenTexts, look: Look) -> Command | None:
    """The command that an event shows; ``None`` where it was typed behind no prompt, or nothing came below."""
    if event.text is None or event.region is None or not is_prompted(event):
        return None
    end = event.until_ms or event.t_ms
    line, prompt = one_line(event.text), one_line(event.before or "")
    came = [one for one in texts.came(end + 1, end + _ENTERED_MS) if not same_row(one.box, event.region)]
    agreed = _read_twice(line, prompt, texts, look, (end, came[0].t_ms)) if came else None
    again = one_line(look.line)
    # What stands behind it was seen by the look alone.
    goes_on = look.ends and again.startswith(line) and _is_alike(line, again)
    text = (agreed or (again if goes_on else line))[len(prompt) :].strip()
    if not text or is_masked(text) or not came:
        return None
    is_sure = event.confidence >= _SURE and text.isascii() and agreed is not None
    # A lone sign behind it was seen by the look alone, and its place is not in the box of the line.
    measured = line if agreed is None or agreed.startswith(line) else agreed
    return Command(text, came[0].t_ms, is_sure and _fills_its_cells(measured, prompt, texts, (end, came[0].t_ms)))


def entered_ms(event: Event, timeline: Sequence[Event], texts: ScreenTexts) -> int | None:
    """When a line in the last row of the screen was entered: when something changed; ``None`` for any other."""
    text, end = event.text or "", event.until_ms or event.t_ms
    if event.region is None or not text.startswith(_LINE) or len(text) < _LETTERS:
        return None
    middle = event.region[1] + event.region[3] / 2
    if any(one.box[1] > middle for one in texts.at(end)):
        return None
    return next((one.t_ms for one in timeline if end < one.t_ms <= end + _ENTERED_MS), None)


def _is_alike(line: str, again: str) -> bool:
    return abs(len(again) - len(line)) <= _MORE and fuzz.ratio(again, line) >= _ALIKE


def _read_twice(line: str, prompt: str, texts: ScreenTexts, look: Look, span: tuple[int, int]) -> str | None:
    """The line as two readings have it: that of the look, and the one when it was typed or one of when it stood."""
    again = one_line(look.line)
    if not look.ends or not again.startswith(prompt):
        return None
    stood = {one_line(one.text) for t_ms in _moments(span) for one in texts.at(t_ms)}
    is_same = again == line or (again.startswith(line) and _LONE_SIGN.fullmatch(again[len(line) :]) is not None)
    return again if is_same or (again in stood and _is_alike(line, again)) else None


def _moments(span: tuple[int, int]) -> tuple[int, ...]:
    """When it stood: while it is being written a caret is behind it, which is read as a part of it."""
    return (*span, span[1] + _RESTED_MS)


def _fills_its_cells(line: str, prompt: str, texts: ScreenTexts, span: tuple[int, int]) -> bool:
    """Whether it is as long as its letters are in this terminal: one that was not read leaves a gap."""
    stood: list[Seen] = [one for t_ms in _moments(span) for one in texts.at(t_ms)]
    own = [one for one in stood if one.text == line]
    lines = [one.box[2] for one in own]
    # A short one was read apart from its prompt.
    typed = line[len(prompt) :].strip()
    begins = [one.box for one in stood if one.text == prompt]
    ends = [one.box for one in stood if one.text == typed]
    lines += [end[0] + end[2] - begin[0] for end in ends for begin in begins if same_row(end, begin)]
    cell = _cell([one for one in stood if any(_begins_with(one, each) for each in own)]) or (
        min(box[2] for box in begins) / len(prompt) if begins and len(prompt) >= _LEAST else None
    )
    return cell is not None and any(abs(width / cell - len(line)) <= _CELL + 0.01 * len(line) for width in lines)


def _begins_with(one: Seen, other: Seen) -> bool:
    """Whether two lines begin at the same edge."""
    return abs(one.box[0] - other.box[0]) <= other.box[3] / 2


def _cell(stood: Sequence[Seen]) -> float | None:
    """How wide a letter is, by the lines that agree on it; ``None`` if too few do.

    A caret behind a prompt makes it wider, and between columns there are blanks that no reading counts.
    """
    lines = {(one.text, one.box[2]) for one in stood if len(one.text) >= _LONG}
    widths = [width / len(text) for text, width in lines]
    agreeing = {width: sum(abs(other - width) <= _NEAR * width for other in widths) for width in widths}
    best = max(agreeing, key=lambda width: (agreeing[width], -width), default=None)
    return best if best is not None and agreeing[best] >= _AGREEING else None
